import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  type Body,
  type Chunk,
  createEnviron,
  type Environ,
  type InputStream,
  LintError,
  lint,
  type Party,
  run,
  type StartResponse,
  type WSGIApplication,
} from 'propylon/wsgi'
import { isUpToDate } from '../../scripts/gateway-docs.ts'
import { APPLICATION_RULES, SERVER_RULES } from '../../src/wsgi/lint.ts'

const RULES = [...Object.keys(SERVER_RULES), ...Object.keys(APPLICATION_RULES)]

/** Returns a value that the types do not allow. */
const wrong = (value: unknown) => JSON.parse('{}', () => value)

const ok: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [])
  return ['x']
}

const returning =
  (body: () => Body, status = '200 OK', headers: [string, string][] = []): WSGIApplication =>
  (_environ, start_response) => {
    start_response(status, headers)
    return body()
  }

const starting = (...args: unknown[]): WSGIApplication => {
  return (_environ, start_response) => {
    Reflect.apply(start_response, undefined, args)
    return []
  }
}

const withInput = (use: (input: InputStream, environ: Environ) => Promise<unknown>): WSGIApplication => {
  return async (environ, start_response) => {
    await use(environ['wsgi.input'], environ)
    start_response('200 OK', [])
    return []
  }
}

function* generated(...chunks: Chunk[]): Generator<Chunk> {
  yield* chunks
}

async function* generatedLater(...chunks: Chunk[]): AsyncGenerator<Chunk> {
  yield* chunks
}

