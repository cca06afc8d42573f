// NestJS requires decorators. They are called explicitly, as in compiled TypeScript.
import 'reflect-metadata'
import { Readable } from 'node:stream'
import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  HttpException,
  Module,
  NotFoundException,
  Param,
  Post,
  Put,
  Res,
  StreamableFile,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { findUser, otherCollections, problemIn, stream } from '../works/data.ts'
import { usersPage } from './pages.mjs'
import { ready } from './ready.mjs'

function decorate(controller, path, methods) {
  for (const [name, { on, parameters = [] }] of Object.entries(methods)) {
    const descriptor = Object.getOwnPropertyDescriptor(controller.prototype, name)
    for (const [index, parameter] of parameters.entries()) parameter(controller.prototype, name, index)
    Reflect.defineMetadata(
      'design:paramtypes',
      parameters.map(() => Object),
      controller.prototype,
      name,
    )
    for (const decorator of [...on].reverse()) decorator(controller.prototype, name, descriptor)
  }
  Controller(path)(controller)
  return controller
}

class HelloController {
  index() {
    return 'Hello World'
  }
}
decorate(HelloController, 'hello', { index: { on: [Get('index')] } })

class FilesController {
  stream() {
    return new StreamableFile(Readable.from(stream(), { objectMode: false }))
  }
}
decorate(FilesController, 'files', { stream: { on: [Get('stream')] } })

class UsersController {
  index() {
    return usersPage()
  }
  create(fields, reply) {
    const problem = problemIn((name) => fields[name])
    if (problem !== undefined) throw new HttpException(problem, 400)
    reply.header('Location', `/users/${fields.name}`)
    return `Created ${fields.name}`
  }
  show(id) {
    const user = findUser(id)
    if (user === undefined) throw new NotFoundException()
    return user
  }
  update(id) {
    return id
  }
  remove(id) {
    return id
  }
}
decorate(UsersController, 'users', {
  index: { on: [Get(), Header('Content-Type', 'text/html; charset=utf-8')] },
  create: { on: [Post(), HttpCode(201)], parameters: [Body(), Res({ passthrough: true })] },
  show: { on: [Get(':id')], parameters: [Param('id')] },
  update: { on: [Put(':id')], parameters: [Param('id')] },
  remove: { on: [Delete(':id')], parameters: [Param('id')] },
})

function otherController(path) {
  class OtherController {
    index() {
      return path
    }
    create() {
      return path
    }
    show(id) {
      return id
    }
    update(id) {
      return id
    }
    remove(id) {
      return id
    }
  }
  return decorate(OtherController, path, {
    index: { on: [Get()] },
    create: { on: [Post()] },
    show: { on: [Get(':id')], parameters: [Param('id')] },
    update: { on: [Put(':id')], parameters: [Param('id')] },
    remove: { on: [Delete(':id')], parameters: [Param('id')] },
  })
}

class AppModule {}
Module({
  controllers: [HelloController, FilesController, UsersController, ...otherCollections.map(otherController)],
})(AppModule)

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false })
await app.listen(0, '127.0.0.1')
ready(app.getHttpServer().address().port)
