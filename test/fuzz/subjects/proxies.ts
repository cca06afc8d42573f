/** Host, Forwarded, X-Forwarded-* and Authorization. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Request } from 'propylon'
import { basicAuth, safeEqual } from 'propylon/middleware'
import { createEnviron, type Environ } from 'propylon/wsgi'
import { applyForwarded, type ProxyHeaders } from '../../../src/wsgi/proxy/proxy-headers.ts'
import { isHost } from '../../../src/wsgi/request-url.ts'
import { bytes, headerText, soup, text } from '../arbitraries.ts'
import { ask } from '../ask.ts'
import { property, type Subject } from '../property.ts'

const PROXIES = ['10.0.0.1', '10.0.0.2', 'fd00::1']
const CLIENTS = ['203.0.113.9', '198.51.100.7', '2001:db8::9']
const trusts = (address: string) => PROXIES.includes(address)

/** A hop as the next proxy describes it. */
const hop = (addresses: readonly string[]) =>
  fc.record({
    address: fc.constantFrom(...addresses),
    scheme: fc.constantFrom('http', 'https', 'HTTPS'),
    host: fc.constantFrom('a.test', 'b.test:8080', '[::1]:81'),
    port: fc.option(fc.nat(65535)),
  })

/** Bytes that clients put before what proxies append. */
const forged = fc.option(
  fc.oneof(
    headerText(20),
    fc.constantFrom('for=10.0.0.1', '10.0.0.1', 'for=9.9.9.9', '"', 'for="', '\\', 'for=a;host="', ';'),
  ),
)

const wild = soup([
  ...['for=', 'proto=', 'host=', 'by=', 'https', 'http', ';', ',', '"', '\\', '=', ' ', '10.0.0.1', '203.0.113.9'],
  ...[
    '[2001:db8::9]',
    ':80',
    'unknown',
    '_hidden',
    'unix:',
    'evil.test',
    '/',
    '//',
    '..',
    '%2f',
    '%00',
    '@',
    '::ffff:1.2.3.4',
    '[',
    ']',
  ],
])

const FIELDS = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-Prefix'] as const

function environOf(headers: readonly (readonly [string, string])[]): Environ {
  return createEnviron({
    url: '/a%20b?c',
    headers: [['Host', 'inner.test'], ...headers],
    remoteAddr: '10.0.0.1',
  })
}

/** A client, then the proxies behind it. The nearest proxy is the peer, which no field names. */
const chain = fc.record({ client: hop(CLIENTS), proxies: fc.array(hop(PROXIES), { maxLength: 3 }), forged })

