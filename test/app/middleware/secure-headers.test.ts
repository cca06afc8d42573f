import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, Response, redirect, WSGIController } from 'propylon'
import { NONCE, type SecureHeadersOptions, secureHeaders } from 'propylon/middleware'
import { TestApp } from 'propylon/testing'
import type { HeaderPair } from 'propylon/wsgi'
import { transports } from '../../wsgi/transports.ts'

class PagesController extends WSGIController {
  index() {
    return this.render('page', { title: 'Home' })
  }
  data() {
    return { a: 1 }
  }
  cached() {
    const page = new Response('<p>cached</p>', { headers: { ETag: '"v1"' } })
    return page.makeConditional(this.request)
  }
  away() {
    return redirect('/')
  }
  own() {
    this.response.headers.set('content-security-policy', "default-src 'none'")
    this.response.headers.set('X-Content-Type-Options', 'own')
    return 'own'
  }
  fails() {
    throw new Error('broken')
  }
}

function site(options?: SecureHeadersOptions) {
  return new FrameworkApp({
    map: new Mapper()
      .connect('/', { controller: 'pages', action: 'index' })
      .connect('/{action}', { controller: 'pages' }),
    controllers: { pages: PagesController },
    templates: {
      page: '<script nonce="<%= it.nonce %>">1</script>',
      '404': 'missing <style nonce="<%= it.nonce %>"></style>',
    },
    errorPages: { 404: '404' },
    logger: { info() {}, warn() {}, error() {} },
    middleware: [secureHeaders(options)],
  })
}

const POLICY =
  "default-src 'self'; script-src 'self' 'nonce-N'; style-src 'self' 'nonce-N'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

const ofPages = { 'content-security-policy': POLICY, 'cross-origin-opener-policy': 'same-origin' }
const ofAll = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const NAMES = [...Object.keys({ ...ofPages, ...ofAll }), 'strict-transport-security']

const withoutNonce = (policy: string) => policy.replaceAll(/'nonce-[^']*'/g, "'nonce-N'")

const rows: [what: string, path: string, headers: HeaderPair[], expected: Record<string, string>][] = [
  ['a page', '/', [], { ...ofAll, ...ofPages }],
  ['JSON', '/data', [], ofAll],
  ['304', '/cached', [['If-None-Match', '"v1"']], ofAll],
  ['a redirect as text', '/away', [], ofAll],
  ['a redirect as a page', '/away', [['Accept', 'text/html']], { ...ofAll, ...ofPages }],
  ['an error page', '/fails', [['Accept', 'text/html']], { ...ofAll, ...ofPages }],
  ["the application's own error page", '/absent', [['Accept', 'text/html']], { ...ofAll, ...ofPages }],
  [
    'a page with headers of its own',
    '/own',
    [],
    {
      ...ofAll,
      ...ofPages,
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'own',
    },
  ],
]

for (const transport of transports) {
  describe(`secureHeaders, ${transport.name}`, () => {
    for (const [what, path, headers, expected] of rows) {
      it(`adds headers to ${what}`, async () => {
        const app = site()
        const served = {
          wsgi: app.servedWith(app),
          handleError: app.handleError.bind(app),
          reportError: app.reportError.bind(app),
        }
        const answer = await transport.request(served, { path, headers })
        const found = answer.headers
          .filter(([name]) => NAMES.includes(name))
          .map(([name, value]) => [name, withoutNonce(value)])
        assert.deepEqual(Object.fromEntries(found), expected)
        assert.equal(found.length, Object.keys(expected).length)
      })
    }
  })
}

