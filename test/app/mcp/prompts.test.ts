import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { libraryApp, messageOf, modern, seen } from './library.ts'

const app = libraryApp()

async function get(name: string, args?: unknown, headers: Record<string, string> = {}) {
  const response = await modern(app, 'prompts/get', { name, arguments: args }, { headers })
  return { response, ...messageOf(response) }
}

const text = (value: string) => [{ role: 'user', content: { type: 'text', text: value } }]

beforeEach(() => {
  seen.length = 0
})

describe('prompts', () => {
  it('are listed with their arguments', async () => {
    const { result } = messageOf(await modern(app, 'prompts/list'))
    assert.deepEqual(result.prompts, [
      {
        name: 'books_review',
        title: 'Review',
        description: 'Reviews a book.',
        arguments: [
          { name: 'id', description: 'the number of the book', required: true },
          { name: 'style', required: false },
        ],
      },
      {
        name: 'books_plain',
        title: 'Plain',
        description: 'Plain',
        arguments: [{ name: 'subject', required: true }],
      },
      { name: 'books_blocks_of', title: 'Blocks of', description: 'Blocks of', arguments: [] },
      { name: 'books_guarded', title: 'Guarded', description: 'Guarded', arguments: [] },
    ])
  })

  it('are filled by the method of their name, without escapes for HTML', async () => {
    const { result } = await get('books_review', { id: '8' })
    assert.deepEqual(result.messages, text('Review A <b> & "c" (short).'))
    assert.equal(result.description, 'Reviews a book.')
    assert.deepEqual(seen, ['GET /shelf/review/8?id=8 review'])
  })

  it('are filled by their arguments if there is no method', async () => {
    const { result } = await get('books_plain', { subject: '<i>' })
    assert.deepEqual(result.messages, text('About <i>.'))
    assert.deepEqual(seen, ['GET /books/plain?subject=%3Ci%3E plain'])
  })

  it('can be content blocks of the method', async () => {
    const { result } = await get('books_blocks_of')
    const content = { type: 'image', data: 'AA==', mimeType: 'image/png' }
    assert.deepEqual(result.messages, [{ role: 'user', content }])
  })

  it('run the hooks', async () => {
    assert.equal((await get('books_guarded')).response.status, 401)
    const { result } = await get('books_guarded', {}, { Authorization: 'Bearer good' })
    assert.deepEqual(result.messages, text('About .'))
  })

  const refused: [name: string, args: unknown, message: RegExp][] = [
    ['nope', {}, /Unknown prompt: nope/],
    ['books_review', {}, /"id" missing/],
    ['books_review', { id: 8 }, /"id" must be a string/],
    ['books_review', { id: '8', more: 'x' }, /no argument "more"/],
    ['books_review', { id: 'x' }, /400 Bad Request: id/],
    ['books_review', { id: '99' }, /404 Not Found: No such book/],
    ['books_review', [], /"arguments" must be an object/],
    ['books_plain', {}, /"subject" missing/],
  ]
  for (const [name, args, message] of refused) {
    it(`refuse ${name} with ${JSON.stringify(args)}`, async () => {
      const { error, response } = await get(name, args)
      assert.equal(response.status, 200)
      assert.equal(error?.code, -32602)
      assert.match(error?.message ?? '', message)
    })
  }
})
