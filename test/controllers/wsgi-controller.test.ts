import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ActionNotFound,
  abort,
  FrameworkApp,
  forward,
  HTTPConflict,
  HTTPForbidden,
  Mapper,
  ParameterNamesError,
  Response,
  redirect,
  UnusableResultError,
  WSGIController,
} from 'propylon'
import { TestApp } from 'propylon/testing'
import type { Environ, StartResponse } from 'propylon/wsgi'
import { serveAction } from './serving.ts'

const bytes = new TextEncoder().encode('bytes')

class Results extends WSGIController {
  text() {
    return 'text'
  }
  async laterText() {
    return 'later'
  }
  bytes() {
    return bytes
  }
  nothing() {}
  nil() {
    return null
  }
  object() {
    return { name: 'joe', link: null }
  }
  array() {
    return [1, 'two']
  }
  typedObject() {
    this.response.contentType = 'text/javascript'
    return [{ name: 'joe' }]
  }
  createdObject() {
    this.response.status = 201
    return { name: 'joe' }
  }
  override render() {
    return 'rendered'
  }
  json() {
    return { a: 1 }
  }
  response_() {
    return new Response('made', { status: 201, headers: { Location: '/made' } })
  }
  platformResponse() {
    return new globalThis.Response('web', { status: 202, headers: { 'X-Web': 'yes' } })
  }
  returnedException() {
    return new HTTPConflict('taken')
  }
  thrownException() {
    abort(403, 'no entry')
  }
  async laterException() {
    await null
    redirect('/elsewhere', 303)
  }
  application() {
    return (environ: Environ, start_response: StartResponse) => {
      start_response('200 OK', [['Content-Type', 'text/plain']])
      return [`app at ${environ.PATH_INFO}`]
    }
  }
  mounted() {
    return { wsgi: this.application() }
  }
  failingApplication() {
    return () => {
      throw new RangeError('the application failed')
    }
  }
  forwarded() {
    return forward(new Response('forwarded'))
  }
  *generator() {
    yield 'one '
    yield 'two'
  }
  async *asyncGenerator() {
    yield 'one '
    yield bytes
  }
  iterable() {
    return new Set(['a', 'b'])
  }
  stream() {
    return new globalThis.Response('streamed').body
  }
  standing() {
    this.response.status = 202
    this.response.write('standing')
  }
  written() {
    this.response.write('written ')
    return 'returned'
  }
  *writtenThenStreamed() {
    yield 'streamed'
  }
  mixed() {
    this.response.write('written ')
    return this.writtenThenStreamed()
  }
  thenable() {
    // biome-ignore lint/suspicious/noThenProperty: query builders have one
    return { then: (resolve: (text: string) => void) => resolve('waited for') }
  }
  blob() {
    return new Blob(['blob'], { type: 'text/css' })
  }
  buffer() {
    return bytes.slice().buffer
  }
  view() {
    return new DataView(bytes.slice().buffer, 1, 3)
  }
  writtenBlob() {
    this.response.write('written ')
    return new Blob(['blob'])
  }
  number(): unknown {
    return 42
  }
  error() {
    return new Error('returned')
  }
  boolean(): unknown {
    return false
  }
  date(): unknown {
    return new Date(0)
  }
}

const results: [action: string, status: string, contentType: string | undefined, text: string][] = [
  ['text', '200 OK', 'text/html; charset=utf-8', 'text'],
  ['laterText', '200 OK', 'text/html; charset=utf-8', 'later'],
  ['bytes', '200 OK', 'application/octet-stream', 'bytes'],
  ['nothing', '200 OK', undefined, ''],
  ['nil', '200 OK', undefined, ''],
  ['object', '200 OK', 'application/json', '{"name":"joe","link":null}'],
  ['array', '200 OK', 'application/json', '[1,"two"]'],
  ['json', '200 OK', 'application/json', '{"a":1}'],
  ['typedObject', '200 OK', 'text/javascript; charset=utf-8', '[{"name":"joe"}]'],
  ['createdObject', '201 Created', 'application/json', '{"name":"joe"}'],
  ['response_', '201 Created', 'text/html; charset=utf-8', 'made'],
  ['platformResponse', '202 Accepted', 'text/plain;charset=UTF-8', 'web'],
  ['application', '200 OK', 'text/plain', 'app at /'],
  ['mounted', '200 OK', 'text/plain', 'app at /'],
  ['forwarded', '200 OK', 'text/html; charset=utf-8', 'forwarded'],
  ['thenable', '200 OK', 'text/html; charset=utf-8', 'waited for'],
  ['blob', '200 OK', 'text/css', 'blob'],
  ['buffer', '200 OK', 'application/octet-stream', 'bytes'],
  ['view', '200 OK', 'application/octet-stream', 'yte'],
  ['writtenBlob', '200 OK', 'text/html; charset=utf-8', 'written blob'],
  ['generator', '200 OK', 'text/html; charset=utf-8', 'one two'],
  ['asyncGenerator', '200 OK', 'text/html; charset=utf-8', 'one bytes'],
  ['iterable', '200 OK', 'text/html; charset=utf-8', 'ab'],
  ['stream', '200 OK', 'application/octet-stream', 'streamed'],
  ['standing', '202 Accepted', 'text/html; charset=utf-8', 'standing'],
  ['written', '200 OK', 'text/html; charset=utf-8', 'written returned'],
  ['mixed', '200 OK', 'text/html; charset=utf-8', 'written streamed'],
]

