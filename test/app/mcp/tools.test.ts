import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { type ArgumentDeclarations, eventStream, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { int, list, optional, string } from 'propylon/converters'
import type { RouteContext } from 'propylon/routing'
import { TestApp } from 'propylon/testing'
import { type Environ, lint, type WSGIApplication } from 'propylon/wsgi'
import * as v from 'valibot'
import { firstText, libraryApp, logged, messageOf, modern, seen } from './library.ts'

const app = libraryApp()

async function call(name: string, args: unknown = {}, options?: Parameters<typeof modern>[3]) {
  const response = await modern(app, 'tools/call', { name, arguments: args }, options)
  return { response, ...messageOf(response) }
}

const INTEGER = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

const text = (value: string) => ({ content: [{ type: 'text', text: value }] })

beforeEach(() => {
  seen.length = 0
  logged.length = 0
})

/** Returns an application whose middleware replaces the bodies of its actions. */
function replaced(body: string): FrameworkApp {
  const replacing =
    (inner: WSGIApplication): WSGIApplication =>
    async (environ, start_response) => {
      if (environ['propylon.caller'] === undefined) return inner(environ, start_response)
      await inner(environ, (status, headers, excInfo) => {
        const others = headers.filter(([name]) => name.toLowerCase() !== 'content-length')
        return start_response(status, others, excInfo)
      })
      return [body]
    }
  return libraryApp({ middleware: [replacing] })
}

describe('tools/list', () => {
  it('describes actions by their declarations and doc comments', async () => {
    const { result } = messageOf(await modern(app, 'tools/list'))
    const tools = result.tools as Record<string, unknown>[]
    assert.deepEqual(
      tools.find(({ name }) => name === 'books_index'),
      {
        name: 'books_index',
        title: 'List books',
        description: 'Lists the books.',
        inputSchema: {
          type: 'object',
          properties: {
            page: { ...INTEGER, default: 1, description: 'the number of the page' },
            tags: { type: 'string', pattern: '^[^\\u0000]*$' },
          },
          additionalProperties: false,
        },
        outputSchema: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'number' }, title: { type: 'string' } },
            required: ['id', 'title'],
          },
        },
        annotations: { readOnlyHint: true },
      },
    )
    assert.deepEqual(
      tools.find(({ name }) => name === 'books_update'),
      {
        name: 'books_update',
        title: 'Update a book',
        description: 'Update a book',
        inputSchema: {
          type: 'object',
          properties: {
            id: INTEGER,
            book: {
              type: 'object',
              properties: { title: { type: 'string', minLength: 1 } },
              required: ['title'],
            },
          },
          required: ['id', 'book'],
          additionalProperties: false,
        },
        outputSchema: {
          type: 'object',
          properties: { id: { type: 'number' }, title: { type: 'string' } },
          required: ['id', 'title'],
        },
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      },
    )
  })

  it('lists the tools of every caller, and marks the list as public', async () => {
    const { result } = messageOf(await modern(app, 'tools/list'))
    assert.equal((result.tools as object[]).length, 20)
    assert.equal(result.cacheScope, 'public')
    assert.equal(result.ttlMs, 300_000)
    assert.deepEqual(seen, [])
  })

  it('is private for a request with credentials', async () => {
    const headers = { Authorization: 'Bearer x' }
    const { result } = messageOf(await modern(app, 'tools/list', {}, { headers }))
    assert.equal(result.cacheScope, 'private')
  })
})

