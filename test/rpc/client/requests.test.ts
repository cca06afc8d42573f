import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documentOf, load } from './generated.ts'

interface Sent {
  readonly target: string
  readonly accept: string | null
  readonly type: string | null
  readonly body: string
}

/** Calls an operation and returns the request that is sent. */
async function sent(path: string, described: object, args: object, response = new Response(null)): Promise<Sent> {
  let request = new Request('http://x.test')
  const operation = { operationId: 'f', responses: { default: {} }, ...described }
  const api = (await load(documentOf({ [path]: { post: operation } }))).createClient({
    baseUrl: 'http://x.test/base//',
    async fetch(url, init) {
      request = new Request(url, init)
      return response
    },
  })
  await api.f?.(args)
  return {
    target: request.url.slice('http://x.test'.length),
    accept: request.headers.get('accept'),
    type: request.headers.get('content-type'),
    body: await request.text(),
  }
}

const query = { parameters: [{ name: 'q', in: 'query' }] }
const path = (...names: string[]) => ({
  parameters: names.map((name) => ({ name, in: 'path', required: true })),
})
const body = (type: string, schema: object = {}) => ({ requestBody: { content: { [type]: { schema } } } })

describe('the requests of a client', () => {
  const targets: [what: string, path: string, described: object, args: object, target: string][] = [
    ['arrays', '/a', query, { q: [1, 'b c', undefined] }, '/base/a?q=1&q=b%20c'],
    ['objects as parameters', '/a', query, { q: { a: 1, b: undefined, c: 'd' } }, '/base/a?a=1&c=d'],
    ['null, false and zero', '/a', query, { q: [null, false, 0, ''] }, '/base/a?q=&q=false&q=0&q='],
    ['a query behind that of the path', '/a?b=c', query, { q: 1 }, '/base/a?b=c&q=1'],
    ['a path without a slash', 'a', {}, {}, '/base/a'],
    ['path values', '/{a}/{b}.json', path('a', 'b'), { a: 'x/ü?#', b: '..' }, '/base/x%2F%C3%BC%3F%23/...json'],
    ['lists in a path', '/{a}', path('a'), { a: [1, 2] }, '/base/1,2'],
    ['no inherited values', '/a', { parameters: [{ name: 'toString', in: 'query' }] }, {}, '/base/a'],
  ]
  for (const [what, path, described, args, target] of targets) {
    it(`have ${what}`, async () => {
      assert.equal((await sent(path, described, args)).target, target)
    })
  }

  const bodies: [type: string, value: unknown, header: string | null, text: string][] = [
    ['application/json', { a: [1, undefined], b: undefined }, 'application/json', '{"a":[1,null]}'],
    ['application/vnd.x+json', null, 'application/vnd.x+json', 'null'],
    [
      'application/x-www-form-urlencoded',
      { a: ['x y', 'ü'], b: undefined, c: { d: 1 }, e: null },
      'application/x-www-form-urlencoded;charset=UTF-8',
      'a=x+y&a=%C3%BC&c=%7B%22d%22%3A1%7D&e=',
    ],
    ['text/csv', 'a;b', 'text/csv', 'a;b'],
    ['image/*', new Blob(['x'], { type: 'image/png' }), 'image/png', 'x'],
    ['application/json', undefined, null, ''],
  ]
  for (const [type, value, header, text] of bodies) {
    it(`have ${JSON.stringify(value)} as ${type}`, async () => {
      const request = await sent('/a', body(type), { body: value })
      assert.deepEqual([request.type, request.body], [header, text])
    })
  }

  it('have a form for files', async () => {
    const content = { 'application/json': {}, 'multipart/form-data': {} }
    const form = await sent('/a', { requestBody: { content } }, { body: { a: [new Blob(['x'])] } })
    assert.match(form.type ?? '', /^multipart\/form-data; boundary=/)
    assert.match(form.body, /name="a"; filename="blob"/)
  })

  it('refuse a form that is no object', async () => {
    await assert.rejects(sent('/a', body('multipart/form-data'), { body: 'a' }), TypeError)
  })

  it('have the headers of parameters', async () => {
    const parameters = [{ name: 'Accept-Language', in: 'header' }]
    const api = (await load(documentOf({ '/a': { get: { operationId: 'f', parameters } } }))).createClient({
      baseUrl: '',
      fetch: async (_url, { headers }) => {
        assert.equal(new Headers(headers).get('accept-language'), 'de,en')
        return new Response(null)
      },
    })
    await api.f?.({ 'Accept-Language': ['de', 'en'] })
  })

  const results: [types: string[], accept: string, response: [string, string], result: unknown][] = [
    [['application/json', 'text/html'], 'application/json', ['application/json; charset=utf-8', '[1]'], [1]],
    [['application/json'], 'application/json', ['application/hal+json', '{}'], {}],
    [['application/vnd.x+json'], 'application/vnd.x+json, application/json;q=0.9', ['application/json', '{}'], {}],
    [['text/csv', 'text/plain'], 'text/csv, text/plain, application/json;q=0.9', ['TEXT/Plain', 'a'], 'a'],
    [['text/*'], 'text/*, application/json;q=0.9', ['text/html', 'a'], 'a'],
  ]
  for (const [types, accept, [type, text], expected] of results) {
    it(`accept ${types.join(' and ')}, and read ${type}`, async () => {
      const content = Object.fromEntries(types.map((each) => [each, {}]))
      const document = documentOf({ '/a': { get: { operationId: 'f', responses: { 200: { content } } } } })
      const api = (await load(document)).createClient({
        baseUrl: '/relative',
        async fetch(url, { headers }) {
          assert.deepEqual([url, new Headers(headers).get('accept')], ['/relative/a', accept])
          return new Response(text, { headers: { 'content-type': type } })
        },
      })
      assert.deepEqual(await api.f?.(), expected)
    })
  }

  it('return a text as it is, where the document allows text as JSON and as HTML', async () => {
    const content = { 'application/json': { schema: { type: 'string' } }, 'text/html': {} }
    const document = documentOf({ '/a': { get: { operationId: 'f', responses: { 200: { content } } } } })
    const answers = [
      new Response('plain', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
      new Response('"quoted"', { headers: { 'content-type': 'application/json' } }),
    ]
    const api = (await load(document)).createClient({
      baseUrl: '',
      fetch: async () => answers.shift() ?? assert.fail(),
    })
    assert.deepEqual([await api.f?.(), await api.f?.()], ['plain', 'quoted'])
  })

  it('return files and streams as they are', async () => {
    const content = { 'image/*': {} }
    const stream = { responses: { 200: { content: { 'text/event-stream': {} } } }, operationId: 'g' }
    const document = documentOf({
      '/a': { get: { operationId: 'f', responses: { 200: { content } } } },
      '/b': { get: stream },
    })
    const api = (await load(document)).createClient({
      baseUrl: '',
      fetch: async (url) =>
        new Response('x', { headers: { 'content-type': url === '/a' ? 'image/png' : 'text/event-stream' } }),
    })
    const file = await api.f?.()
    assert.ok(file instanceof Blob)
    assert.equal(file.type, 'image/png')
    assert.ok((await api.g?.()) instanceof Response)
  })

  it('ignore members of problem details with another type', async () => {
    const api = (await load(documentOf({ '/a': { get: { operationId: 'f' } } }))).createClient({
      baseUrl: '',
      fetch: async () =>
        new Response('{"title":1,"status":400,"detail":"d","errors":[{}],"more":[1]}', {
          status: 400,
          headers: { 'content-type': 'application/problem+json' },
        }),
    })
    await assert.rejects(api.f?.() ?? assert.fail(), (error: { problem: unknown }) => {
      assert.deepEqual(error.problem, { status: 400, detail: 'd', more: [1] })
      return true
    })
  })
})