export const proxies: Subject = {
  name: 'proxies',
  properties: [
    property(
      'Forwarded gives the hop at which the request reached the first trusted proxy',
      chain,
      ({ client, proxies, forged }) => {
        const node = ({ address, port }: typeof client) => {
          const name = address.includes(':') ? `[${address}]` : address
          return `"${name}${port === null ? '' : `:${port}`}"`
        }
        const elements = [client, ...proxies].map(
          (each) => `for=${node(each)};proto=${each.scheme}; Host="${each.host}"`,
        )
        const environ = environOf([['Forwarded', [...(forged === null ? [] : [forged]), ...elements].join(', ')]])
        applyForwarded(environ, { trusts, headers: 'forwarded' })
        // A quote that the client opens may reach into what the proxies append, and makes the field malformed.
        if (forged?.includes('"') && environ.REMOTE_ADDR === '10.0.0.1') return
        assert.equal(environ.REMOTE_ADDR, client.address)
        assert.equal(environ['wsgi.url_scheme'], client.scheme.toLowerCase())
        assert.equal(environ.HTTP_HOST, client.host)
      },
    ),
    property(
      'a Forwarded element that is malformed, and everything before it, changes nothing',
      fc.record({
        before: hop(CLIENTS),
        malformed: fc.constantFrom(
          'for=1.2.3.999',
          'for="[::1"',
          'for=a b',
          'for=1.2.3',
          'for=',
          'host=a.test;host=b.test',
        ),
        proxies: fc.array(hop(PROXIES), { maxLength: 2 }),
      }),
      ({ before, malformed, proxies }) => {
        const node = (address: string) => `for="${address.includes(':') ? `[${address}]` : address}"`
        const elements = [
          `${node(before.address)};host="${before.host}"`,
          malformed,
          ...proxies.map(({ address }) => node(address)),
        ]
        const environ = environOf([['Forwarded', elements.join(', ')]])
        applyForwarded(environ, { trusts, headers: 'forwarded' })
        assert.equal(environ.REMOTE_ADDR, '10.0.0.1')
        assert.equal(environ.HTTP_HOST, 'inner.test')
      },
    ),
    property('X-Forwarded-* give the same', chain, ({ client, proxies, forged }) => {
      const hops = [client, ...proxies]
      const list = (values: readonly string[]) => [...(forged === null ? [] : [forged]), ...values].join(', ')
      const environ = environOf([
        ['X-Forwarded-For', list(hops.map(({ address }) => address))],
        ['X-Forwarded-Proto', list(hops.map(({ scheme }) => scheme))],
        ['X-Forwarded-Host', list(hops.map(({ host }) => host))],
      ])
      applyForwarded(environ, { trusts, headers: 'x-forwarded' })
      assert.equal(environ.REMOTE_ADDR, client.address)
      assert.equal(environ['wsgi.url_scheme'], client.scheme.toLowerCase())
      assert.equal(environ.HTTP_HOST, client.host)
    }),
    property(
      'the fields of the other family change nothing',
      fc.record({
        forwarded: fc.array(fc.tuple(fc.constant('Forwarded'), wild), { maxLength: 2 }),
        listed: fc.array(fc.tuple(fc.constantFrom(...FIELDS.slice(1)), wild), { maxLength: 4 }),
        family: fc.constantFrom<ProxyHeaders>('x-forwarded', 'forwarded'),
      }),
      ({ forwarded, listed, family }) => {
        const relevant = family === 'forwarded' ? forwarded : listed
        const [alone, both] = [relevant, [...forwarded, ...listed]].map((headers) => {
          const environ = environOf(headers)
          applyForwarded(environ, { trusts, headers: family })
          const { REMOTE_ADDR, HTTP_HOST, SCRIPT_NAME, REQUEST_URI } = environ
          return [REMOTE_ADDR, HTTP_HOST, SCRIPT_NAME, REQUEST_URI, environ['wsgi.url_scheme']]
        })
        assert.deepEqual(both, alone)
      },
    ),
    property(
      'any fields leave an environ from which a URL of one of its hosts is built',
      fc.record({
        family: fc.constantFrom<ProxyHeaders>('x-forwarded', 'forwarded'),
        headers: fc.array(fc.tuple(fc.constantFrom(...FIELDS), wild), { maxLength: 4 }),
      }),
      ({ family, headers }) => {
        const environ = environOf(headers)
        applyForwarded(environ, { trusts, headers: family })
        const { REMOTE_ADDR = '', HTTP_HOST = '', SCRIPT_NAME } = environ
        const sent = headers.map(([, value]) => value).join('\n')
        assert.ok(REMOTE_ADDR === '10.0.0.1' || sent.includes(REMOTE_ADDR) || REMOTE_ADDR === '', REMOTE_ADDR)
        assert.ok(HTTP_HOST === 'inner.test' || (isHost(HTTP_HOST) && unquoted(sent).includes(HTTP_HOST)), HTTP_HOST)
        assert.match(SCRIPT_NAME, /^(?:\/(?![/\\])|$)/)
        assert.ok(['http', 'https'].includes(environ['wsgi.url_scheme']))
        const { url, host } = new Request(environ)
        assert.equal(new URL(url).host, new URL(`${environ['wsgi.url_scheme']}://${host}`).host)
        assert.ok(new URL(url).pathname.endsWith('/a%20b'), url)
      },
    ),
    property(
      'a host that passes is the host of a URL',
      fc.oneof(text(12), soup(['a', '.', '-', ':', '80', '[', ']', '::1', '@', '/', '1', '%41'])),
      (host) => {
        if (!isHost(host)) return
        const url = new URL(`http://${host}/`)
        assert.equal(url.pathname, '/')
        assert.equal(url.username, '')
        assert.doesNotMatch(host, /[\s/@\\?#%,]/)
        const { url: built } = new Request(createEnviron({ headers: [['Host', host]] }))
        assert.equal(new URL(built).host, url.host)
      },
    ),
    property(
      'Basic credentials arrive as they were sent',
      fc.record({ user: text(), password: text() }),
      async ({ user, password }) => {
        const seen: string[] = []
        const app = basicAuth((...given) => seen.push(given[0], given[1]) > 0)((_environ, start_response) => {
          start_response('200 OK', [['Content-Type', 'text/plain']])
          return ['inside']
        })
        const credentials = Buffer.from(`${user}:${password}`).toString('base64')
        const { status } = await ask(app, { headers: [['Authorization', `Basic ${credentials}`]] })
        // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 7617 §2 forbids them
        const isMalformed = user.includes(':') || /[\x00-\x1f\x7f]/.test(user + password)
        if (!isMalformed) assert.deepEqual([status, ...seen], [200, user, password])
        else if (status === 200) assert.equal(seen.join(':'), `${user}:${password}`)
        else assert.deepEqual([status, seen], [401, []])
      },
    ),
    property(
      'any other Authorization is refused, without a call of the check',
      fc.oneof(headerText(), soup(['Basic', 'basic ', 'Bearer ', ' ', 'YTpi', '=', '==', 'YTpi\t', ','])),
      async (authorization) => {
        let seen: string | undefined
        const app = basicAuth((user, password) => {
          seen = `${user}:${password}`
          return false
        })(() => assert.fail('the application was called'))
        const { status } = await ask(app, { headers: [['Authorization', authorization]] })
        assert.equal(status, 401)
        if (seen === undefined) return
        const [, credentials = ''] = /^basic +(\S+)/i.exec(authorization) ?? []
        assert.equal(Buffer.from(credentials, 'base64').toString(), seen)
      },
    ),
    property('safeEqual compares texts', fc.tuple(bytes(3), bytes(3)), ([one, other]) => {
      assert.equal(safeEqual(one, other), one === other)
      assert.ok(safeEqual(one, one))
    }),
  ],
}

/** Returns a text without the escapes of quoted strings. */
function unquoted(text: string): string {
  return `${text}\n${text.replace(/\\(.)/g, '$1')}`
}
