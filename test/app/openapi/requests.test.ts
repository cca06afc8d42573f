import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { BooksController, reset, TEMPLATES } from '../../controllers/declarations/books.ts'
import { assertAnswersAsDocumented } from './random-requests.ts'

const app = new FrameworkApp({
  map: new Mapper().resource('book', 'books'),
  controllers: { books: BooksController },
  templates: TEMPLATES,
  logger: { info() {}, warn() {}, error() {} },
  openapi: { title: 'Books', version: '1.0.0' },
})

describe('random requests made from the document', () => {
  it('are never answered by 5xx, and as the document says', async () => {
    const { valid, succeeded } = await assertAnswersAsDocumented({
      document: JSON.parse(JSON.stringify(await app.openapi())),
      send: (request) => app.fetch(request),
      reset,
      // `pages` takes texts, but those of integers only.
      isBeyondSchema: ({ status, errors }) =>
        status === 400 && errors.length > 0 && errors.every(({ name }) => name === 'pages'),
    })
    assert.ok(valid > 50, `only ${valid} requests were valid`)
    assert.deepEqual(
      [...succeeded].sort(),
      ['create', 'delete', 'index', 'show', 'update'].map((action) => `books_${action}`),
    )
  })

  const problem = { type: 'about:blank', title: 'Bad Request', status: 400 }
  const json = (value: object, status: number, type = 'application/json') =>
    new Response(JSON.stringify(value), { status, headers: { 'Content-Type': type } })
  const wrong: [string, Response, RegExp][] = [
    ['an error of the server', json(problem, 500, 'application/problem+json'), /not documented: POST/],
    ['a result of another shape', json({ id: 'one' }, 201), /must have required property 'title'/],
    ['another type', json({ id: 1, title: '' }, 201, 'text/csv'), /of the undocumented type text\/csv/],
    ['a refusal of what is valid', json(problem, 400, 'application/problem+json'), /valid, but refused: POST/],
  ]
  for (const [what, answer, message] of wrong) {
    it(`show ${what}`, async () => {
      reset()
      const answers = assertAnswersAsDocumented({
        document: JSON.parse(JSON.stringify(await app.openapi())),
        send: async (request) => (request.method === 'POST' ? answer.clone() : app.fetch(request)),
        isBeyondSchema: ({ errors }) => errors.length > 0,
      })
      await assert.rejects(answers, ({ cause }: Error) => message.test(String(cause)))
    })
  }
})
