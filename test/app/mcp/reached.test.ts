/** Tools and resources whose routes are behind routes that receive their requests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { firstText, logged, messageOf, modern } from './library.ts'

class BooksController extends WSGIController {
  static tools = ['export']

  show(id: string) {
    return { id }
  }

  export() {
    return { exported: true }
  }
}

class ReadBooksController extends BooksController {
  static override tools = []
  static resources = ['export']
}

const DEFAULT = '/{controller}/{action}'

async function callExport(map: Mapper<unknown>, books = BooksController) {
  const app = new FrameworkApp({
    map,
    controllers: { books },
    mcp: {},
    logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
  })
  logged.length = 0
  const response = await modern(app, 'tools/call', { name: 'books_export', arguments: {} })
  return { status: response.status, message: messageOf(response), logged: logged.join('\n') }
}

async function assertCalled(map: Mapper<unknown>) {
  assert.equal(firstText((await callExport(map)).message.result), '{"exported":true}')
}

describe('a tool whose route is behind another one', () => {
  it('is called by another route', async () => {
    const map = new Mapper()
      .connect('/books/{id}', { controller: 'books', action: 'show' })
      .connect('/books/export', { controller: 'books', action: 'export' })
      .connect('/export', { controller: 'books', action: 'export' })
    await assertCalled(map)
  })

  it('is called by another method', async () => {
    const map = new Mapper().resource('book', 'books').connect('/books/export', {
      controller: 'books',
      action: 'export',
      conditions: { method: ['GET', 'POST'] },
    })
    await assertCalled(map)
  })

  it('is an error that names both routes if it has no other', async () => {
    const map = new Mapper().resource('book', 'books', { only: ['show'] }).connect(DEFAULT)
    for (const [controller, list] of [
      [BooksController, 'tools'],
      [ReadBooksController, 'resources'],
    ] as const) {
      const { status, logged } = await callExport(map, controller)
      assert.equal(status, 500)
      assert.match(
        logged,
        new RegExp(`${controller.name}\\.${list} names "export", but its route /\\{controller\\}/\\{action\\}`),
      )
      assert.match(logged, /is never reached: \/books\/\{id\}\S* is defined before it/)
    }
  })

  it('is called if the route before it leads to the same action or to some of the paths', async () => {
    const same = new Mapper().connect('/books/{action:export|list}', { controller: 'books' }).connect(DEFAULT)
    await assertCalled(same)
    const some = new Mapper().connect('/books/{id:\\d+}', { controller: 'books', action: 'show' }).connect(DEFAULT)
    await assertCalled(some)
  })
})
