import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body, bool, int, optional } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

const Book = v.object({
  title: v.string(),
  pages: v.number(),
  sold: v.boolean(),
  year: v.nullish(v.number(), null),
})
const texts = { pages: int, sold: optional(bool, false), year: optional(int) }

class BooksController extends WSGIController {
  static args = { create: { book: body(Book, { texts }) } }
  static results = { create: Book }

  create(book: v.InferOutput<typeof Book>) {
    return book
  }
}

const app = new FrameworkApp({
  map: new Mapper().connect('/books', { controller: 'books', action: 'create' }),
  controllers: { books: BooksController },
  openapi: { title: 'Books', version: '1' },
})
const client = new TestApp(app, { headers: { accept: 'application/json' } })

describe('texts of a form are converted', () => {
  const table: [form: Record<string, string>, result: unknown][] = [
    [
      { title: '1', pages: '7', sold: 'true', year: '' },
      { title: '1', pages: 7, sold: true, year: null },
    ],
    [
      { title: 'x', pages: '7' },
      { title: 'x', pages: 7, sold: false, year: null },
    ],
    [{ title: 'x', pages: 'x', year: 'y' }, ['pages', 'year']],
    [{ title: 'x' }, ['pages']],
    [{}, ['title', 'pages']],
  ]
  for (const [form, result] of table) {
    test(JSON.stringify(form), async () => {
      const response = await client.post('/books', form)
      const sent = response.json<{ errors?: { name: string }[] }>()
      assert.deepEqual(sent.errors?.map(({ name }) => name) ?? sent, result)
    })
  }
})

test('JSON has values of its own types', async () => {
  const book = { title: 'x', pages: 7, sold: true, year: null }
  assert.deepEqual((await client.postJson('/books', book)).json(), book)
  assert.equal((await client.postJson('/books', { ...book, pages: '7' })).status, 400)
})

test('the document describes the texts of the form', async () => {
  const document = JSON.parse(JSON.stringify(await app.openapi()))
  const { content } = document.paths['/books'].post.requestBody
  const { properties, required } = content['application/x-www-form-urlencoded'].schema
  assert.deepEqual([properties.pages.type, properties.sold.type], ['string', 'string'])
  assert.deepEqual(required, ['title', 'pages'])
})

test('a text that is not a schema is refused', () => {
  // @ts-expect-error a converter is missing
  assert.throws(() => body(Book, { texts: { pages: 'int' } }), /texts\.pages is not a Standard Schema/)
})