describe('what an action returns', () => {
  for (const [action, status, contentType, text] of results) {
    it(`${action} is answered with ${status}, ${contentType ?? 'no content type'}`, async () => {
      const served = await serveAction(Results, action)
      assert.deepEqual([served.status, served.header('content-type'), served.text], [status, contentType, text])
    })
  }

  for (const [action, status] of [
    ['returnedException', '409 Conflict'],
    ['thrownException', '403 Forbidden'],
    ['laterException', '303 See Other'],
  ] as const) {
    it(`${action} is answered with ${status}`, async () => {
      assert.equal((await serveAction(Results, action)).status, status)
    })
  }

  for (const action of ['number', 'boolean', 'date', 'error']) {
    it(`refuses a ${action}`, async () => {
      await assert.rejects(serveAction(Results, action), (error) => {
        assert.ok(error instanceof UnusableResultError)
        assert.match(error.message, new RegExp(`^Results\\.${action}\\(\\) returned an? `))
        return true
      })
    })
  }

  it('throws the error of an application', async () => {
    await assert.rejects(serveAction(Results, 'failingApplication'), RangeError)
  })

  it('refuses a name that the framework defines, even overridden', async () => {
    assert.equal((await serveAction(Results, 'render')).status, '404 Not Found')
  })
})

class Arguments extends WSGIController {
  static args = { stated: ['id', 'format'] }
  show(id?: string, format = 'html') {
    return [id ?? 'none', format]
  }
  destructured({ id, format = 'html' }: { id?: string; format?: string }) {
    return [id ?? 'none', format]
  }
  everything({ ...all }: Record<string, unknown>) {
    return Object.keys(all).sort()
  }
  stated(renamed?: string, too = 'html') {
    return [renamed ?? 'none', too]
  }
  many(a = '-', b = '-', id = '-', format = '-') {
    return [a, b, id, format]
  }
  gateway(environ: Environ, start_response: StartResponse) {
    const write = start_response('202 Accepted', [['Content-Type', 'text/plain']])
    write('written ')
    return [environ.REQUEST_METHOD]
  }
  renamed(id2: string) {
    return id2
  }
  renamedByRollup(id$1: string) {
    return id$1
  }
  minified(t: string, n = 'html') {
    return [t, n]
  }
  with_dash() {
    return 'dash'
  }
}

const argumentRows: [action: string, match: Record<string, string | null>, expected: unknown][] = [
  ['show', { id: '7' }, ['7', 'html']],
  ['show', { id: '7', format: 'json' }, ['7', 'json']],
  ['show', { id: '7', format: null }, ['7', 'html']],
  ['show', {}, ['none', 'html']],
  ['show', { id: '', other: 'ignored' }, ['', 'html']],
  ['destructured', { id: '7', format: null }, ['7', 'html']],
  ['destructured', {}, ['none', 'html']],
  ['everything', { id: '7' }, ['action', 'controller', 'environ', 'id', 'start_response']],
  ['stated', { id: '7', format: 'json' }, ['7', 'json']],
  ['many', { id: '7', format: 'json' }, ['-', '-', '7', 'json']],
]