describe('tools/call', () => {
  const book = { id: 7, title: 'Emma' }
  const calls: [name: string, args: object, expected: object, request: string][] = [
    ['books_show', { id: 7 }, { ...text(JSON.stringify(book)), structuredContent: book }, 'GET /books/7 show'],
    ['books_show', { id: '7' }, { ...text(JSON.stringify(book)), structuredContent: book }, 'GET /books/7 show'],
    [
      'books_index',
      { page: 1, tags: '&x=1' },
      {
        ...text('[{"id":7,"title":"Emma&x=1"},{"id":8,"title":"A <b> & \\"c\\"&x=1"}]'),
        structuredContent: [
          { id: 7, title: 'Emma&x=1' },
          { id: 8, title: 'A <b> & "c"&x=1' },
        ],
      },
      'GET /books?page=1&tags=%26x%3D1 index',
    ],
    [
      'books_create',
      { book: { title: 'Persuasion' } },
      { ...text('{"id":9,"title":"Persuasion"}'), structuredContent: { id: 9, title: 'Persuasion' } },
      'POST /books create',
    ],
    [
      'books_update',
      { id: 8, book: { title: 'B' } },
      { ...text('{"id":8,"title":"B"}'), structuredContent: { id: 8, title: 'B' } },
      'PUT /books/8 update',
    ],
    ['books_delete', { id: 8 }, { content: [] }, 'DELETE /books/8 delete'],
    [
      'books_cover',
      { id: 7 },
      { content: [{ type: 'image', data: 'Bw==', mimeType: 'image/png' }] },
      'GET /shelf/cover/7 cover',
    ],
    [
      'books_notes',
      {},
      {
        content: [
          {
            type: 'resource',
            resource: { uri: 'http://localhost/shelf/notes', mimeType: 'application/pdf', blob: 'AQI=' },
          },
        ],
      },
      'GET /shelf/notes notes',
    ],
    [
      'books_blocks',
      {},
      {
        content: [
          { type: 'text', text: 'one' },
          { type: 'resource_link', uri: 'http://localhost/books', name: 'books' },
        ],
      },
      'GET /shelf/blocks blocks',
    ],
    ['books_page', {}, text('<p>Hello</p>'), 'GET /shelf/page page'],
    ['books_count', {}, text('first\nlast\nline'), 'GET /shelf/count count'],
    ['books_show', { id: 99 }, { ...text('404 Not Found: No such book.'), isError: true }, 'GET /books/99 show'],
    ['books_gone', {}, { ...text('410 Gone: It was sold.'), isError: true }, 'GET /shelf/gone gone'],
    ['books_leave', {}, { ...text('302 Found: http://localhost/books'), isError: true }, 'GET /shelf/leave leave'],
  ]
  for (const [name, args, expected, request] of calls) {
    it(`of ${name} with ${JSON.stringify(args)} is the request ${request}`, async () => {
      const { response, result } = await call(name, args)
      assert.equal(response.status, 200)
      const { resultType, _meta, ...rest } = result
      assert.equal(resultType, 'complete')
      assert.deepEqual(rest, expected)
      assert.deepEqual(seen, [request])
    })
  }

  const refused: [name: string, args: object, text: RegExp, reached: number][] = [
    ['books_show', {}, /needs a value for "id"/, 0],
    ['books_show', { id: 7, more: 1 }, /no argument "more"/, 0],
    ['books_show', { id: { a: 1 } }, /not text, a number or a boolean/, 0],
    ['books_show', { id: 'new' }, /"new" for "id".*another page/, 0],
    ['books_show', { id: '..' }, /removes? the segments|"\.\."/, 0],
    ['books_show', { id: 'x' }, /404 Not Found/, 0],
    ['books_index', { page: 'x' }, /400 Bad Request: page/, 0],
    ['books_index', { page: { a: 1 } }, /page: must be text/, 0],
    ['books_create', { book: { title: '' } }, /^400 Bad Request: title: Please enter a title$/, 1],
    ['books_create', {}, /4\d\d /, 1],
    ['books_create', { book: 'Emma' }, /^400 Bad Request: Invalid type/, 1],
    ['books_lent', {}, /^409 Conflict: Ann has it\.$/, 1],
  ]
  for (const [name, args, pattern, reached] of refused) {
    it(`of ${name} with ${JSON.stringify(args)} is refused`, async () => {
      const { result } = await call(name, args)
      assert.equal(result.isError, true)
      assert.match(firstText(result), pattern)
      assert.equal(seen.length, reached)
    })
  }

  for (const name of ['books_new', 'books_nope', '', 'constructor']) {
    it(`does not know ${JSON.stringify(name)}`, async () => {
      const { error } = await call(name)
      assert.equal(error?.code, -32602)
      assert.deepEqual(seen, [])
    })
  }

  it('sends any text in the path and in the query to the action, or refuses it', async () => {
    const texts = fc.string({
      unit: fc.constantFrom(...'aé漢😀 /\\%?#&=+;.:@"<>\0\u0001\ud800'),
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(texts, async (value) => {
        const inPath = (await call('books_echo', { id: value })).result
        if (inPath.isError !== true) assert.deepEqual(JSON.parse(firstText(inPath)), { id: value })
        const inQuery = (await call('books_index', { tags: value })).result
        if (inQuery.isError === true) return
        const [first] = inQuery.structuredContent as { title: string }[]
        assert.equal(first?.title, `Emma${value}`)
      }),
      { numRuns: 300 },
    )
  })

  it('answers 401 and its challenge by HTTP', async () => {
    const { response } = await call('books_secret')
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('WWW-Authenticate'), 'Bearer realm="books"')
    assert.equal(response.json<{ detail: string }>().detail, 'Sign in.')
  })

  it('answers 403 by HTTP', async () => {
    assert.equal((await call('books_forbidden')).response.status, 403)
  })

  for (const [name, cause] of [
    ['books_fails', 'swordfish'],
    ['books_wrong', 'declares a result'],
  ] as const) {
    it(`hides and logs the unexpected error of ${name}`, async () => {
      const { error, response } = await call(name)
      assert.equal(response.status, 200)
      assert.deepEqual(error, { code: -32603, message: 'Internal error' })
      assert.equal(logged.length, 1)
      assert.match(logged[0] ?? '', new RegExp(cause))
    })
  }

  it('sends the text of an unexpected error in debug mode, to trusted hosts only', async () => {
    const debugged = libraryApp({ debug: true })
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'books_fails' } }
    const sent = await new TestApp(debugged).postJson('/mcp', message)
    assert.equal(messageOf(sent).error?.data, 'RangeError: swordfish')
    const headers = { Host: 'elsewhere.example' }
    const hidden = await new TestApp(debugged).postJson('/mcp', message, { headers })
    assert.equal(messageOf(hidden).error?.data, undefined)
  })

  it('sends cookies of the action', async () => {
    const { response } = await call('books_cookie')
    assert.match(response.headers.get('Set-Cookie') ?? '', /^a=b/)
  })

  it('sends the header fields of the caller, and runs middleware', async () => {
    let calls = 0
    const wrapped = libraryApp({
      middleware: [
        (inner) => (environ, start_response) => {
          environ['test.middleware'] = ++calls
          return inner(environ, start_response)
        },
      ],
    })
    const headers = { 'User-Agent': 'test', 'Accept-Encoding': 'gzip', 'If-None-Match': '*' }
    const response = await modern(wrapped, 'tools/call', { name: 'books_whoami' }, { headers })
    assert.deepEqual(JSON.parse(firstText(messageOf(response).result)), {
      agent: 'test',
      accept: 'application/json, */*;q=0.5',
      encoding: null,
      address: '127.0.0.1',
      middleware: 2,
    })
  })

  it('sends an environ that keeps the rules of the gateway, without header fields of the body and its copies', async () => {
    const environs: Environ[] = []
    const checked = libraryApp({
      middleware: [
        lint,
        (inner) => (environ, start_response) => {
          environs.push(environ)
          return inner(environ, start_response)
        },
      ],
    })
    const headers = { 'Accept-Encoding': 'gzip', 'If-None-Match': '*', 'X-Trace': 'a' }
    const { result } = messageOf(await modern(checked, 'tools/call', { name: 'books_index' }, { headers }))
    assert.equal(result.isError, undefined)
    const [caller, inner] = environs
    assert.equal(inner?.['propylon.caller'], caller)
    assert.equal(inner?.HTTP_X_TRACE, 'a')
    for (const key of ['HTTP_ACCEPT_ENCODING', 'HTTP_IF_NONE_MATCH']) assert.ok(!(key in (inner ?? {})), key)
  })

  const replacements: [body: string, expected: object][] = [
    ['{"replaced":true}', { ...text('{"replaced":true}'), structuredContent: { replaced: true } }],
    ['[1]', { ...text('[1]'), structuredContent: [1] }],
  ]
  for (const [body, expected] of replacements) {
    it(`returns ${body} that middleware sends in place of the action's JSON`, async () => {
      const { result } = messageOf(await modern(replaced(body), 'tools/call', { name: 'books_index' }))
      const { content, structuredContent } = result
      assert.deepEqual({ content, structuredContent }, expected)
    })
  }

  it('fails if middleware replaces the JSON of the action by something else', async () => {
    const { error } = messageOf(await modern(replaced('{"cut'), 'tools/call', { name: 'books_index' }))
    assert.equal(error?.code, -32603)
  })

  it('refuses a page of another site before the action', async () => {
    const { response } = await call('books_index', {}, { headers: { Origin: 'https://evil.example' } })
    assert.equal(response.status, 403)
    assert.deepEqual(seen, [])
  })
})

