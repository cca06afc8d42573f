import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type ServerHandle, serve } from 'propylon/node'
import { last, libraryApp } from './library-app.ts'
import { ApiError, type Client, createClient } from './library-client.ts'

/** Returns the ApiError with which a call ends. */
async function failure(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ApiError, String(error))
  return error
}

describe('a generated client', () => {
  let server: ServerHandle
  let api: Client
  before(async () => {
    server = await serve(libraryApp(), { port: 0, scriptName: '/the library' })
    api = createClient({ baseUrl: `${server.url}/the%20library/` })
  })
  after(() => server?.close())

  it('sends arguments by their names, and returns the JSON of the response', async () => {
    assert.deepEqual(await api.books.show({ id: 3 }), { id: 3, title: 'Emma', year: 1815 })
    assert.deepEqual(
      [last.method, last.url, last.headers.accept],
      ['GET', '/the%20library/books/3', 'application/json'],
    )
  })

  it('repeats arrays in the query and leaves out undefined', async () => {
    const list = await api.books.index({ page: undefined, tag: ['a b', 'ü&='] })
    assert.deepEqual(list, { items: [{ id: 1, title: 'a b|ü&=', year: null }], page: 1 })
    assert.equal(last.url, '/the%20library/books?tag=a%20b&tag=%C3%BC%26%3D')
    await api.books.index()
    assert.equal(last.url, '/the%20library/books')
    assert.equal((await api.books.index({ page: 2, tag: [] })).page, 2)
  })

  it('sends a body as JSON, under the name that the document gives it', async () => {
    assert.deepEqual(await api.books.create({ book: { title: 'Emma', year: 1815 } }), {
      id: 2,
      title: 'Emma',
      year: 1815,
    })
    assert.deepEqual([last.method, last.headers['content-type']], ['POST', 'application/json'])
    assert.deepEqual(await api.books.update({ id: 3, book: { title: 'New' } }), {
      id: 3,
      title: 'New',
      year: null,
    })
  })

  it('returns undefined for 204, and text as it is', async () => {
    assert.equal(await api.books.delete({ id: 3 }), undefined)
    assert.equal(await api.books.text({ id: 'a/b ü.. %2e' }), 'The text of a/b ü.. %2e')
  })

  it('sends files as a multipart form', async () => {
    const photo = new File(['abc'], 'a "b".png', { type: 'image/png' })
    const page = new Blob(['12'], { type: 'text/plain' })
    assert.deepEqual(await api.books.cover({ id: 3, cover: { photo, pages: [page, page], title: 'ü' } }), {
      size: 4,
    })
    assert.equal(
      last.headers.parts,
      'title=ü photo:a "b".png:image/png:3 pages:blob:text/plain:2 pages:blob:text/plain:2',
    )
  })

  it('calls an operation that is a group too', async () => {
    assert.deepEqual(await api.admin.reports(), ['years'])
    assert.equal(await api.admin.reports.index(), 3)
    assert.equal(await api.admin.reports.index_post(), undefined)
  })

  it('throws an ApiError with the problem details', async () => {
    const missing = await failure(api.books.show({ id: 404 }))
    assert.deepEqual(
      [missing.name, missing.status, missing.message, missing.problem?.detail],
      ['ApiError', 404, 'GET /books/{id}: 404 Not Found: No such book.', 'No such book.'],
    )
    assert.deepEqual(await missing.response.json(), missing.problem)
    const invalid = await failure(api.books.create({ book: { title: '' } }))
    assert.deepEqual(invalid.problem?.errors, [{ name: 'title', detail: 'Enter a title.' }])
  })

  it('throws an ApiError without problem details if there are none', async () => {
    const error = await failure(api.books.show({ id: 500 }))
    assert.deepEqual([error.status, error.problem], [500, undefined])
    assert.match(error.message, /^GET \/books\/\{id\}: 500/)
    assert.equal(await error.response.text(), '<h1>Broken</h1>')
  })

  for (const [what, call, message] of [
    [
      'a page after a redirect',
      () => api.books.index({ page: 303 }),
      /^GET \/books was answered with text\/html, after a redirect to http:.*\/pages\. The API describes application\/json\.$/,
    ],
    [
      'a redirect of a body, which is not repeated',
      () => api.books.create({ book: { title: 'redirected' } }),
      /^POST \/books was redirected to \S*\/pages\. Bodies are not sent there\.$/,
    ],
    [
      'a status that is not described',
      () => api.books.show({ id: 202 }),
      /^GET \/books\/\{id\} was answered with the status 202\. The API describes 200\.$/,
    ],
    [
      'malformed JSON',
      () => api.books.show({ id: 9 }),
      /^GET \/books\/\{id\} was answered with malformed JSON: "{\\"id\\":"\.$/,
    ],
  ] as const) {
    it(`does not return ${what}`, async () => {
      assert.match((await failure(call())).message, message)
    })
  }

  for (const id of ['.', '..', '']) {
    it(`refuses '${id}' as a segment of the path`, async () => {
      await assert.rejects(api.books.text({ id }), TypeError)
    })
  }

  it('ends a call with the reason of its signal', async () => {
    const reason = new Error('left the page')
    const ended = AbortSignal.abort(reason)
    await assert.rejects(api.books.show({ id: 3 }, { signal: ended }), (error) => error === reason)
    const controller = new AbortController()
    const slow = createClient({
      baseUrl: `${server.url}/the%20library`,
      fetch: (_url, init) => {
        const response = fetch(`${server.url}/the%20library/slow/1`, init)
        controller.abort(reason)
        return response
      },
    })
    await assert.rejects(slow.books.show({ id: 3 }, { signal: controller.signal }), (error) => error === reason)
  })

  it('passes errors of the network on', async () => {
    const nowhere = createClient({ baseUrl: 'http://127.0.0.1:1' })
    await assert.rejects(nowhere.books.show({ id: 3 }), (error) => !(error instanceof ApiError))
  })

  it('sends headers, also of a function', async () => {
    const baseUrl = new URL(`${server.url}/the%20library`)
    await createClient({ baseUrl, headers: { authorization: 'Bearer a' } }).books.show({ id: 3 })
    assert.deepEqual([last.headers.authorization, last.url], ['Bearer a', '/the%20library/books/3'])
    let token = 0
    const changing = createClient({ baseUrl, headers: async () => ({ authorization: `Bearer ${++token}` }) })
    await changing.books.show({ id: 3 })
    await changing.books.show({ id: 3 })
    assert.equal(last.headers.authorization, 'Bearer 2')
  })

  it('calls an application in process by its fetch', async () => {
    const app = libraryApp()
    const inside = createClient({
      baseUrl: 'http://localhost',
      fetch: (url, init) => app.fetch(new Request(url, init)),
    })
    assert.equal((await inside.books.show({ id: 3 })).title, 'Emma')
    assert.equal((await failure(inside.books.show({ id: 404 }))).status, 404)
  })
})
