/** Nest on Express. Its decorators are called, so that Node runs the file. */
import 'reflect-metadata'
import { buffer } from 'node:stream/consumers'
import {
  All,
  Controller,
  Get,
  Module,
  NotFoundException,
  Post,
  Req,
  Res,
  UploadedFiles,
  UseInterceptors,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AnyFilesInterceptor } from '@nestjs/platform-express'
import compression from 'compression'
import { corsOptions, files, partsOf, policies, queryOf, ready, textOf } from './common.mjs'

class SiteController {
  upload(req, uploaded) {
    return partsOf(
      req.body,
      uploaded.map(({ fieldname, originalname, mimetype, buffer: bytes }) => ({
        name: fieldname,
        filename: originalname,
        type: mimetype,
        bytes,
      })),
    )
  }

  negotiated(req, res) {
    const query = queryOf(req.url)
    const method = { type: 'accepts', language: 'acceptsLanguages', encoding: 'acceptsEncodings' }[
      query.get('of')
    ]
    res.type('text').send(req[method](query.getAll('offer')) || 'none')
  }

  cors(_req, res) {
    res.vary('Foo').send('hello')
  }

  compressed(req, res) {
    const { headers, body, chunks } = textOf(queryOf(req.url))
    res.set(headers)
    if (chunks === undefined) return res.send(body)
    for (const chunk of chunks) res.write(chunk)
    res.end()
  }

  outside() {
    throw new NotFoundException()
  }

  async echo(req, res) {
    res.type('text').send(await buffer(req))
  }
}

function decorate(name, parameters, ...decorators) {
  const { prototype } = SiteController
  for (const [index, parameter] of parameters.entries()) parameter(prototype, name, index)
  Reflect.defineMetadata(
    'design:paramtypes',
    parameters.map(() => Object),
    prototype,
    name,
  )
  for (const decorator of decorators) {
    decorator(prototype, name, Object.getOwnPropertyDescriptor(prototype, name))
  }
}

decorate(
  'upload',
  [Req(), UploadedFiles()],
  Post('upload'),
  UseInterceptors(AnyFilesInterceptor({ defParamCharset: 'utf8' })),
)
decorate('negotiated', [Req(), Res()], Get('negotiated'))
decorate('cors', [Req(), Res()], Get('cors/:policy'))
decorate('compressed', [Req(), Res()], Get('compressed'))
decorate('outside', [], All('outside.txt'))
decorate('echo', [Req(), Res()], All(['/', '*path']))
Controller()(SiteController)

class AppModule {}
Module({ controllers: [SiteController] })(AppModule)

const app = await NestFactory.create(AppModule, { logger: false, bodyParser: false })
app.useStaticAssets(files, { prefix: '/files/', fallthrough: false })
app.enableCors((req, callback) => {
  const policy = policies[/^\/cors\/(\w+)/.exec(req.url)?.[1]]
  callback(null, policy === undefined ? { origin: false } : corsOptions(policy))
})
app.use('/compressed', compression())
await app.listen(0, '127.0.0.1')
ready(app.getHttpServer().address().port)
