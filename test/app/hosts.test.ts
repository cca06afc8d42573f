import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  FrameworkApp,
  type FrameworkAppOptions,
  JSONRPCController,
  Mapper,
  WSGIController,
  XMLRPCController,
} from 'propylon'
import { TestApp } from 'propylon/testing'
import { createEnviron, type Environ, run } from 'propylon/wsgi'

class PagesController extends WSGIController {
  index() {
    return this.url('home', { qualified: true })
  }
  fail() {
    throw new Error('a secret')
  }
}

const log: string[] = []

function application(options: Partial<FrameworkAppOptions> = {}): FrameworkApp {
  const write = (line: string) => void log.push(line)
  return new FrameworkApp({
    map: new Mapper()
      .connect('home', '/', { controller: 'pages', action: 'index' })
      .connect('/fail', { controller: 'pages', action: 'fail' })
      .connect('/absent', { controller: 'pages', action: 'absent' })
      .connect('/lost', { controller: 'lost', action: 'index' }),
    controllers: { pages: PagesController },
    logger: { info: write, warn: write, error: write },
    ...options,
  })
}

async function get(app: FrameworkApp, host: string | undefined, url = '/', extra: Partial<Environ> = {}) {
  log.length = 0
  const headers: [string, string][] = [['Accept', 'text/html']]
  const environ = createEnviron({ url, headers, extra: { ...extra, HTTP_HOST: host } })
  let result: Awaited<ReturnType<typeof run>>
  try {
    result = await run(app, environ)
  } catch (error) {
    result = await run(await app.handleError(error, environ), environ)
  }
  return { status: result.status, text: await result.text() }
}

describe('FrameworkApp without hosts', () => {
  for (const host of [
    'example.com',
    'example.com:',
    'my_service:8000',
    '[::1]:5000',
    '10.0.0.1',
    'xn--bcher-kva.example',
  ]) {
    it(`serves ${host}`, async () => assert.match((await get(application(), host)).status, /^200/))
  }

  for (const host of ['evil.com::', 'a,b', '-evil.com', 'evil.com/a', 'user@evil', '[::1']) {
    it(`returns 400 for the malformed host ${host}, which middleware does not see`, async () => {
      const seen: unknown[] = []
      const app = application({
        middleware: [
          (inner) => (environ, start_response) => {
            seen.push(environ.HTTP_HOST)
            return inner(environ, start_response)
          },
        ],
      })
      const { status, text } = await get(app, host)
      assert.equal(status, '400 Bad Request')
      assert.match(text, /The Host field is malformed/)
      assert.deepEqual(seen, [undefined])
    })
  }

  it('uses the name of the server when there is no Host field', async () => {
    const extra = { SERVER_NAME: 'server.internal', SERVER_PORT: '8080' }
    for (const host of [undefined, '']) {
      const { status, text } = await get(application(), host, '/', extra)
      assert.deepEqual([status, text], ['200 OK', 'http://server.internal:8080/'])
    }
  })
})

