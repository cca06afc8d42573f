/** The same resource with the schemas of each library: what it takes, what it sends, and its document. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import { abort, type ControllerRecord, created, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body, int } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'
import { z } from 'zod'
import { assertAnswersAsDocumented } from './random-requests.ts'

interface NewBook {
  readonly title: string
  readonly pages: number
}

interface Library {
  readonly newBook: StandardSchemaV1<unknown, NewBook>
  readonly book: StandardSchemaV1<{ readonly id: number; readonly title: string }>
}

const libraries: Readonly<Record<string, Library>> = {
  Valibot: {
    newBook: v.object({
      title: v.pipe(v.string(), v.trim(), v.minLength(1)),
      pages: v.optional(v.number(), 1),
    }),
    book: v.object({ id: v.number(), title: v.string() }),
  },
  Zod: {
    newBook: z.object({ title: z.string().trim().min(1), pages: z.number().default(1) }),
    book: z.object({ id: z.number(), title: z.string() }),
  },
  ArkType: {
    newBook: type({ title: 'string > 0', pages: 'number = 1', '+': 'delete' }),
    book: type({ id: 'number', title: 'string', '+': 'delete' }),
  },
}

for (const [name, { newBook, book }] of Object.entries(libraries)) {
  describe(`a resource with schemas of ${name}`, () => {
    const stored: { id: number; title: string; pages: number }[] = []

    class BooksController extends WSGIController {
      static args = { create: { fields: body(newBook) }, show: { id: int } }
      static results = { create: book, show: book }
      create(fields: NewBook) {
        const made = { id: stored.length + 1, ...fields }
        stored.push(made)
        return created(this.url('book', { id: made.id }), made)
      }
      show(id: number) {
        return stored[id - 1] ?? abort(404)
      }
    }
    // The schemas have one type here, so that the compiler compares less than in an application.
    const controllers: ControllerRecord = { books: BooksController }
    const app = new FrameworkApp({
      map: new Mapper().resource('book', 'books'),
      controllers,
      openapi: { title: 'Books', version: '1.0.0' },
      logger: { info() {}, warn() {}, error() {} },
    })
    const client = new TestApp(app)
    const post = (value: unknown) =>
      client.post('/books', JSON.stringify(value), {
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        status: [201, 400],
      })

    it('fills defaults, and sends what the schema of the result names only', async () => {
      const { status, text } = await post({ title: 'Emma', more: 1 })
      assert.deepEqual([status, text], [201, `{"id":${stored.length},"title":"Emma"}`])
      assert.deepEqual(stored.at(-1), { id: stored.length, title: 'Emma', pages: 1 })
    })

    it('names the field that is invalid', async () => {
      const response = await post({ title: '' })
      assert.equal(response.status, 400)
      assert.match(response.text, /"errors":\[\{"name":"title","detail":"[^"]+"\}\]/)
    })

    it('is documented with what it takes apart from what it sends', async () => {
      const { paths, components } = Object(await app.openapi())
      const taken = paths['/books'].post.requestBody.content['application/json'].schema
      const sent = components.schemas.Book
      assert.deepEqual([Object.keys(taken.properties).sort(), taken.required], [['pages', 'title'], ['title']])
      assert.deepEqual(
        [Object.keys(sent.properties), sent.required],
        [
          ['id', 'title'],
          ['id', 'title'],
        ],
      )
    })

    it('answers random requests as its document says', async () => {
      const { valid, succeeded } = await assertAnswersAsDocumented(
        { document: JSON.parse(JSON.stringify(await app.openapi())), send: (request) => app.fetch(request) },
        100,
      )
      assert.ok(valid > 20, `only ${valid} requests were valid`)
      assert.deepEqual([...succeeded].sort(), ['books_create', 'books_show'])
    })
  })
}