/** Applications that break a rule. */
const applications: [rule: string, what: string, app: WSGIApplication, init?: Parameters<typeof createEnviron>[0]][] = [
  ['start-response-arguments', 'one argument', starting('200 OK')],
  ['start-response-arguments', 'four arguments', starting('200 OK', [], undefined, 1)],
  ['status-line', 'a number', starting(200, [])],
  ['status-line', 'no reason', starting('200', [])],
  ['status-line', 'an empty reason', starting('200 ', [])],
  ['status-line', 'a line break', starting('200 OK\r\nX: y', [])],
  ['status-line', 'beyond Latin-1', starting('200 €', [])],
  ['status-final', 'informational', starting('100 Continue', [])],
  ['status-final', 'beyond 599', starting('600 What', [])],
  ['headers-array', 'an object', starting('200 OK', { 'Content-Type': 'text/plain' })],
  ['headers-array', 'a string for a pair', starting('200 OK', ['ab'])],
  ['headers-array', 'a triple', starting('200 OK', [['a', 'b', 'c']])],
  ['headers-array', 'a number for a value', starting('200 OK', [['Content-Length', 5]])],
  ['header-name', 'a colon', starting('200 OK', [['X:', 'y']])],
  ['header-name', 'empty', starting('200 OK', [['', 'y']])],
  ['header-name', 'Status', starting('200 OK', [['Status', '200 OK']])],
  ['header-value', 'a line break', starting('200 OK', [['X', 'a\nb']])],
  ['header-value', 'a NUL', starting('200 OK', [['X', 'a\0b']])],
  ['header-value', 'beyond Latin-1', starting('200 OK', [['X', '€']])],
  ['header-value', 'a blank at the end', starting('200 OK', [['X', 'a ']])],
  ['header-hop-by-hop', 'Connection', starting('200 OK', [['connection', 'close']])],
  ['header-hop-by-hop', 'Transfer-Encoding', starting('200 OK', [['Transfer-Encoding', 'chunked']])],
  ['content-length-value', 'no number', starting('200 OK', [['Content-Length', 'many']])],
  [
    'content-length-value',
    'twice',
    starting('200 OK', [
      ['Content-Length', '0'],
      ['content-length', '0'],
    ]),
  ],
  ['bodyless-headers', 'Content-Type with 204', starting('204 No Content', [['Content-Type', 'text/plain']])],
  ['bodyless-headers', 'Content-Type with 304', starting('304 Not Modified', [['Content-Type', 'text/plain']])],
  ['bodyless-headers', 'Content-Length with 204', starting('204 No Content', [['Content-Length', '0']])],
  ['bodyless-headers', 'a length with 205', starting('205 Reset Content', [['Content-Length', '5']])],
  [
    'start-response-again',
    'without excInfo',
    (_environ, start_response) => {
      start_response('200 OK', [])
      start_response('200 OK', [])
      return []
    },
  ],
  ['start-response-called', 'never, with an array', () => ['x']],
  ['start-response-called', 'never, with an empty array', () => []],
  ['start-response-called', 'never, with a generator', () => generated()],
  [
    'start-response-called',
    'after the first chunk',
    function* (_environ, start_response) {
      yield 'x'
      start_response('200 OK', [])
    },
  ],
  ['body-iterable', 'a string', returning(() => wrong('Hello'))],
  ['body-iterable', 'bytes', returning(() => wrong(new Uint8Array([1])))],
  ['body-iterable', 'undefined', returning(() => wrong(undefined))],
  ['body-iterable', 'null', returning(() => wrong(null))],
  ['body-iterable', 'an object', returning(() => wrong({}))],
  [
    'body-iterable',
    'a promise of a string',
    async (_environ, start_response) => {
      start_response('200 OK', [])
      return wrong('Hello')
    },
  ],
  ['body-close', 'a boolean', returning(() => wrong(Object.assign(['x'], { close: true })))],
  ['chunk-type', 'a number in an array', returning(() => wrong([1]))],
  ['chunk-type', 'null from a generator', returning(() => generated('a', wrong(null)))],
  ['chunk-type', 'an object from an async generator', returning(() => generatedLater('a', wrong({})))],
  ['chunk-type', 'a promise', returning(() => wrong([Promise.resolve('x')]))],
  ['chunk-type', 'an array buffer', returning(() => wrong([new ArrayBuffer(1)]))],
  [
    'chunk-type',
    'a number written',
    (_environ, start_response) => {
      start_response('200 OK', [])(wrong(1))
      return []
    },
  ],
  ['body-forbidden', 'with 204', returning(() => ['x'], '204 No Content')],
  ['body-forbidden', 'with 304', returning(() => ['x'], '304 Not Modified')],
  ['content-length-bytes', 'too few in an array', returning(() => ['ab'], '200 OK', [['Content-Length', '3']])],
  ['content-length-bytes', 'too many in an array', returning(() => ['abcd'], '200 OK', [['Content-Length', '3']])],
  ['content-length-bytes', 'characters counted', returning(() => ['é'], '200 OK', [['Content-Length', '1']])],
  [
    'content-length-bytes',
    'too few from a generator',
    returning(() => generated('a', 'b'), '200 OK', [['Content-Length', '3']]),
  ],
  [
    'content-length-bytes',
    'too many from an async generator',
    returning(() => generatedLater('ab', 'cd'), '200 OK', [['Content-Length', '3']]),
  ],
  [
    'content-length-bytes',
    'another than for GET',
    returning(() => ['ab'], '200 OK', [['Content-Length', '3']]),
    { method: 'HEAD' },
  ],
  [
    'write-in-time',
    'from the body',
    function* (_environ, start_response) {
      const write = start_response('200 OK', [])
      write('x')
      yield 'y'
    },
  ],
  ['read-size', 'text', withInput((input) => input.read(wrong('5')))],
  ['read-size', 'null', withInput((input) => input.read(wrong(null)))],
  ['read-size', 'a fraction', withInput((input) => input.read(1.5))],
  ['read-size', 'two arguments', withInput((input) => Reflect.apply(input.read, input, [1, 2]))],
  ['readline-arguments', 'a size', withInput((input) => Reflect.apply(input.readline, input, [1]))],
  [
    'errors-text',
    'an error',
    withInput(async (_input, environ) => environ['wsgi.errors'].write(wrong(new Error('x')))),
  ],
  [
    'errors-text',
    'nothing',
    withInput(async (_input, environ) => Reflect.apply(environ['wsgi.errors'].write, environ['wsgi.errors'], [])),
  ],
]

/** Servers that pass an invalid environ. */
const environs: [rule: string, what: string, change: Record<string, unknown>][] = [
  ['environ-variables', 'a missing variable', { QUERY_STRING: undefined }],
  ['environ-variables', 'a number', { SERVER_PORT: 80 }],
  ['environ-variables', 'null', { REMOTE_ADDR: null }],
  ['request-method', 'a blank', { REQUEST_METHOD: 'G T' }],
  ['request-method', 'empty', { REQUEST_METHOD: '' }],
  ['script-name', 'the slash alone', { SCRIPT_NAME: '/' }],
  ['script-name', 'no slash', { SCRIPT_NAME: 'app' }],
  ['path-info', 'no slash', { PATH_INFO: 'a' }],
  ['path-info', 'the asterisk of GET', { PATH_INFO: '*' }],
  ['path-present', 'neither', { PATH_INFO: '' }],
  ['content-length-digits', 'a sign', { CONTENT_LENGTH: '-1' }],
  ['server-name', 'empty', { SERVER_NAME: '' }],
  ['server-name', 'a port in words', { SERVER_PORT: 'http' }],
  ['server-protocol', 'no version', { SERVER_PROTOCOL: 'HTTP' }],
  ['header-keys', 'HTTP_CONTENT_TYPE', { HTTP_CONTENT_TYPE: 'text/plain' }],
  ['header-keys', 'small letters', { HTTP_accept: '*/*' }],
  ['header-keys', 'a dash', { 'HTTP_USER-AGENT': 'x' }],
  ['header-keys', 'an array', { HTTP_COOKIE: ['a=1'] }],
  ['wsgi-version', 'another', { 'wsgi.version': [2, 0] }],
  ['url-scheme', 'a colon', { 'wsgi.url_scheme': 'http:' }],
  ['input-methods', 'null', { 'wsgi.input': null }],
  ['input-methods', 'no readline', { 'wsgi.input': { read: () => null } }],
  ['errors-methods', 'no flush', { 'wsgi.errors': { write: () => null } }],
  ['wsgi-flags', 'a number', { 'wsgi.run_once': 0 }],
]

