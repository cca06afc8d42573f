import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { libraryApp, logged, messageOf, modern, seen } from './library.ts'

const app = libraryApp()

async function read(uri: unknown, options?: Parameters<typeof modern>[3]) {
  const response = await modern(app, 'resources/read', { uri }, options)
  return { response, ...messageOf(response) }
}

beforeEach(() => {
  seen.length = 0
  logged.length = 0
})

describe('resources/list', () => {
  it('has the resources without required arguments', async () => {
    const { result } = messageOf(await modern(app, 'resources/list'))
    const { resources, cacheScope } = result
    assert.equal(cacheScope, 'public')
    assert.deepEqual((resources as { uri: string }[]).map(({ uri }) => uri).sort(), [
      'http://localhost/books',
      'http://localhost/shelf/cached',
      'http://localhost/shelf/fails',
      'http://localhost/shelf/gone',
      'http://localhost/shelf/leave',
      'http://localhost/shelf/page',
      'http://localhost/shelf/secret',
    ])
    assert.deepEqual((resources as object[])[0], {
      uri: 'http://localhost/books',
      name: 'books_index',
      title: 'List books',
      description: 'Lists the books.',
      mimeType: 'application/json',
    })
  })

  it('has templates of the resources with arguments', async () => {
    const { result } = messageOf(await modern(app, 'resources/templates/list'))
    const { resourceTemplates } = result as { resourceTemplates: { uriTemplate: string }[] }
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      [
        'http://localhost/books{?page,tags}',
        'http://localhost/books/{id}',
        'http://localhost/shelf/cover/{id}',
        'http://localhost/shelf/search{?q}',
      ],
    )
  })
})

describe('resources/read', () => {
  const found: [uri: string, contents: object, request: string][] = [
    [
      'http://localhost/books/7',
      { mimeType: 'application/json', text: '{"id":7,"title":"Emma"}' },
      'GET /books/7 show',
    ],
    ['http://localhost/books/7.html', { mimeType: 'text/html', text: '<h1>Emma</h1>' }, 'GET /books/7.html show'],
    ['http://localhost/shelf/cover/7', { mimeType: 'image/png', blob: 'Bw==' }, 'GET /shelf/cover/7 cover'],
    [
      'http://localhost/shelf/search?q=a%20b',
      { mimeType: 'text/plain', text: 'a b' },
      'GET /shelf/search?q=a%20b search',
    ],
  ]
  for (const [uri, contents, request] of found) {
    it(`of ${uri} is the request ${request}`, async () => {
      const { response, result } = await read(uri)
      assert.equal(response.status, 200)
      assert.deepEqual(result.contents, [{ uri, ...contents }])
      assert.deepEqual(seen, [request])
    })
  }

  const unknown: [why: string, uri: string, reached: number][] = [
    ['another host', 'http://other/books/7', 0],
    ['another scheme', 'https://localhost/books/7', 0],
    ['another port', 'http://localhost:81/books/7', 0],
    ['a user', 'http://me@localhost/books/7', 0],
    ['a host that begins like this one', 'http://localhost.evil/books/7', 0],
    ['no path', 'http://localhost', 0],
    ['a fragment', 'http://localhost/books/7#x', 0],
    ['a path without a route', 'http://localhost/nothing', 0],
    ['an action that is no resource', 'http://localhost/shelf/forbidden', 0],
    ['an action that is a tool only', 'http://localhost/shelf/whoami', 0],
    ['the server itself', 'http://localhost/mcp', 0],
    ['a malformed escape', 'http://localhost/books/%zz', 0],
    ['a blank', 'http://localhost/books/7 8', 0],
    ['a book that does not exist', 'http://localhost/books/99', 1],
    ['an argument that does not convert', 'http://localhost/books/x', 0],
    ['no URI', 'books', 0],
  ]
  for (const [why, uri, reached] of unknown) {
    it(`refuses ${why}`, async () => {
      const { response, error } = await read(uri)
      assert.equal(response.status, 200)
      assert.deepEqual(error, { code: -32602, message: 'Resource not found', data: { uri } })
      assert.equal(seen.length, reached)
    })
  }

  it('names other problems', async () => {
    const uri = 'http://localhost/shelf/gone'
    assert.deepEqual((await read(uri)).error, {
      code: -32602,
      message: '410 Gone: It was sold.',
      data: { uri },
    })
    const leave = 'http://localhost/shelf/leave'
    assert.match((await read(leave)).error?.message ?? '', /302 Found/)
  })

  it('answers 401 by HTTP', async () => {
    assert.equal((await read('http://localhost/shelf/secret')).response.status, 401)
  })

  it('hides and logs unexpected errors', async () => {
    const { error } = await read('http://localhost/shelf/fails')
    assert.deepEqual(error, { code: -32603, message: 'Internal error' })
    assert.match(logged[0] ?? '', /swordfish/)
  })

  it('requires a URI', async () => {
    assert.equal((await read(undefined, { headers: { 'Mcp-Name': 'undefined' } })).error?.code, -32602)
  })

  it('has hints for caches: private behind a hook, and the age of the response', async () => {
    const { ttlMs, cacheScope } = (await read('http://localhost/shelf/cached')).result
    assert.deepEqual([ttlMs, cacheScope], [60_000, 'private'])
  })

  const hints: [cacheControl: string | undefined, vary: string | undefined, headers: object, hint: unknown[]][] = [
    [undefined, undefined, {}, [0, 'private']],
    ['max-age=5', undefined, {}, [5000, 'private']],
    ['public, max-age=5', undefined, {}, [5000, 'public']],
    ['public, max-age=5', 'Accept, Cookie', {}, [5000, 'private']],
    ['public, max-age=5', '*', {}, [5000, 'private']],
    ['public, no-store, max-age=5', undefined, {}, [0, 'private']],
    ['public, max-age=5', undefined, { Authorization: 'Bearer x' }, [5000, 'private']],
    ['public, max-age=5', undefined, { Cookie: 'a=b' }, [5000, 'private']],
  ]
  for (const [cacheControl, vary, headers, hint] of hints) {
    it(`has the hint ${hint} for ${cacheControl}, ${vary} and ${JSON.stringify(headers)}`, async () => {
      class OpenController extends WSGIController {
        static resources = ['index']

        index() {
          if (cacheControl !== undefined) this.response.headers.set('Cache-Control', cacheControl)
          if (vary !== undefined) this.response.headers.set('Vary', vary)
          return 'open'
        }
      }
      const open = new FrameworkApp({
        map: new Mapper().connect('/open', { controller: 'open' }),
        controllers: { open: OpenController },
        mcp: {},
      })
      const response = await modern(
        open,
        'resources/read',
        { uri: 'http://localhost/open' },
        { headers: { ...headers } },
      )
      const { ttlMs, cacheScope } = messageOf(response).result
      assert.deepEqual([ttlMs, cacheScope], hint)
    })
  }
})