describe('FrameworkApp with hosts', () => {
  const hosts = ['Example.com', '.example.org', '10.0.0.1', '[::1]']
  const rows: [host: string | undefined, status: string][] = [
    ['example.com', '200 OK'],
    ['EXAMPLE.COM:8080', '200 OK'],
    ['example.com.', '200 OK'],
    ['www.example.com', '400 Bad Request'],
    ['example.org', '200 OK'],
    ['a.b.example.org:1', '200 OK'],
    ['notexample.org', '400 Bad Request'],
    ['example.org.evil.com', '400 Bad Request'],
    ['10.0.0.1:80', '200 OK'],
    ['[::1]:80', '200 OK'],
    ['localhost', '400 Bad Request'],
    ['evil.com/a', '400 Bad Request'],
    [undefined, '200 OK'],
  ]
  for (const [host, status] of rows) {
    it(`returns ${status} for ${host ?? 'no Host field'}`, async () => {
      assert.equal((await get(application({ hosts }), host)).status, status)
    })
  }

  it('accepts any well-formed host with *', async () => {
    const app = application({ hosts: ['*'] })
    assert.equal((await get(app, 'anything.example')).status, '200 OK')
    assert.equal((await get(app, 'a,b')).status, '400 Bad Request')
  })

  it('refuses a host again after it has served another', async () => {
    const app = application({ hosts })
    for (const [host, status] of [...rows, ...rows]) assert.equal((await get(app, host)).status, status)
  })

  it('names the option and the value to add, in debug mode and in the log', async () => {
    const option = "new FrameworkApp({ hosts: ['example.com', 'www.example.com'] })"
    const { text } = await get(application({ hosts: ['example.com'], debug: true }), 'www.example.com:80')
    assert.ok(text.includes(option.replaceAll("'", '&#39;')), text)
    assert.ok(log.join().includes(option), log.join())
  })

  it('names no other host outside debug mode', async () => {
    const { text } = await get(application({ hosts: ['internal.example'] }), 'evil.com')
    assert.doesNotMatch(text, /internal\.example|FrameworkApp/)
    assert.match(log.join(), /GET \/ was refused: hosts does not list "evil\.com"/)
  })

  const malformed: [entries: unknown, message: RegExp][] = [
    [[], /hosts is empty/],
    ['example.com', /hosts is "example\.com"\. Pass an array/],
    [[''], /hosts contains ""\. Write a domain name/],
    [['.'], /contains "\."/],
    [['*.example.com'], /Write '\.example\.com' for a domain and its subdomains/],
    [['example.com:80'], /contains "example\.com:80"\. .* without scheme, port/],
    [['example.com.'], /contains "example\.com\."\. .* a dot at the end/],
    [['https://example.com'], /without scheme, port, path/],
    [['::1'], /contains "::1"\. .* '\[::1\]'/],
    [['bücher.example'], /in punycode/],
    [['a b'], /contains "a b"/],
    [[42], /hosts contains 42\. Write a domain name/],
  ]
  for (const [entries, message] of malformed) {
    it(`throws for ${JSON.stringify(entries)}`, () => {
      const hosts = entries as string[]
      assert.throws(() => application({ hosts }), { name: 'TypeError', message })
    })
  }
})

describe('debug pages', () => {
  const trusted: [host: string, hosts?: string[]][] = [
    ['localhost:5000'],
    ['app.localhost'],
    ['app.test'],
    ['127.0.0.1:5000'],
    ['[::1]:5000'],
    ['dev.example.com', ['dev.example.com']],
    ['a.example.com', ['.example.com']],
  ]
  for (const [host, hosts] of trusted) {
    it(`are sent to ${host}${hosts === undefined ? '' : ', which is listed'}`, async () => {
      const app = application({ debug: true, ...(hosts && { hosts }) })
      assert.match((await get(app, host, '/fail')).text, /a secret/)
      assert.match((await get(app, host, '/nowhere')).text, /All routes/)
    })
  }

  const others: [host: string, hosts?: string[]][] = [
    ['evil.com'],
    ['192.168.0.1'],
    ['localhost.evil.com'],
    ['evil.com', ['*']],
  ]
  const pages: [path: string, status: string][] = [
    ['/fail', '500 Internal Server Error'],
    ['/nowhere', '404 Not Found'],
    ['/absent', '404 Not Found'],
    ['/lost', '404 Not Found'],
  ]
  for (const [host, hosts] of others) {
    for (const [path, status] of pages) {
      it(`are replaced for ${host}${hosts === undefined ? '' : ' with *'}: ${path}`, async () => {
        const app = application({ debug: true, ...(hosts && { hosts }) })
        const production = await get(application(), host, path)
        assert.deepEqual(await get(app, host, path), { ...production, status })
        assert.match(log.join('\n'), /receives no error details, because "[^"]+" is not a local host/)
      })
    }
  }

  class CallsController extends JSONRPCController {
    fail() {
      throw new Error('a secret')
    }
  }
  class ServiceController extends XMLRPCController {
    fail() {
      throw new Error('a secret')
    }
  }
  const rpc: [protocol: string, path: string, type: string, body: string][] = [
    ['JSON-RPC', '/calls', 'application/json', '{"jsonrpc":"2.0","id":1,"method":"fail"}'],
    ['XML-RPC', '/service', 'text/xml', '<methodCall><methodName>fail</methodName></methodCall>'],
  ]
  for (const [protocol, path, type, body] of rpc) {
    it(`of ${protocol} methods are sent to trusted hosts only`, async () => {
      const app = application({
        debug: true,
        map: new Mapper().connect('/{controller}', { action: 'index' }),
        controllers: { calls: CallsController, service: ServiceController },
      })
      const textFor = async (host: string) =>
        (await new TestApp(app).post(path, body, { headers: { 'content-type': type, host } })).text
      assert.match(await textFor('localhost'), /a secret/)
      assert.doesNotMatch(await textFor('evil.com'), /a secret/)
    })
  }
})