const noWrite: StartResponse = () => () => undefined

/** Servers that call an application wrongly. */
const servers: [rule: string, what: string, serve: (environ: Environ) => unknown][] = [
  ['call-arguments', 'one argument', (environ) => Reflect.apply(lint(ok), undefined, [environ])],
  ['call-arguments', 'three arguments', (environ) => Reflect.apply(lint(ok), undefined, [environ, noWrite, 1])],
  ['call-arguments', 'no function', (environ) => Reflect.apply(lint(ok), undefined, [environ, {}])],
  ['environ-object', 'null', () => lint(ok)(wrong(null), noWrite)],
  ['environ-object', 'frozen', () => lint(ok)(Object.freeze(createEnviron()), noWrite)],
  ['environ-object', 'a map', () => lint(ok)(wrong(new Map()), noWrite)],
  [
    'environ-object',
    'a class instance',
    (environ) => lint(ok)(Object.assign(Object.create({ inherited: 1 }), environ), noWrite),
  ],
  [
    'write-callable',
    'undefined',
    (environ) =>
      lint(ok)(
        environ,
        wrong(() => undefined),
      ),
  ],
  [
    'exc-info-thrown',
    'not thrown',
    (environ) => {
      const app = lint(function* (_environ, start_response) {
        start_response('200 OK', [])
        yield 'x'
        start_response('500 Internal Server Error', [], new Error('late'))
      })
      drain(app(environ, noWrite))
    },
  ],
  [
    'iterated-once',
    'a generator',
    (environ) => {
      const body = iterable(lint(returning(() => generated('a')))(environ, noWrite))
      body[Symbol.iterator]()
      body[Symbol.iterator]()
    },
  ],
  [
    'iterated-once',
    'an async generator',
    (environ) => {
      const body = asyncIterable(lint(returning(() => generatedLater('a')))(environ, noWrite))
      body[Symbol.asyncIterator]()
      body[Symbol.asyncIterator]()
    },
  ],
  [
    'pulled-after-close',
    'a generator',
    (environ) => {
      const body = iterable(lint(returning(() => generated('a')))(environ, noWrite))
      const iterator = body[Symbol.iterator]()
      Reflect.apply(Reflect.get(body, 'close'), body, [])
      iterator.next()
    },
  ],
  [
    'closed-once',
    'a generator twice',
    (environ) => closeTwice(lint(returning(() => generated('a')))(environ, noWrite)),
  ],
  [
    'closed-once',
    'an array twice',
    (environ) => closeTwice(lint(returning(() => Object.assign(['a'], { close: () => undefined })))(environ, noWrite)),
  ],
  [
    'input-bytes',
    'text',
    (environ) => {
      environ['wsgi.input'] = wrong({
        read: async () => 'text',
        readline: async () => 'x',
        [Symbol.asyncIterator]: () => null,
        stream: null,
      })
      return lint(withInput((input) => input.read()))(environ, noWrite)
    },
  ],
  [
    'input-size',
    'too many',
    (environ) => {
      environ['wsgi.input'] = wrong({
        read: async () => new Uint8Array(9),
        readline: async () => 'x',
        [Symbol.asyncIterator]: () => null,
        stream: null,
      })
      return lint(withInput((input) => input.read(5)))(environ, noWrite)
    },
  ],
]

function iterable(body: Body | Promise<Body>): Iterable<Chunk> {
  assert.ok(Symbol.iterator in body)
  return body
}

function asyncIterable(body: Body | Promise<Body>): AsyncIterable<Chunk> {
  assert.ok(Symbol.asyncIterator in body)
  return body
}

function drain(body: Body | Promise<Body>): void {
  for (const _chunk of iterable(body));
}

function closeTwice(body: Body | Promise<Body>): void {
  const close: unknown = Reflect.get(body, 'close')
  assert.ok(typeof close === 'function')
  Reflect.apply(close, body, [])
  Reflect.apply(close, body, [])
}