class TextsController extends WSGIController {
  static resources = ['read']

  read(name: string) {
    const [type, bytes] = TEXTS[name] ?? []
    this.response.headers.set('Content-Type', type ?? 'text/plain')
    return new Uint8Array(bytes ?? [])
  }
}

/** Types and bytes of resources, and what their contents have. */
const TEXTS: Readonly<Record<string, readonly [type: string, bytes: readonly number[], contents: object]>> = {
  latin: ['text/plain; charset=iso-8859-1', [0xe9], { mimeType: 'text/plain', text: 'é' }],
  utf8: ['text/plain', [0xc3, 0xa9], { mimeType: 'text/plain', text: 'é' }],
  broken: ['text/plain', [0xe9], { mimeType: 'text/plain', blob: '6Q==' }],
  unknown: ['text/plain; charset=none', [0x61], { mimeType: 'text/plain', blob: 'YQ==' }],
  problem: ['application/problem+json', [0x31], { mimeType: 'application/problem+json', text: '1' }],
  feed: ['application/atom+xml', [0x3c], { mimeType: 'application/atom+xml', text: '<' }],
  picture: ['image/png', [0x61], { mimeType: 'image/png', blob: 'YQ==' }],
}

describe('the contents of a resource', () => {
  const texts = new FrameworkApp({
    map: new Mapper().connect('/texts/{name}', { controller: 'texts', action: 'read' }),
    controllers: { texts: TextsController },
    mcp: {},
  })
  for (const [name, [type, bytes, contents]] of Object.entries(TEXTS)) {
    it(`of type ${type} with the bytes ${bytes} are ${JSON.stringify(contents)}`, async () => {
      const uri = `http://localhost/texts/${name}`
      const { result } = messageOf(await modern(texts, 'resources/read', { uri }))
      assert.deepEqual(result.contents, [{ uri, ...contents }])
    })
  }
})