describe('a call whose action sends events', () => {
  const token = { progressToken: 'p' }
  const LEVEL = 'io.modelcontextprotocol/logLevel'
  const progress = (value: number, more: object) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 'p', progress: value, ...more },
  })
  const log = (params: object) => ({ jsonrpc: '2.0', method: 'notifications/message', params })
  const wishes: [meta: Record<string, unknown>, notifications: object[]][] = [
    [token, [progress(1, { total: 2, message: 'one' }), progress(2, { total: 2 })]],
    [{ [LEVEL]: 'warning' }, [log({ level: 'error', data: { reason: 'none' } })]],
    [
      { [LEVEL]: 'debug' },
      [log({ level: 'info', data: 'halfway' }), log({ level: 'error', data: { reason: 'none' } })],
    ],
  ]
  for (const [meta, notifications] of wishes) {
    it(`sends the notifications for ${JSON.stringify(meta)}`, async () => {
      const { text: sent, headers } = await modern(app, 'tools/call', { name: 'books_count' }, { meta })
      assert.match(headers.get('Content-Type') ?? '', /^text\/event-stream/)
      const messages = [...sent.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
      const last = messages.pop()
      assert.deepEqual(messages, notifications)
      assert.deepEqual(last.result.content, [{ type: 'text', text: 'first\nlast\nline' }])
    })
  }

  it('refuses an unknown log level', async () => {
    const { response, error } = await call('books_count', {}, { meta: { [LEVEL]: 'loud' } })
    assert.equal(response.status, 400)
    assert.equal(error?.code, -32602)
  })
})

