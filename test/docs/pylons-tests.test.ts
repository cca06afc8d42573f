/** The tests of Pylons 1.0.3 that hold in another form, by their names. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { authenticateForm, cached, decorate, formResult, https, jsonify, validate } from 'propylon/decorators'
import { JSONRPCController, XMLRPCController } from 'propylon/rpc'
import { TestApp } from 'propylon/testing'
import { createEnviron, run } from 'propylon/wsgi'
import * as v from 'valibot'

let runs = 0
const numbers = v.object({ hello: v.array(v.pipe(v.string(), v.regex(/^\d+$/, 'must be a number'))) })
const network = v.object({ network: v.pipe(v.string(), v.startsWith('http', 'must be a URL')) })

class PagesController extends WSGIController {
  plain() {
    this.response.contentType = 'text/plain'
    return 'Hello all!'
  }
  list() {
    return ['from', 'a list']
  }
  protected() {
    return 'Authenticated'
  }
  secure() {
    return 'secure page'
  }
  listed() {
    return [1, 2]
  }
  good() {
    return { fred: 42 }
  }
  form() {
    return `${JSON.stringify(this.c.formErrors)} ${JSON.stringify(this.c.formValues)}`
  }
  network() {
    return formResult(this, network).network
  }
  hello() {
    return formResult(this, numbers).hello.join()
  }
  keyed() {
    runs += 1
    return String(runs)
  }
  byArguments(id: string) {
    runs += 1
    return `${runs} ${id}`
  }
  static {
    decorate(this, {
      protected: [authenticateForm],
      secure: [https((controller) => controller.request.url)],
      listed: [jsonify],
      good: [jsonify],
      network: [validate(network, { form: 'form' })],
      hello: [validate(numbers, { form: 'form', from: 'params', lists: ['hello'] })],
      keyed: [cached({ expires: 60, key: ({ request }) => request.query.get('key') })],
      byArguments: [cached({ expires: 60 })],
    })
  }
}

class XmlController extends XMLRPCController {}
class JsonController extends JSONRPCController {
  echo(text: string) {
    return text
  }
}

const app = new FrameworkApp({
  map: new Mapper()
    .rpc('xml', '/xml')
    .rpc('json', '/json')
    .connect('/{action}', { controller: 'pages' })
    .connect('/{action}/{id}', { controller: 'pages' }),
  controllers: { pages: PagesController, xml: XmlController, json: JsonController },
  session: { secret: 'a secret for the sessions of the test' },
  templates: { 'errors/404': '<%= it.status %> <%= it.detail %> <%= it.request.path %>' },
  errorPages: { 404: 'errors/404' },
  logger: { info() {}, warn() {}, error() {} },
})
const client = new TestApp(app, { errors: 'page' })
const BROWSER = { headers: { Accept: 'text/html' } }

/** Posts an empty body, or none whose length is known. */
async function post(path: string, headers: [string, string][]): Promise<string> {
  const environ = createEnviron({ url: path, method: 'POST', headers, body: '' })
  if (!headers.some(([name]) => name === 'Content-Length')) environ.CONTENT_LENGTH = ''
  return (await run(app.wsgi, environ)).status
}

const errorPage = async () => {
  const { status, text } = await client.get('/nowhere/at/all', BROWSER)
  assert.equal(status, 404)
  assert.match(text, /^404 .*\/nowhere\/at\/all$/s)
}

const refusesForms = async () => {
  const { status, text } = await client.post('/network', new URLSearchParams({ network: 'Росси́я' }), BROWSER)
  assert.deepEqual([status, text], [400, '{"network":["must be a URL"]} {"network":"Росси́я"}'])
}