describe('arguments by parameter name', () => {
  for (const [action, match, expected] of argumentRows) {
    it(`${action} gets ${JSON.stringify(expected)} of ${JSON.stringify(match)}`, async () => {
      assert.deepEqual(JSON.parse((await serveAction(Arguments, action, { match })).text), expected)
    })
  }

  it('gives environ and start_response to an action with these parameters', async () => {
    const served = await serveAction(Arguments, 'gateway')
    assert.deepEqual([served.status, served.text], ['202 Accepted', 'written GET'])
  })

  const bodies: [title: string, body: unknown, text: string][] = [
    ['nothing', undefined, ''],
    ['null', null, ''],
    ['text', 'text', 'text'],
    ['bytes', bytes, 'bytes'],
    ['an iterable', new Set(['a', 'b']), 'ab'],
  ]
  for (const [title, body, text] of bodies) {
    it(`sends ${title} that an action returns after start_response`, async () => {
      class Starting extends WSGIController {
        index(start_response: StartResponse) {
          start_response('202 Accepted', [])
          return body
        }
      }
      const served = await serveAction(Starting, 'index')
      assert.deepEqual([served.status, served.text], ['202 Accepted', text])
    })
  }

  for (const body of [42, { a: 1 }, () => []]) {
    it(`refuses a ${typeof body} that an action returns after start_response`, async () => {
      class Starting extends WSGIController {
        index(start_response: StartResponse): unknown {
          start_response('202 Accepted', [])
          return body
        }
      }
      await assert.rejects(serveAction(Starting, 'index'), {
        name: 'TypeError',
        message: /must return the body/,
      })
    })
  }

  for (const after of [false, true]) {
    it(`lets an exception${after ? ' in __after__' : ''} take back the response that the action has begun`, async () => {
      class Beginning extends WSGIController {
        index(start_response: StartResponse) {
          start_response('202 Accepted', [['X-Begun', 'yes']])
          if (!after) abort(409)
          return ['begun']
        }
        __after__() {
          if (after) abort(409)
        }
      }
      const served = await serveAction(Beginning, 'index')
      assert.deepEqual([served.status, served.header('x-begun')], ['409 Conflict', undefined])
    })
  }

  for (const action of ['renamed', 'renamedByRollup', 'minified']) {
    it(`throws if a build ${action} the parameters, instead of passing undefined`, async () => {
      await assert.rejects(serveAction(Arguments, action, { match: { id: '7' } }), ParameterNamesError)
    })
  }

  it('reaches with_dash by with-dash', async () => {
    assert.equal((await serveAction(Arguments, 'with-dash')).text, 'dash')
  })

  it('passes the name of the method to hooks, however the URL spells the action', async () => {
    class Guarded extends WSGIController {
      __before__(action: string) {
        if (action === 'secret_page' || action === 'index') abort(403)
      }
      index() {
        return 'secret'
      }
      secret_page() {
        return 'secret'
      }
    }
    const app = new FrameworkApp({
      map: new Mapper().connect('/own', { controller: 'guarded' }).connect('/{controller}/{action}'),
      controllers: { guarded: Guarded },
    })
    for (const path of [
      '/own',
      '/guarded/index',
      '/guarded/secret_page',
      '/guarded/secret-page',
      '/guarded/secret%2Dpage',
    ]) {
      assert.equal((await new TestApp(app).get(path)).status, 403, path)
    }
  })

  it('takes them from _get_method_args where it is overridden', async () => {
    class Custom extends WSGIController {
      override _get_method_args() {
        return { ...super._get_method_args(), user: 'ann' }
      }
      index(user: string, action: string) {
        return `${user} ${action}`
      }
    }
    assert.equal((await serveAction(Custom, 'index')).text, 'ann index')
  })

  it('offers nothing from the prototype of what _get_method_args returns', async () => {
    class Custom extends WSGIController {
      override _get_method_args() {
        return {}
      }
      // biome-ignore lint/suspicious/noShadowRestrictedNames: a name of Object.prototype is the point
      index(isPrototypeOf = 'default') {
        return isPrototypeOf
      }
    }
    assert.equal((await serveAction(Custom, 'index')).text, 'default')
  })
})

class Hooked extends WSGIController {
  static log: string[] = []
  __before__(action: string) {
    Hooked.log.push(`before ${action}`)
    if (action === 'forbidden') throw new HTTPForbidden()
    if (action === 'broken_before') throw new Error('before')
  }
  __after__(action: string, error?: unknown) {
    Hooked.log.push(`after ${action}${error instanceof Error ? ` ${error.message}` : ''}`)
    this.response.headers.set('X-After', 'yes')
  }
  fine() {
    Hooked.log.push('action')
    return 'fine'
  }
  async fine_later() {
    await null
    return this.fine()
  }
  *generator() {
    Hooked.log.push('chunk')
    yield 'chunk'
  }
  forbidden() {}
  broken_before() {}
  redirected() {
    redirect('/x')
  }
  failing() {
    throw new Error('failed')
  }
  async failing_later() {
    await null
    throw new Error('failed')
  }
  unusable(): unknown {
    return 42
  }
}

async function logOf(action: string, debug = false): Promise<string[]> {
  Hooked.log = []
  try {
    await serveAction(Hooked, action, { debug })
  } catch (error) {
    Hooked.log.push(error instanceof Error ? `threw ${error.name}` : 'threw')
  }
  return Hooked.log
}

const hookRows: [action: string, log: string[]][] = [
  ['fine', ['before fine', 'action', 'after fine']],
  ['fine_later', ['before fine_later', 'action', 'after fine_later']],
  ['generator', ['before generator', 'after generator', 'chunk']],
  ['redirected', ['before redirected', 'after redirected']],
  ['forbidden', ['before forbidden']],
  ['broken_before', ['before broken_before', 'threw Error']],
  ['failing', ['before failing', 'after failing failed', 'threw Error']],
  ['failing_later', ['before failing_later', 'after failing_later failed', 'threw Error']],
  ['missing', ['before missing', 'after missing']],
  ['_private', []],
  ['-private', []],
]

