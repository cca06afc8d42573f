/** A user by an action, its tool, and the methods of services. */
import { z } from 'zod'
import { abort, FrameworkApp, Mapper, WSGIController } from '../../src/index.ts'
import { JSONRPCController, XMLRPCController } from '../../src/rpc/controllers/rpc-controller.ts'
import { serve } from '../../src/wsgi/node/index.ts'
import { findUser } from '../works/data.ts'
import { ready } from './ready.mjs'

const User = z.object({ name: z.string(), full_name: z.string(), email: z.string(), link: z.string() })

class UsersController extends WSGIController {
  static args = { show: { id: z.string().max(64) } }
  static results = { show: User }
  static tools = ['show']

  show(id: string) {
    return findUser(id) ?? abort(404)
  }
}

class JsonController extends JSONRPCController {
  show(id: string) {
    return findUser(id)
  }
}

class XmlController extends XMLRPCController {
  static override signatures = { show: [['struct', 'string']] }

  show(id: string) {
    return findUser(id)
  }
}

const map = new Mapper()
map.resource('user', 'users')
map.connect('/{controller}', { action: 'index' })

const app = new FrameworkApp({
  map,
  controllers: { users: UsersController, json: JsonController, xml: XmlController },
  mcp: { name: 'users' },
})

const { port } = await serve(app, { backlog: 1024 })
ready(port)