describe('a refusal whose body is too long', () => {
  class LongController extends WSGIController {
    static tools = ['index']
    index() {
      const headers = { 'Content-Length': String(2 ** 23 + 1) }
      return new Response(new Uint8Array(2 ** 23 + 1), { status: 403, headers })
    }
  }

  it('is sent without its body', async () => {
    const app = new FrameworkApp({
      map: new Mapper().connect('/long', { controller: 'long' }),
      controllers: { long: LongController },
      mcp: {},
    })
    const response = await modern(app, 'tools/call', { name: 'long_index', arguments: {} })
    assert.deepEqual([response.status, response.text], [403, ''])
  })
})

describe('an event stream with malformed data', () => {
  class ImportController extends WSGIController {
    static tools = ['start']
    start() {
      return eventStream(this.#events())
    }
    async *#events() {
      yield { event: 'progress', data: 'half' }
    }
  }

  it('is an error that names the data', async () => {
    const app = new FrameworkApp({
      map: new Mapper().connect('/import', { controller: 'import', action: 'start' }),
      controllers: { import: ImportController },
      logger: { error: (message) => logged.push(message), warn() {}, info() {} },
      mcp: {},
    })
    const { error } = messageOf(await modern(app, 'tools/call', { name: 'import_start', arguments: {} }))
    assert.deepEqual(error, { code: -32603, message: 'Internal error' })
    assert.match(logged.join(), /TypeError: An event "progress" has the data "half"/)
  })
})

