/** The application for the measurements of Propylon. */

import { z } from 'zod'
import { body } from '../../src/http/converters/body-argument.ts'
import { abort, FrameworkApp, Mapper, WSGIController } from '../../src/index.ts'
import { XMLRPCController } from '../../src/rpc/controllers/rpc-controller.ts'
import {
  collections,
  findUser,
  largeStream,
  otherCollections,
  states,
  stream,
  UserForm,
  users,
  usersTemplate,
} from '../works/data.ts'

class HelloController extends WSGIController {
  index() {
    return 'Hello World'
  }
}

const User = z.object({ name: z.string(), full_name: z.string(), email: z.string(), link: z.string() })

class UsersController extends WSGIController {
  static args = { create: { user: body(UserForm) }, show: { id: z.string().max(64) } }
  static results = { show: User }
  static pages = { index: 'users' }

  index() {
    return { users }
  }

  create(user: z.infer<typeof UserForm>) {
    this.response.status = 201
    this.response.headers.set('Location', `/users/${user.name}`)
    return `Created ${user.name}`
  }

  show(id: string) {
    return findUser(id) ?? abort(404)
  }
}

class OtherController extends WSGIController {
  index() {
    return 'index'
  }
  create() {
    return 'create'
  }
  show(id: string) {
    return id
  }
  update(id: string) {
    return id
  }
  delete(id: string) {
    return id
  }
}

class FilesController extends WSGIController {
  stream() {
    this.response.contentType = 'application/octet-stream'
    return stream()
  }

  large() {
    this.response.contentType = 'application/octet-stream'
    return largeStream()
  }
}

class ServiceController extends XMLRPCController {
  static override signatures = { test_battingOrder: [['string', 'int']] }

  /** Returns the name of the US state that joined the union at position `posn`, from 1. */
  test_battingOrder(posn: number) {
    return states[posn - 1] ?? 'Out of cheese error.'
  }

  test_echo(value: unknown) {
    return value
  }
}

const map = new Mapper()
for (const name of collections) map.resource(name.slice(0, -1), name)
map.connect('/{controller}', { action: 'index' })
map.connect('/{controller}/{action}')

export default new FrameworkApp({
  map,
  controllers: {
    hello: HelloController,
    users: UsersController,
    files: FilesController,
    service: ServiceController,
    ...Object.fromEntries(otherCollections.map((name) => [name, OtherController])),
  },
  templates: { 'users.eta': usersTemplate },
})
