import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, type ProblemsOption, WSGIController } from 'propylon'
import { int } from 'propylon/converters'
import * as v from 'valibot'
import { generate, load } from './generated.ts'

class BooksController extends WSGIController {
  static args = { show: { id: int } }
  static results = { show: v.object({ id: v.number() }) }
  show(id: number) {
    if (id === 0) throw new Error('secret')
    return { id }
  }
}

const schema = v.object({ errors: v.object({ body: v.array(v.string()) }) })
const body: ProblemsOption['body'] = ({ title, detail }) => ({ errors: { body: [detail ?? title] } })

async function clientOf(problems: ProblemsOption) {
  const app = new FrameworkApp({
    map: new Mapper().connect('/books/{id}', { controller: 'books', action: 'show' }),
    controllers: { books: BooksController },
    openapi: { title: 'Books', version: '1' },
    logger: { info() {}, warn() {}, error() {} },
    problems,
  })
  const document = await app.openapi()
  const { createClient } = await load(document)
  const { books } = createClient({
    baseUrl: 'http://localhost',
    fetch: (url, init) => app.fetch(new Request(url, init)),
  }) as unknown as { books: { show(args: object): Promise<unknown> } }
  return { text: readFileSync(generate(document), 'utf8'), books }
}

describe('the errors of a generated client', () => {
  for (const contentType of ['application/json', 'application/vnd.api+json; charset=utf-8']) {
    it(`have the form of the application as ${contentType}`, async () => {
      const { text, books } = await clientOf({ schema, contentType, body })
      assert.match(text, /export type ApiProblem = Problem$/m)
      assert.match(text, /export type Problem = \{ errors: \{ body: string\[\] \} \}$/m)
      await assert.rejects(books.show({ id: 'x' }), {
        status: 404,
        problem: { errors: { body: ['The resource could not be found.'] } },
      })
      await assert.rejects(books.show({ id: 0 }), ({ status }: { status: number }) => status === 500)
    })
  }

  it('are unknown without a schema', async () => {
    const { text, books } = await clientOf({ body: () => ['no'] })
    assert.match(text, /export type ApiProblem = unknown$/m)
    await assert.rejects(books.show({ id: 'x' }), { problem: ['no'] })
  })
})