describe('secureHeaders', () => {
  const nonceIn = (text: string | null | undefined) => /nonce[-=]"?([\w-]+)/.exec(text ?? '')?.[1] ?? ''

  for (const [what, path] of [
    ['a template', '/'],
    ["the application's error page", '/absent'],
    ['a built-in error page', '/away'],
  ] as const) {
    it(`allows inline code of ${what} by a nonce that differs in each response`, async () => {
      const app = new TestApp(site(), { headers: { accept: 'text/html' } })
      const one = await app.get(path)
      const two = await app.get(path)
      for (const { text, headers } of [one, two]) {
        assert.equal(nonceIn(text), nonceIn(headers.get('content-security-policy')))
        assert.match(nonceIn(text), /^[0-9a-f-]{36}$/)
      }
      assert.notEqual(nonceIn(one.text), nonceIn(two.text))
    })
  }

  it('sends Strict-Transport-Security over https only', async () => {
    const strict = async (options: SecureHeadersOptions, scheme: 'http' | 'https') => {
      const environ = { 'wsgi.url_scheme': scheme }
      const response = await new TestApp(site(options), { environ }).get('/data')
      return response.headers.get('strict-transport-security')
    }
    assert.equal(await strict({}, 'https'), 'max-age=31536000')
    assert.equal(await strict({}, 'http'), null)
    const hsts = { maxAge: 63072000, includeSubDomains: true, preload: true }
    assert.equal(await strict({ hsts }, 'https'), 'max-age=63072000; includeSubDomains; preload')
    assert.equal(await strict({ hsts: false }, 'https'), null)
  })

  const header = async (options: SecureHeadersOptions, name = 'content-security-policy') => {
    const response = await new TestApp(site(options)).get('/')
    return withoutNonce(response.headers.get(name) ?? '')
  }

  it('replaces, adds and removes directives', async () => {
    const policy = await header({
      csp: {
        'default-src': ["'none'"],
        'script-src': [NONCE, "'strict-dynamic'", 'https:'],
        'img-src': null,
        'connect-src': ["'self'", 'wss://events.example'],
        'upgrade-insecure-requests': [],
      },
    })
    assert.equal(
      policy,
      "default-src 'none'; script-src 'nonce-N' 'strict-dynamic' https:; style-src 'self' 'nonce-N'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; connect-src 'self' wss://events.example; upgrade-insecure-requests",
    )
  })

  it('sends hashes of SHA-256, SHA-384 and SHA-512 in both alphabets', async () => {
    const hashes = ["'sha256-abc+/123='", "'sha384-abc-_123=='", "'sha512-abc'", "'unsafe-inline'"]
    const policy = await header({ csp: { 'script-src': hashes } })
    assert.ok(policy.includes(`script-src ${hashes.join(' ')};`))
  })

  it('sends the policy as one that only reports', async () => {
    assert.equal(await header({ reportOnly: true }, 'content-security-policy-report-only'), POLICY)
    assert.equal(await header({ reportOnly: true }), '')
  })

  it('sends other values, or none', async () => {
    assert.equal(await header({ csp: false }), '')
    assert.equal(await header({ referrerPolicy: 'same-origin' }, 'referrer-policy'), 'same-origin')
    assert.equal(await header({ referrerPolicy: false }, 'referrer-policy'), '')
    assert.equal(await header({ coop: 'unsafe-none' }, 'cross-origin-opener-policy'), 'unsafe-none')
    assert.equal(await header({ coop: false }, 'cross-origin-opener-policy'), '')
    assert.equal(await header({ corp: 'cross-origin' }, 'cross-origin-resource-policy'), 'cross-origin')
    assert.equal(await header({ corp: false }, 'cross-origin-resource-policy'), '')
  })

  const refused: [options: object, message: RegExp][] = [
    [{ cps: {} }, /has no option "cps". Did you mean csp\?/],
    [{ csp: "default-src 'self'" }, /csp is "default-src 'self'". Pass directives, or false/],
    [{ csp: { 'scrpt-src': [] } }, /has no option "scrpt-src". Did you mean script-src\?/],
    [{ csp: { scriptSrc: [] } }, /Did you mean script-src\?/],
    [{ csp: { 'img-src': 'https:' } }, /img-src is "https:". Pass a list/],
    [{ csp: { 'img-src': [1] } }, /img-src contains 1. Write each value as a string/],
    [{ csp: { 'img-src': ["'self' https:"] } }, /Write one value without blanks/],
    [{ csp: { 'img-src': ['https://a.example;script-src *'] } }, /without blanks, semicolons/],
    [{ csp: { 'img-src': ['https://a.example\r\nSet-Cookie:a=1'] } }, /without blanks/],
    [{ csp: { 'img-src': ['https://münchen.example'] } }, /beyond ASCII/],
    [{ csp: { 'img-src': ['self'] } }, /img-src contains "self". Write the keyword with quotes: "'self'"/],
    [{ csp: { 'img-src': ["'slef'"] } }, /Did you mean "'self'"\?/],
    [{ csp: { 'img-src': ["'https://a.example'"] } }, /Write hosts and schemes without/],
    [{ csp: { 'script-src': ["'nonce-abc'"] } }, /Use the constant NONCE/],
    [{ csp: { 'script-src': ["'x-nonce-abc'"] } }, /Write hosts and schemes without/],
    ...['sha1-abc', 'xsha256-abc', 'sha256-', 'sha256-abc===', 'sha256-a=b', 'sha256-ab*'].map(
      (hash): [options: object, message: RegExp] => [{ csp: { 'script-src': [`'${hash}'`] } }, /script-src contains/],
    ),
    [{ csp: { 'img-src': ["'none'", 'https:'] } }, /'none' and other values/],
    [{ referrerPolicy: 'no-referer' }, /referrerPolicy is "no-referer". Pass one of 'no-referrer', /],
    [{ coop: true }, /coop is true. Pass one of 'same-origin', /],
    [{ hsts: { maxage: 1 } }, /secureHeaders\(\{ hsts \}\) has no option "maxage". Did you mean maxAge\?/],
    [{ hsts: { maxAge: 1.5 } }, /maxAge is 1.5. Pass a whole number of seconds/],
    [{ hsts: { preload: true } }, /preload without includeSubDomains/],
  ]
  for (const [options, message] of refused) {
    it(`refuses ${JSON.stringify(options)}`, () => assert.throws(() => secureHeaders(options), message))
  }

  it('refuses misspelt directives when it is compiled', () => {
    // @ts-expect-error: no such directive
    assert.throws(() => secureHeaders({ csp: { 'scrpt-src': [] } }))
  })
})
