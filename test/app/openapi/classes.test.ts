/** The document and the tools after the controllers have changed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, type FrameworkAppOptions, Mapper, WSGIController } from 'propylon'
import * as v from 'valibot'
import { messageOf, modern } from '../mcp/library.ts'

class ThingsController extends WSGIController {
  static tools = ['index']
  static results = { index: v.array(v.string()) }

  index() {
    return ['one']
  }
}
class BooksController extends ThingsController {}
class AuthorsController extends ThingsController {}

type Controllers = Record<string, object>

/** Returns an application whose record of controllers can be changed. */
function library(controllers: Controllers): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper().resource('author', 'authors', { only: ['index'] }).resource('book', 'books', { only: ['index'] }),
    controllers: controllers as FrameworkAppOptions['controllers'],
    mcp: {},
    openapi: { title: 'Library', version: '1.0.0' },
  })
}

async function documented(app: FrameworkApp): Promise<string[]> {
  return Object.keys((await app.openapi())?.paths ?? {}).map((path) => path.slice(1))
}

async function listed(app: FrameworkApp): Promise<string[]> {
  const { result } = messageOf(await modern(app, 'tools/list'))
  return (result.tools as { name: string }[]).map(({ name }) => name.replace('_index', '')).toSorted()
}

const addAuthors = (controllers: Controllers) => {
  controllers.authors = AuthorsController
}

for (const [what, read] of [
  ['the document', documented],
  ['the list of tools', listed],
] as const) {
  describe(what, () => {
    it('has a controller that is found after SIGHUP', async () => {
      const controllers: Controllers = { books: BooksController }
      const app = library(controllers)
      for (const _time of [1, 2, 3]) assert.deepEqual(await read(app), ['books'])
      addAuthors(controllers)
      app.onHangup()
      assert.deepEqual(await read(app), ['authors', 'books'])
    })

    for (const [title, initial, change, expected] of [
      ['has a controller that is added while another one loads', {}, addAuthors, ['authors', 'books']],
      [
        'lacks a controller that is removed while another one loads',
        { authors: AuthorsController },
        (controllers: Controllers) => void delete controllers.authors,
        ['books'],
      ],
    ] as const) {
      it(title, async () => {
        const started = Promise.withResolvers<void>()
        const module = Promise.withResolvers<object>()
        const books = () => {
          started.resolve()
          return module.promise
        }
        const controllers: Controllers = { ...initial, books }
        const app = library(controllers)
        const first = read(app)
        await started.promise
        change(controllers)
        app.controllers.scan()
        module.resolve({ BooksController })
        assert.deepEqual(await first, [...Object.keys(initial), 'books'])
        assert.deepEqual(await read(app), expected)
      })
    }
  })
}
