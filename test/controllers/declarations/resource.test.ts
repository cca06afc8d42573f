/** A resource whose actions declare what they take and give: `static args`, `results` and `pages`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shelf } from './books.ts'

const BROWSER = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
const PROGRAM = { headers: { Accept: 'application/json' } }

describe('a result', () => {
  it('is sent to programs as its schema gives it, without the members that it removes', async () => {
    const response = await shelf().get('/books/1', PROGRAM)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'application/json')
    assert.deepEqual(response.json(), { id: 1, title: 'Walden' })
  })

  it('is shown to browsers by its page, with its members and itself', async () => {
    const response = await shelf().get('/books/1', BROWSER)
    assert.equal(response.text, '<h1>Walden</h1><p>hidden</p>')
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
    assert.equal(response.headers.get('vary'), 'Accept')
  })

  const representations: [label: string, path: string, accept: string | undefined, type: string][] = [
    ['no Accept', '/books', undefined, 'text/html'],
    ['*/*', '/books', '*/*', 'text/html'],
    ['JSON before HTML', '/books', 'application/json, text/html;q=0.9', 'application/json'],
    ['HTML before JSON', '/books', 'application/json;q=0.5, text/html', 'text/html'],
    ['XHTML before JSON', '/books', 'application/xhtml+xml, application/json;q=0.9', 'text/html'],
    ['any application', '/books', 'application/*', 'application/json'],
    ['anything but HTML', '/books', 'text/html;q=0, */*', 'application/json'],
    ['a JSON suffix, whatever Accept says', '/books.json', 'text/html', 'application/json'],
    ['an HTML suffix, whatever Accept says', '/books.html', 'application/json', 'text/html'],
    ['a JSON query', '/books?format=json', 'text/html', 'application/json'],
  ]
  for (const [label, path, accept, type] of representations) {
    it(`is ${type} for ${label}`, async () => {
      const headers = accept === undefined ? {} : { Accept: accept }
      const response = await shelf().get(path, { headers })
      assert.equal(response.headers.get('content-type')?.split(';')[0], type)
    })
  }

  it('is 406 if the client accepts neither', async () => {
    assert.equal((await shelf().get('/books', { headers: { Accept: 'image/png' } })).status, 406)
  })
})

describe('a body', () => {
  const accepted: [label: string, method: 'post' | 'postJson', body: Record<string, string>][] = [
    ['a form', 'post', { title: 'Emma', _method: 'POST' }],
    ['JSON', 'postJson', { title: 'Emma' }],
  ]
  for (const [label, method, body] of accepted) {
    it(`is converted from ${label}`, async () => {
      const response = await shelf()[method]('/books', body, PROGRAM)
      assert.equal(response.status, 201)
      assert.equal(response.headers.get('location'), '/books/2')
      assert.deepEqual(response.json(), { id: 2, title: 'Emma' })
    })
  }

  it('is answered by 303 to browsers', async () => {
    const response = await shelf().post('/books', { title: 'Emma' }, BROWSER)
    assert.deepEqual([response.status, response.headers.get('location')], [303, '/books/2'])
  })

  it('is shown again by its form with status 400, the messages and the typed text', async () => {
    const response = await shelf().post('/books', { title: '', pages: '12' }, BROWSER)
    assert.equal(response.status, 400)
    assert.equal(response.text, '<form>Please enter a title|12</form>')
  })

  it('is shown again by a form that receives its own arguments', async () => {
    const response = await shelf().post('/books/1', { _method: 'PUT', title: '' }, BROWSER)
    assert.deepEqual([response.status, response.text], [400, '<form>Walden: Please enter a title</form>'])
  })

  it('is answered to programs by a problem document', async () => {
    for (const options of [PROGRAM, {}]) {
      const response = await shelf().postJson('/books', { title: '', pages: 'x' }, options)
      assert.equal(response.status, 400)
      assert.deepEqual(response.json<{ errors: unknown }>().errors, [
        { name: 'title', detail: 'Please enter a title' },
        { name: 'pages', detail: 'must be an integer' },
      ])
    }
  })

  const refused: [label: string, type: string, body: string, status: number][] = [
    ['JSON that does not parse', 'application/json', '{', 400],
    ['JSON of another type', 'application/json', '[1]', 400],
    ['another content type', 'text/csv', 'title', 415],
    ['a body over the limit', 'application/json', JSON.stringify({ title: 'a'.repeat(2 ** 20) }), 413],
    ['NUL in a text', 'application/json', '{"title":"a\\u0000"}', 400],
  ]
  for (const [label, type, text, status] of refused) {
    it(`is ${status} for ${label}`, async () => {
      const response = await shelf().post('/books', text, {
        headers: { Accept: 'application/json', 'Content-Type': type },
      })
      assert.equal(response.status, status)
    })
  }
})

describe('an outcome', () => {
  it('of done() is 200 with the value to programs', async () => {
    const response = await shelf().putJson('/books/1', { title: 'Emma' }, PROGRAM)
    assert.deepEqual([response.status, response.json()], [200, { id: 1, title: 'Emma' }])
  })

  it('of done() without a value is 204 to programs and 303 to browsers', async () => {
    const program = await shelf().delete('/books/1', PROGRAM)
    assert.deepEqual([program.status, program.text], [204, ''])
    const browser = await shelf().delete('/books/1', BROWSER)
    assert.deepEqual([browser.status, browser.headers.get('location')], [303, '/books'])
  })
})