const ROWS: Readonly<Record<string, () => void | Promise<void>>> = {
  'test_controller.test_header_check': async () => {
    assert.equal((await client.get('/plain')).headers.get('Content-Type'), 'text/plain; charset=utf-8')
  },
  'test_controller.test_list': async () => {
    assert.deepEqual((await client.get('/list')).json(), ['from', 'a list'])
  },
  'test_decorator_authenticate_form.test_authenticated': async () => {
    for (const method of ['GET', 'POST']) {
      assert.equal((await client.request(method, '/protected?_authentication_token=x')).status, 403)
    }
  },
  'test_decorator_https.test_https_disallows_post': async () => {
    assert.equal((await client.post('/secure')).status, 403)
  },
  'test_decorator_https.test_https_callable_current': async () => {
    const { status, headers } = await client.get('/secure')
    assert.deepEqual([status, headers.get('Location')], [302, 'https://localhost/secure'])
    assert.equal((await client.get('https://localhost/secure')).text, 'secure page')
  },
  'test_decorator_jsonify.test_bad_json': async () => {
    assert.deepEqual((await client.get('/listed')).json(), [1, 2])
  },
  'test_decorator_jsonify.test_good_json': async () => {
    const { text, headers } = await client.get('/good')
    assert.deepEqual([text, headers.get('Content-Type')], ['{"fred":42}', 'application/json'])
  },
  'test_decorator_validate.test_network_failed_validation_non_ascii': refusesForms,
  'test_decorator_validate.test_hello_failed': async () => {
    assert.equal((await client.post('/hello?hello=1&hello=2')).text, '1,2')
    assert.equal((await client.post('/hello?hello=1&hello=hi', undefined, BROWSER)).status, 400)
  },
  'test_decorator_validate.test_hello_custom_failed': refusesForms,
  'test_decorator_cache.test_cache_key': async () => {
    const [first, again, other] = [
      await client.get('/keyed?key=a'),
      await client.get('/keyed?key=a'),
      await client.get('/keyed?key=b'),
    ]
    assert.equal(first.text, again.text)
    assert.notEqual(first.text, other.text)
  },
  'test_decorator_cache.test_default_cache_decorator': async () => {
    const first = await client.get('/byArguments/1')
    assert.equal((await client.get('/byArguments/1')).text, first.text)
    assert.notEqual((await client.get('/byArguments/2')).text, first.text)
  },
  'test_xmlrpc.test_no_length': async () => {
    assert.equal(await post('/xml', [['Content-Type', 'text/xml']]), '411 Length Required')
  },
  'test_xmlrpc.test_too_big': async () => {
    const headers: [string, string][] = [
      ['Content-Type', 'text/xml'],
      ['Content-Length', '4194314'],
    ]
    assert.match(await post('/xml', headers), /^413 /)
  },
  'test_xmlrpc.test_missingmethod': async () => {
    const call = '<methodCall><methodName>doesntexist</methodName></methodCall>'
    const { text } = await client.post('/xml', call, { headers: { 'Content-Type': 'text/xml' } })
    assert.match(text, /<int>-32601<\/int>/)
  },
  'test_jsonrpc.test_no_content_length': async () => {
    assert.equal(await post('/json', [['Content-Type', 'application/json']]), '411 Length Required')
  },
  'test_jsonrpc.test_zero_content_length': async () => {
    const headers: [string, string][] = [
      ['Content-Type', 'application/json'],
      ['Content-Length', '0'],
    ]
    assert.equal(await post('/json', headers), '411 Length Required')
  },
  'test_middleware.test_status_intercept': errorPage,
  'test_middleware.test_retains_response': errorPage,
  'test_middleware.test_retains_request': errorPage,
  'test_make_project.test_project_paster_create': () => {
    const { name } = JSON.parse(
      readFileSync(new URL('../../create-propylon/package.json', import.meta.url), 'utf8'),
    ) as { name: string }
    assert.equal(name, 'create-propylon')
  },
}

/** Tests with more than one check. */
const CHECKS: Readonly<Record<string, number>> = {
  'test_decorator_authenticate_form.test_authenticated': 2,
  'test_decorator_jsonify.test_bad_json': 2,
}

describe("Pylons' own tests", () => {
  test('hold in another form as often as docs/guides/coming-from/pylons.md says', () => {
    const guide = readFileSync(new URL('../../docs/guides/coming-from/pylons.md', import.meta.url), 'utf8')
    const [, count] = /word for word, (\d+) in another form/.exec(guide) ?? []
    const checks = Object.keys(ROWS).reduce((sum, name) => sum + (CHECKS[name] ?? 1), 0)
    assert.equal(checks, Number(count))
  })

  for (const [row, check] of Object.entries(ROWS)) test(row, check)
})