describe('an action that declares a result and returns text', () => {
  class WordsController extends WSGIController {
    static tools = ['text', 'wrong', 'nothing', 'empty']
    static results = {
      text: v.string(),
      wrong: v.object({ text: v.string() }),
      nothing: v.object({}),
      empty: v.string(),
    }
    text() {
      return 'tea & milk'
    }
    wrong() {
      return 'tea'
    }
    nothing() {
      return undefined
    }
    empty() {
      return ''
    }
  }
  const words = new FrameworkApp({
    map: new Mapper()
      .connect('/text', { controller: 'words', action: 'text' })
      .connect('/wrong', { controller: 'words', action: 'wrong' })
      .connect('/nothing', { controller: 'words', action: 'nothing' })
      .connect('/empty', { controller: 'words', action: 'empty' }),
    controllers: { words: WordsController },
    logger: { error: (message) => logged.push(message), warn() {}, info() {} },
    mcp: {},
  })

  it('sends it as text, and as structured content where that may be text', async () => {
    const { result } = messageOf(await modern(words, 'tools/call', { name: 'words_text', arguments: {} }))
    assert.deepEqual([result.content, result.structuredContent], [text('tea & milk').content, 'tea & milk'])
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'words_text' } }
    assert.deepEqual((await new TestApp(words).postJson('/mcp', message)).json(), {
      jsonrpc: '2.0',
      id: 1,
      result: text('tea & milk'),
    })
  })

  it('fails if the schema takes no text', async () => {
    const { error } = messageOf(await modern(words, 'tools/call', { name: 'words_wrong', arguments: {} }))
    assert.equal(error?.code, -32603)
    assert.match(logged.join(), /wrong\(\) declares a result, and answered a call with text\/html/)
  })

  it('is a failed call, which ran, if it returns nothing', async () => {
    const { result } = messageOf(await modern(words, 'tools/call', { name: 'words_nothing', arguments: {} }))
    assert.equal(result.isError, true)
    assert.match(JSON.stringify(result.content), /has run and gave no value/)
  })

  it('sends empty text', async () => {
    const { result } = messageOf(await modern(words, 'tools/call', { name: 'words_empty', arguments: {} }))
    assert.deepEqual([result.isError, result.structuredContent], [undefined, ''])
  })
})

describe('the arguments of a tool', () => {
  class CitiesController extends WSGIController {
    static tools = ['find', 'team']
    static args: ArgumentDeclarations = {
      find: { names: optional(list(string), ['all']), q: optional(string) },
      team: { constructor: optional(string), valueOf: optional(int) },
    }
    static results = { find: v.any(), team: v.any() }
    find(names: readonly string[], q?: string) {
      return { names, q }
    }
    // biome-ignore lint/suspicious/noShadowRestrictedNames: a name of Object.prototype is the point
    team(constructor?: string, valueOf?: number) {
      return [constructor ?? null, valueOf ?? null]
    }
  }
  const cities = new FrameworkApp({
    map: new Mapper()
      .connect('/cities/{names}', { controller: 'cities', action: 'find', names: 'all' })
      .connect('/cities', { controller: 'cities', action: 'find' })
      .connect('/team', { controller: 'cities', action: 'team' }),
    controllers: { cities: CitiesController },
    mcp: {},
  })
  const calls: [name: string, args: object, expected: unknown][] = [
    ['cities_team', {}, [null, null]],
    ['cities_team', { constructor: 'Ferrari', valueOf: 3 }, ['Ferrari', 3]],
    ['cities_find', { names: ['Paris, France', 'Rome'] }, { names: ['Paris, France', 'Rome'] }],
    ['cities_find', { names: ['a'], q: '' }, { names: ['a'], q: '' }],
    ['cities_find', { names: ['a'], q: null }, { names: ['a'] }],
  ]
  for (const [name, args, expected] of calls) {
    it(`are the values that were sent: ${name} ${JSON.stringify(args)}`, async () => {
      const { result } = messageOf(await modern(cities, 'tools/call', { name, arguments: args }))
      assert.deepEqual(JSON.parse(firstText(result)), expected)
    })
  }
})

describe('a route with a condition', () => {
  it('receives the environ of a call as a request has it, whatever it has left there', async () => {
    class CountersController extends WSGIController {
      static tools = ['show']
      show() {
        return 'shown'
      }
    }
    const isFirst = ({ environ }: RouteContext) => {
      const { runs = 0 } = environ as { runs?: number }
      Object.assign(environ as object, { runs: runs + 1 })
      return runs === 0
    }
    const counted = new FrameworkApp({
      map: new Mapper().connect('/counter', {
        controller: 'counters',
        action: 'show',
        conditions: { function: isFirst },
      }),
      controllers: { counters: CountersController },
      mcp: {},
    })
    const { result } = messageOf(await modern(counted, 'tools/call', { name: 'counters_show', arguments: {} }))
    assert.equal(firstText(result), 'shown')
  })
})
