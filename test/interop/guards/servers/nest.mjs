/** Nest on Fastify: middleware is bound to the routes of a controller. Decorators are called, so that Node runs the file. */
import { load, ready, secret, token } from './site.mjs'

load('reflect-metadata')
const { Controller, Get, Module } = load('@nestjs/common')
const { NestFactory } = load('@nestjs/core')
const { FastifyAdapter } = load('@nestjs/platform-fastify')

class MembersController {
  list() {
    return secret
  }
}
Controller('members')(MembersController)
Get('list')(MembersController.prototype, 'list', Object.getOwnPropertyDescriptor(MembersController.prototype, 'list'))

class AppModule {
  configure(consumer) {
    const guard = (request, response, next) => {
      if (request.headers['x-token'] === token) return next()
      response.statusCode = 401
      response.end('401')
    }
    consumer.apply(guard).forRoutes(MembersController)
  }
}
Module({ controllers: [MembersController] })(AppModule)

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false })
await app.listen(0, '127.0.0.1')
ready(app.getHttpServer().address().port)