describe('hooks', () => {
  for (const [action, log] of hookRows) {
    it(`${action}: ${log.join(', ') || 'nothing runs'}`, async () => {
      assert.deepEqual(await logOf(action), log)
    })
  }

  it('__after__ sees the error of a result that is no answer', async () => {
    assert.deepEqual((await logOf('unusable')).at(-1), 'threw UnusableResultError')
    assert.match(Hooked.log.at(-2) ?? '', /^after unusable .*42/)
  })

  it('an action that is not there is ActionNotFound in debug mode', async () => {
    await assert.rejects(serveAction(Hooked, 'missing', { debug: true }), ActionNotFound)
  })

  it('a private action is 404 in debug mode too', async () => {
    assert.equal((await serveAction(Hooked, '_secret', { debug: true })).status, '404 Not Found')
  })

  it('__after__ changes the headers of what goes out', async () => {
    assert.equal((await serveAction(Hooked, 'redirected')).header('x-after'), 'yes')
  })

  it('an HTTP exception in __after__ replaces the answer', async () => {
    class Replacing extends WSGIController {
      __after__() {
        abort(403)
      }
      index() {
        return 'index'
      }
    }
    assert.equal((await serveAction(Replacing, 'index')).status, '403 Forbidden')
  })

  it('an asynchronous __before__ ends before the action begins', async () => {
    class Slow extends WSGIController {
      #ready = false
      async __before__() {
        await null
        this.#ready = true
      }
      index() {
        return String(this.#ready)
      }
    }
    assert.equal((await serveAction(Slow, 'index')).text, 'true')
  })

  it('an error in __after__ hides no error of the action', async () => {
    const logged: string[] = []
    class Twice extends WSGIController {
      async __after__() {
        throw new Error('second')
      }
      index() {
        throw new Error('first')
      }
    }
    await assert.rejects(serveAction(Twice, 'index', { logged }), /first/)
    assert.match(logged.join(), /second/)
  })
})

describe('the standing response', () => {
  class Merging extends WSGIController {
    __before__() {
      this.response.setCookie('seen', '1')
      this.response.headers.set('X-Base', 'base')
      for (const name of ['ETag', 'Pre-X-Base', 'Vary-Base']) this.response.headers.set(name, 'base')
      this.response.headers.set('X-Both', 'base')
    }
    aborted() {
      abort(404)
    }
    response_() {
      return new Response('x', { headers: { 'X-Both': 'own', 'Set-Cookie': 'own=1' } })
    }
    application() {
      return new Response('x').wsgi
    }
  }

  for (const action of ['aborted', 'response_', 'application']) {
    it(`gives its cookies to what ${action} answers`, async () => {
      const { headers } = await serveAction(Merging, action)
      assert.ok(headers.some(([name, value]) => name === 'Set-Cookie' && value.startsWith('seen=1')))
    })
    it(`gives its other headers to what ${action} answers`, async () => {
      assert.equal((await serveAction(Merging, action)).header('x-base'), 'base')
    })
  }

  it('keeps headers that describe its own body from an application', async () => {
    const served = await serveAction(Merging, 'application')
    for (const name of ['etag', 'pre-x-base', 'vary-base']) assert.equal(served.header(name), undefined, name)
  })

  it('overrides no header of a returned response', async () => {
    assert.equal((await serveAction(Merging, 'response_')).header('x-both'), 'own')
  })

  it('keeps the cookies of a returned response', async () => {
    const { headers } = await serveAction(Merging, 'response_')
    assert.equal(headers.filter(([name]) => name === 'Set-Cookie').length, 2)
  })
})

describe('a controller instance', () => {
  it('is new for each request', async () => {
    class Counting extends WSGIController {
      count = 0
      index() {
        this.count += 1
        return String(this.count)
      }
    }
    await serveAction(Counting, 'index')
    assert.equal((await serveAction(Counting, 'index')).text, '1')
  })

  it('lets a base class wrap __call__', async () => {
    class Base extends WSGIController {
      override async __call__(environ: Environ, start_response: StartResponse) {
        return super.__call__(environ, (status, headers) => start_response(status, [...headers, ['X-Wrapped', 'yes']]))
      }
    }
    class Wrapped extends Base {
      index() {
        return 'x'
      }
    }
    assert.equal((await serveAction(Wrapped, 'index')).header('x-wrapped'), 'yes')
  })

  it('says so when it is used outside a request', () => {
    assert.throws(() => new Results().request, /not serving a request/)
  })
})