const seen = new Set<string>()

const breach = (rule: string, party: Party) => (error: unknown) => {
  assert.ok(error instanceof LintError, String(error))
  assert.deepEqual([error.rule, error.party], [rule, party])
  assert.ok(error.message.includes(error.fix))
  seen.add(rule)
  return true
}

describe('lint, with an application that breaks a rule', () => {
  for (const [rule, what, app, init] of applications) {
    it(`throws ${rule}: ${what}`, async () => {
      await assert.rejects(async () => (await run(lint(app), createEnviron(init))).bytes(), breach(rule, 'application'))
    })
  }
})

describe('lint, with a server that breaks a rule', () => {
  for (const [rule, what, change] of environs) {
    it(`throws ${rule}: ${what}`, () => {
      const environ = Object.assign(createEnviron(), change)
      assert.throws(() => lint(ok)(environ, noWrite), breach(rule, 'server'))
    })
  }
  for (const [rule, what, serve] of servers) {
    it(`throws ${rule}: ${what}`, async () => {
      await assert.rejects(async () => serve(createEnviron()), breach(rule, 'server'))
    })
  }

  it('rejects a pull of an asynchronous body instead of throwing', async () => {
    const body = asyncIterable(lint(returning(() => generatedLater('a')))(createEnviron(), noWrite))
    const iterator = body[Symbol.asyncIterator]()
    Reflect.apply(Reflect.get(body, 'close'), body, [])
    await assert.rejects(iterator.next(), breach('pulled-after-close', 'server'))
  })

  it('returns a promise for the end of an asynchronous body, whatever its iterator returns or throws', async () => {
    const next = async () => ({ done: false, value: 'a' })
    const broken = () => {
      throw new Error('in return()')
    }
    const iteratorOf = (iterator: AsyncIterator<Chunk>) => {
      const app = returning(() => ({ [Symbol.asyncIterator]: () => iterator }))
      return asyncIterable(lint(app)(createEnviron(), noWrite))[Symbol.asyncIterator]()
    }
    const ended = iteratorOf({ next }).return?.()
    assert.ok(ended instanceof Promise)
    assert.deepEqual(await ended, { done: true, value: undefined })
    const failed = iteratorOf({ next, return: broken }).return?.()
    await assert.rejects(async () => failed, /in return\(\)/)
  })

  after(() => {
    const unseen = RULES.filter((id) => !seen.has(id))
    assert.deepEqual(unseen, [])
  })
})

describe('lint, with an application that breaks no rule', () => {
  it('stays synchronous', () => {
    assert.deepEqual(lint(ok)(createEnviron(), noWrite), ['x'])
  })

  it('returns the same array', () => {
    const body = ['a', 'b']
    assert.equal(lint(returning(() => body))(createEnviron(), noWrite), body)
  })

  it('returns a synchronous iterable for one', () => {
    assert.ok(Symbol.iterator in lint(returning(() => generated('a')))(createEnviron(), noWrite))
  })

  it('accepts an object with an application', async () => {
    assert.equal(await (await run(lint({ wsgi: ok }), createEnviron())).text(), 'x')
  })

  it('can be nested', async () => {
    const result = await run(lint(lint(returning(() => generated('a', 'b')))), createEnviron())
    assert.equal(await result.text(), 'ab')
  })

  it('ends and closes the body if the server stops early', async () => {
    let returned = false
    let closed = 0
    const app = returning(() =>
      Object.assign(
        (function* (): Generator<Chunk> {
          try {
            yield 'a'
            yield 'b'
          } finally {
            returned = true
          }
        })(),
        { close: () => void closed++ },
      ),
    )
    const { body } = await run(lint(app), createEnviron())
    for await (const _chunk of body) break
    assert.deepEqual([returned, closed], [true, 1])
  })

  it('throws errors of the application', async () => {
    const failing: WSGIApplication = () => {
      throw new RangeError('mine')
    }
    await assert.rejects(run(lint(failing), createEnviron()), RangeError)
  })

  it('refuses a value that is not an application', () => {
    assert.throws(() => lint(wrong({})), TypeError)
  })

  it('accepts an unread stream for HEAD', async () => {
    const app = returning(() => generated('abc'), '200 OK', [['Content-Length', '3']])
    assert.equal(await (await run(lint(app), createEnviron({ method: 'HEAD' }))).text(), '')
  })
})

describe('the rules', () => {
  it('have different names', () => {
    assert.equal(new Set(RULES).size, RULES.length)
  })

  it('are the same as in docs/reference/gateway.md', () => {
    assert.ok(isUpToDate(), 'run node scripts/gateway-docs.ts')
  })
})
