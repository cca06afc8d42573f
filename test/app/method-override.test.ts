import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { abort, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { createEnviron, run } from 'propylon/wsgi'
import { Connection, serving } from '../wsgi/node/raw.ts'

class UsersController extends WSGIController {
  async update(id: string) {
    const form = await this.request.form()
    const files = form.files.map(({ filename }) => filename)
    return `update ${id} ${[...form.keys(), ...files].join()} by ${this.request.originalMethod}`
  }
  async delete() {
    return String(Buffer.from(await this.request.environ['wsgi.input'].read()))
  }
  show() {
    return 'show'
  }
}

class GuardedController extends WSGIController {
  __before__() {
    abort(403)
  }
  delete() {}
}

const app = new FrameworkApp({
  map: new Mapper().resource('user', 'users').resource('guard', 'guarded'),
  controllers: { users: UsersController, guarded: GuardedController },
})

const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=b'
const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const file = (name: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="f.txt"\r\n\r\n${content}\r\n`

/** Posts a form in chunks of a size. */
async function post(form: string | Uint8Array, type: string, size: number, extra = {}) {
  const bytes = Buffer.from(form)
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const environ = createEnviron({
    url: '/users/joe',
    method: 'POST',
    headers: [
      ['Content-Type', type],
      ['Content-Length', String(bytes.length)],
    ],
    body: pieces(),
    extra,
  })
  const result = await run(app, environ)
  return { status: result.status, text: await result.text() }
}

const long = 'x'.repeat(40_000)

const overridden: [form: string, type: string, fields: string][] = [
  ['_method=PUT', URLENCODED, '_method'],
  ['_method=PUT&a=1&b=2', URLENCODED, '_method,a,b'],
  ['%5Fmetho%64=p%75t&a=1', URLENCODED, '_method,a'],
  ['&&_method=PUT&a=1', URLENCODED, '_method,a'],
  ['a=1&_method=PUT', URLENCODED, 'a,_method'],
  [`a=${long}&_method=PUT`, URLENCODED, 'a,_method'],
  [`_method=PUT&a=${long}`, URLENCODED, '_method,a'],
  ['_method=PUT&_method=DELETE', URLENCODED, '_method'],
  ['_method=PUT&a=1', `${URLENCODED}; charset=utf-8`, '_method,a'],
  ['_method=PUT&a=1', `${URLENCODED}; charset=iso-8859-1`, '_method,a'],
  [`${field('_method', 'PUT')}--b--\r\n`, MULTIPART, '_method'],
  [`${field('_method', 'PUT')}${field('a', '1')}--b--\r\n`, MULTIPART, '_method,a'],
  [`${field('a', '1')}${field('_method', 'PUT')}--b--\r\n`, MULTIPART, 'a,_method'],
  [`${file('a', long)}${field('_method', 'PUT')}--b--\r\n`, MULTIPART, '_method,f.txt'],
  [`${field('_method', 'PUT')}${file('a', long)}--b--\r\n`, MULTIPART, '_method,f.txt'],
  [`${file('_method', 'DELETE')}${field('_method', 'PUT')}--b--\r\n`, MULTIPART, '_method,f.txt'],
]

const refused: [form: string, type: string, status: string][] = [
  ['_method=GET&_method=PUT', URLENCODED, '405 Method Not Allowed'],
  ['_method=&_method=PUT', URLENCODED, '405 Method Not Allowed'],
  ['_method&_method=PUT', URLENCODED, '405 Method Not Allowed'],
  ['a=1', URLENCODED, '405 Method Not Allowed'],
  ['', URLENCODED, '405 Method Not Allowed'],
  [`${field('_method', 'GET')}${field('_method', 'PUT')}--b--\r\n`, MULTIPART, '405 Method Not Allowed'],
  ['no form', MULTIPART, '400 Bad Request'],
  ['--b\r\n\r\nPUT\r\n--b--\r\n', MULTIPART, '400 Bad Request'],
  [`${field('_method', 'PUT')}--b--\r\n`, 'multipart/form-data', '400 Bad Request'],
]

describe('method override', () => {
  for (const size of [1, 7, 100_000]) {
    for (const [form, type, fields] of overridden) {
      it(`uses PUT of ${type} ${JSON.stringify(form.slice(0, 70))} in pieces of ${size} bytes`, async () => {
        assert.deepEqual(await post(form, type, size), {
          status: '200 OK',
          text: `update joe ${fields} by POST`,
        })
      })
    }
    for (const [form, type, status] of refused) {
      it(`ignores _method of ${type} ${JSON.stringify(form.slice(0, 70))} in pieces of ${size} bytes`, async () => {
        assert.equal((await post(form, type, size)).status, status)
      })
    }
  }

  it('uses PUT of a compressed form', async () => {
    const { text } = await post(gzipSync('_method=PUT&a=1'), URLENCODED, 5, { HTTP_CONTENT_ENCODING: 'gzip' })
    assert.equal(text, 'update joe _method,a by POST')
  })

  for (const form of ['_method=DELETE&a=1', `_method=DELETE&a=${long}`, `a=${long}&_method=DELETE`]) {
    it(`passes the whole body of ${form.slice(0, 18)} to an action that reads wsgi.input`, async () => {
      assert.equal((await post(form, URLENCODED, 1000)).text, form)
    })
  }

  it('happens within the middleware, which sees the method that was sent', async () => {
    const seen: string[] = []
    const inner = new FrameworkApp({
      map: new Mapper().resource('user', 'users'),
      controllers: { users: UsersController },
      middleware: [
        (next) => (environ, start_response) => {
          seen.push(environ.REQUEST_METHOD)
          return next(environ, start_response)
        },
      ],
    })
    const headers: [string, string][] = [['Content-Type', URLENCODED]]
    const environ = createEnviron({ method: 'POST', url: '/users/joe', headers, body: '_method=DELETE' })
    assert.equal(await (await run(inner, environ)).text(), '_method=DELETE')
    assert.deepEqual(seen, ['POST'])
  })

  it('returns 503 if the server has no memory for the first field', () =>
    serving(
      app,
      async (server) => {
        const client = new Connection(server.port)
        const head = `Host: x\r\nContent-Type: ${URLENCODED}\r\nTransfer-Encoding: chunked`
        client.say(`POST /users/joe HTTP/1.1\r\n${head}\r\n\r\n${'1\r\nx\r\n'.repeat(5000)}`)
        await client.hears('HTTP/1.1 503 Service Unavailable')
        client.socket.destroy()
      },
      { maxBufferedBytes: 4000 },
    ))

  for (const [type, form] of [
    [URLENCODED, '_method=DELETE&a=1'],
    [MULTIPART, `${field('_method', 'DELETE')}${file('a', '')}`],
  ] as const) {
    it(`runs the hooks before the rest of a form has arrived, ${type}`, () =>
      serving(app, async (server) => {
        const client = new Connection(server.port)
        const head = `Host: x\r\nContent-Type: ${type}\r\nContent-Length: 1000000`
        client.say(`POST /guarded/1 HTTP/1.1\r\n${head}\r\n\r\n${form}`)
        await client.hears('HTTP/1.1 403 Forbidden')
        client.socket.destroy()
      }))

    it(`passes the rest of a form to the action that reads it, ${type}`, () =>
      serving(app, async (server) => {
        const client = new Connection(server.port)
        const rest = type === URLENCODED ? '&b=2' : `${field('b', '2')}--b--\r\n`
        const start = form.replace('DELETE', 'PUT')
        const head = `Host: x\r\nContent-Type: ${type}\r\nContent-Length: ${start.length + rest.length}`
        client.say(`POST /users/joe HTTP/1.1\r\n${head}\r\n\r\n${start}`)
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
        client.say(rest)
        await client.hears('by POST')
        assert.match(client.heard, type === URLENCODED ? /_method,a,b by/ : /_method,b,f.txt by/)
        client.socket.destroy()
      }))
  }
})

describe('method override of an action that reads a form by parts()', () => {
  class FilesController extends WSGIController {
    async #names() {
      const names: string[] = []
      for await (const part of this.request.parts()) names.push(`${part.name}:${(await part.bytes()).length}`)
      return `${this.request.method} ${names.join()}`
    }
    create() {
      return this.#names()
    }
    update() {
      return this.#names()
    }
  }
  const map = new Mapper()
    .connect('/{id}', { controller: 'files', action: 'create', conditions: { method: ['POST'] } })
    .connect('/{id}', { controller: 'files', action: 'update', conditions: { method: ['PUT'] } })
  const files = new FrameworkApp({ map, controllers: { files: FilesController } })

  async function send(form: string, length = form.length): Promise<string> {
    const environ = createEnviron({
      url: '/a',
      method: 'POST',
      headers: [
        ['Content-Type', MULTIPART],
        ['Content-Length', String(length)],
      ],
      body: form,
    })
    return (await run(files, environ)).text()
  }

  const large = 17_000_000
  const rows: [label: string, form: string, length: number | undefined, text: string][] = [
    ['a first field _method', `${field('_method', 'PUT')}${file('f', 'x')}--b--`, undefined, 'PUT _method:3,f:1'],
    [
      'a first field _method, if it is large',
      `${field('_method', 'PUT')}${file('f', 'x')}--b--`,
      large,
      'PUT _method:3,f:1',
    ],
    ['a later field _method', `${file('f', 'x')}${field('_method', 'PUT')}--b--`, undefined, 'PUT f:1,_method:3'],
    ['no field _method', `${file('f', 'x')}--b--`, undefined, 'POST f:1'],
    ['no field _method, if it is too large for form()', `${file('f', 'x')}--b--`, large, 'POST f:1'],
  ]
  for (const [label, form, length, text] of rows) {
    it(`leaves it to the action with ${label}`, async () => {
      assert.equal(await send(form, length), text)
    })
  }
})
