import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import * as v from 'valibot'
import { BooksController } from '../../controllers/declarations/books.ts'
import { documentOf, Mapper, operationsIn } from './documents.ts'

const Text = v.object({ text: v.string() })
type Text = v.InferOutput<typeof Text>

class PagesController extends WSGIController {
  static args = { save: { page: body(Text) } }
  static results = { index: Text, save: Text, show_all: Text, ping: null }
  index() {
    return { text: '' }
  }
  save(page: Text) {
    return page
  }
  show_all() {
    return { text: '' }
  }
  ping() {}
  hidden() {
    return ''
  }
}

const controllers = { pages: PagesController, 'admin/pages': PagesController, 'a-b': PagesController }

async function operations(connect: (map: Mapper) => unknown): Promise<string[]> {
  const map = new Mapper()
  connect(map)
  return operationsIn(await documentOf(map, controllers))
}

describe('the operations of a document', () => {
  it('are the actions of a resource that static results names', async () => {
    const document = await documentOf(new Mapper().resource('book', 'books'), { books: BooksController })
    assert.deepEqual(operationsIn(document), [
      'POST /books books_create',
      'GET /books books_index',
      'PUT /books/{id} books_update',
      'DELETE /books/{id} books_delete',
      'GET /books/{id} books_show',
    ])
  })

  const get = { conditions: { method: 'GET' } }
  const tables: [string, (map: Mapper) => unknown, string[]][] = [
    [
      'replaces slashes and dashes in the identifier',
      (map) =>
        map
          .connect('/x', { controller: 'admin/pages', action: 'show-all' })
          .connect('/y', { controller: 'a-b', action: 'show_all' }),
      ['GET /x admin_pages_show_all', 'GET /y a_b_show_all'],
    ],
    [
      'has index if a route names no action',
      (map) => map.connect('/x', { controller: 'pages' }),
      ['GET /x pages_index'],
    ],
    [
      'adds the method and a number to the identifiers of further operations',
      (map) =>
        map
          .connect('/x', { controller: 'pages', action: 'save', conditions: { method: ['POST', 'PUT'] } })
          .connect('/y', { controller: 'pages', action: 'save', conditions: { method: 'PUT' } })
          .connect('/z', { controller: 'pages', action: 'save', conditions: { method: 'PUT' } }),
      ['POST /x pages_save', 'PUT /x pages_save_put', 'PUT /y pages_save_put_2', 'PUT /z pages_save_put_3'],
    ],
    [
      'uses POST for an action that takes a body, and GET for others, if the route names no method',
      (map) =>
        map
          .connect('/x', { controller: 'pages', action: 'save' })
          .connect('/y', { controller: 'pages', action: 'index' }),
      ['POST /x pages_save', 'GET /y pages_index'],
    ],
    [
      'uses an unsafe method for an action to which other routes give unsafe methods only',
      (map) =>
        map
          .connect('/x', { controller: 'pages', action: 'ping', conditions: { method: ['DELETE', 'PUT'] } })
          .connect('/y', { controller: 'pages', action: 'ping' }),
      ['DELETE /x pages_ping', 'PUT /x pages_ping_put', 'DELETE /y pages_ping_delete'],
    ],
    [
      'leaves out HEAD, OPTIONS, TRACE and unknown methods',
      (map) =>
        map.connect('/x', {
          controller: 'pages',
          action: 'index',
          conditions: { method: ['HEAD', 'OPTIONS', 'TRACE', 'REPORT', 'PATCH'] },
        }),
      ['PATCH /x pages_index'],
    ],
    [
      'leaves out routes with an open controller or action, redirects, static routes, mounted applications and other actions',
      (map) =>
        map
          .connect('/{controller}/x', { action: 'index' })
          .connect('/pages/{action}', { controller: 'pages' })
          .connect('/site', 'https://example.com', { static: true })
          .redirect('/old', '/new')
          .connect('/mount/{path_info:.*}', { controller: 'pages', action: 'index' })
          .connect('/hidden', { controller: 'pages', action: 'hidden' })
          .connect('/nobody', { controller: 'nobody', action: 'index' }),
      [],
    ],
    [
      'writes a path with an optional format once, without it',
      (map) => map.connect('/x{.format}', { controller: 'pages', action: 'index', ...get }),
      ['GET /x pages_index'],
    ],
    [
      'has one of two routes that differ in requirements only',
      (map) =>
        map
          .connect('/x/{id:[0-9]+}', { controller: 'pages', action: 'index', ...get })
          .connect('/x/{name}', { controller: 'pages', action: 'show_all', ...get }),
      ['GET /x/{id} pages_index'],
    ],
    [
      'uses the names of the first path for others of the same shape',
      (map) =>
        map
          .connect('/x/{id}', { controller: 'pages', action: 'index', ...get })
          .connect('/x/{name}', { controller: 'pages', action: 'save', conditions: { method: 'PUT' } }),
      ['GET /x/{id} pages_index', 'PUT /x/{id} pages_save'],
    ],
    [
      'encodes literal text',
      (map) => map.connect('/caf\u00e9/\\{x\\}', { controller: 'pages', action: 'index' }),
      ['GET /caf%C3%A9/%7Bx%7D pages_index'],
    ],
  ]
  for (const [what, connect, expected] of tables) {
    it(what, async () => assert.deepEqual(await operations(connect), expected))
  }

  it('leave out methods that the class does not answer', async () => {
    class WriteController extends WSGIController {
      static allow = ['POST']
      static results = { index: Text }
      index() {
        return { text: '' }
      }
    }
    const map = new Mapper()
      .connect('/x', { controller: 'write' })
      .connect('/y', { controller: 'write', conditions: { method: ['GET', 'POST'] } })
    const document = await documentOf(map, { write: WriteController })
    assert.deepEqual(operationsIn(document), ['POST /x write_index', 'POST /y write_index_post'])
  })

  it('have identifiers that differ in more than case, underscores and hyphens', async () => {
    class ItemsController extends WSGIController {
      static results = { delete: null, delete_: null, Delete: null, show: null }
      delete() {}
      delete_() {}
      Delete() {}
      show() {}
    }
    const map = new Mapper()
    for (const action of ['delete', 'delete_', 'Delete', 'show'])
      map.connect(`/${action}`, { controller: 'items', action })
    assert.deepEqual(operationsIn(await documentOf(map, { items: ItemsController })), [
      'GET /delete items_delete',
      'GET /delete_ items_delete__2',
      'GET /Delete items_Delete_3',
      'GET /show items_show',
    ])
  })
})
