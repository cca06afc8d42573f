/** Routes decide about tools, resources and prompts as they decide about other requests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, Request, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import type { RouteContext } from 'propylon/routing'
import { TestApp } from 'propylon/testing'
import type { Environ, WSGIApplication } from 'propylon/wsgi'
import * as v from 'valibot'
import { firstText, logged, messageOf, modern } from './library.ts'

class BooksController extends WSGIController {
  static tools = ['show', 'inside']
  static resources = ['show', 'inside']
  static prompts = { review: 'review', inside: 'review', outside: 'review' }

  show(id: string) {
    return { id }
  }

  review(id: string) {
    return { id }
  }

  inside() {
    return { id: 'inside' }
  }

  outside() {
    return { id: 'outside' }
  }
}

const books = (action: string) => ({ controller: 'books', action })
const environs = (wanted: (environ: Readonly<Record<string, unknown>>) => boolean) => ({
  conditions: { function: ({ environ }: RouteContext) => wanted(Object(environ)) },
})

const app = new FrameworkApp({
  map: new Mapper()
    .connect('/featured', { ...books('show'), id: 'star' })
    .connect('/books/{id}', books('show'))
    .connect('/books/{id:\\d+}/review', books('review'))
    .connect('/inside', {
      ...books('inside'),
      ...environs(({ REQUEST_METHOD, PATH_INFO }) => `${REQUEST_METHOD} ${PATH_INFO}` === 'GET /inside'),
    })
    .connect('/outside', { ...books('outside'), ...environs(({ REMOTE_ADDR }) => REMOTE_ADDR === '::2') }),
  controllers: { books: BooksController },
  templates: { review: 'Review <%= it.id %>.' },
  mcp: {},
})

async function call(name: string, args: object) {
  return messageOf(await modern(app, 'tools/call', { name, arguments: args })).result
}

async function promptOf(name: string, args: object = {}) {
  return messageOf(await modern(app, 'prompts/get', { name, arguments: args }))
}

describe('a tool', () => {
  it('has the arguments that another of its routes states', async () => {
    assert.equal(firstText(await call('books_show', { id: '7' })), '{"id":"7"}')
    const { result } = messageOf(await modern(app, 'resources/templates/list'))
    assert.match(JSON.stringify(result), /"http:\/\/localhost\/books\/\{id\}"/)
  })

  it('refuses a value that no path can have', async () => {
    for (const id of ['\0', 'a b\0']) {
      const result = await call('books_show', { id })
      assert.equal(result.isError, true)
      assert.match(firstText(result), /U\+0000/)
    }
  })
})

describe('a condition of a route', () => {
  it('reads the request of the call', async () => {
    assert.equal(firstText(await call('books_inside', {})), '{"id":"inside"}')
    const uri = 'http://localhost/inside'
    assert.ok(messageOf(await modern(app, 'resources/read', { uri })).result.contents)
    assert.ok((await promptOf('books_inside')).result.messages)
  })

  it('does not make the Request of the call, whose query and limits middleware sets', async () => {
    class NotesController extends WSGIController {
      static tools = ['create']
      static args = { create: { note: body(v.object({ text: v.string() })) } }

      create(note: { text: string }) {
        return { length: note.text.length, tenant: this.request.query.get('tenant') }
      }
    }
    const withTenant =
      (inner: WSGIApplication): WSGIApplication =>
      (environ, start_response) => {
        if (environ.PATH_INFO === '/notes') {
          environ.QUERY_STRING = 'tenant=a'
          Request.of(environ, { body: 100 })
        }
        return inner(environ, start_response)
      }
    const readsQuery = ({ environ }: RouteContext) => !Request.of(environ as Environ).query.has('old')
    const conditions = { method: 'POST', function: readsQuery }
    const notes = new FrameworkApp({
      map: new Mapper().connect('/notes', { controller: 'notes', action: 'create', conditions }),
      controllers: { notes: NotesController },
      middleware: [withTenant],
      mcp: {},
    })
    const create = async (length: number) => {
      const parameters = { name: 'notes_create', arguments: { note: { text: 'x'.repeat(length) } } }
      return firstText(messageOf(await modern(notes, 'tools/call', parameters)).result)
    }
    assert.equal(await create(1), '{"length":1,"tenant":"a"}')
    assert.match(await create(100), /^413 .*limit of 100 bytes/)
  })

  it('holds for prompts', async () => {
    assert.equal((await new TestApp(app, { errors: 'page' }).get('/outside', { status: 404 })).status, 404)
    const { error } = await promptOf('books_outside')
    assert.equal(error?.code, -32602)
    assert.match(error.message, /404 Not Found/)
  })
})

describe('a requirement of a route', () => {
  it('holds for prompts', async () => {
    assert.ok((await promptOf('books_review', { id: '7' })).result.messages)
    const { error } = await promptOf('books_review', { id: 'x' })
    assert.equal(error?.code, -32602)
    assert.match(error.message, /does not match \\d\+/)
  })
})

describe('a prompt whose method is an action for other methods than GET', () => {
  class OrdersController extends WSGIController {
    static prompts = { create: 'order' }

    create() {
      assert.fail('ran')
    }
  }

  class BodyController extends OrdersController {
    static args = { create: { order: body(v.object({ title: v.string() })) } }

    override create(order?: object) {
      assert.fail(`ran with ${order}`)
    }
  }

  const unsafe = new Mapper().resource('order', 'orders').connect('/{controller}/{action}')
  for (const [what, map, orders] of [
    ['by its routes', unsafe, OrdersController],
    ['by its body', new Mapper(), BodyController],
  ] as const) {
    it(`is an error ${what}`, async () => {
      logged.length = 0
      const served = new FrameworkApp({
        map,
        controllers: { orders },
        templates: { order: 'Order' },
        mcp: {},
        logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
      })
      const response = await modern(served, 'prompts/get', { name: 'orders_create' })
      assert.equal(response.status, 500)
      assert.match(logged.join('\n'), /\.prompts names "create", which is not an action for GET/)
    })
  }
})
