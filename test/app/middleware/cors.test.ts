import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, type FrameworkAppOptions, Mapper, WSGIController } from 'propylon'
import { type CorsOptions, cors } from 'propylon/middleware'
import type { HeaderPair } from 'propylon/wsgi'
import { type RequestSpec, transports } from '../../wsgi/transports.ts'

class DataController extends WSGIController {
  index() {
    this.response.headers.set('Vary', 'Accept')
    return { a: 1 }
  }
  own() {
    this.response.headers.set('Access-Control-Allow-Origin', 'https://own.example')
    return 'own'
  }
  fails() {
    throw new Error('broken')
  }
}

function site(options: CorsOptions, more: Partial<FrameworkAppOptions> = {}) {
  const app = new FrameworkApp({
    map: new Mapper()
      .connect('/data', { controller: 'data', action: 'index' })
      .connect('/data/{action}', { controller: 'data' }),
    controllers: { data: DataController },
    logger: { info() {}, warn() {}, error() {} },
    middleware: [cors(options)],
    ...more,
  })
  return {
    wsgi: app.servedWith(app),
    handleError: app.handleError.bind(app),
    reportError: app.reportError.bind(app),
  }
}

const FRIEND = 'https://app.example'
const listed: CorsOptions = { origins: [FRIEND, 'http://localhost:3000'] }
const from = (origin: string): HeaderPair => ['Origin', origin]
const asking = (method: string, names?: string): HeaderPair[] => [
  ['Access-Control-Request-Method', method],
  ...(names === undefined ? [] : [['Access-Control-Request-Headers', names] satisfies HeaderPair]),
]

type Row = [what: string, options: CorsOptions, request: RequestSpec, status: number, headers: Record<string, string>]

const DEFAULT_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const get = (...headers: HeaderPair[]): RequestSpec => ({ path: '/data', headers })
const preflight = (...headers: HeaderPair[]): RequestSpec => ({ method: 'OPTIONS', path: '/absent', headers })

const rows: Row[] = [
  [
    'a listed origin',
    listed,
    get(from(FRIEND)),
    200,
    { 'access-control-allow-origin': FRIEND, vary: 'Accept, Origin' },
  ],
  ['another origin', listed, get(from('https://evil.example')), 200, { vary: 'Accept, Origin' }],
  ['a longer origin', listed, get(from(`${FRIEND}.evil.example`)), 200, { vary: 'Accept, Origin' }],
  ['the origin null', listed, get(from('null')), 200, { vary: 'Accept, Origin' }],
  ['a request without an origin', listed, get(), 200, { vary: 'Accept, Origin' }],
  [
    'any origin',
    { origins: '*' },
    get(from('https://any.example')),
    200,
    { 'access-control-allow-origin': '*', vary: 'Accept' },
  ],
  [
    'any origin, in a list',
    { origins: ['*'] },
    get(from('https://any.example')),
    200,
    { 'access-control-allow-origin': '*', vary: 'Accept' },
  ],
  [
    'an origin that a function allows',
    { origins: (origin, environ) => origin.endsWith('.example') && environ.PATH_INFO === '/data' },
    get(from('https://any.example')),
    200,
    { 'access-control-allow-origin': 'https://any.example', vary: 'Accept, Origin' },
  ],
  ['an origin that a function refuses', { origins: () => false }, get(from(FRIEND)), 200, { vary: 'Accept, Origin' }],
  [
    'credentials and exposed headers',
    { ...listed, credentials: true, expose: ['X-Total', 'Link'] },
    get(from(FRIEND)),
    200,
    {
      'access-control-allow-origin': FRIEND,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'X-Total, Link',
      vary: 'Accept, Origin',
    },
  ],
  [
    'an error page',
    listed,
    { path: '/data/fails', headers: [from(FRIEND)] },
    500,
    { 'access-control-allow-origin': FRIEND, vary: 'Accept, Origin' },
  ],
  [
    'a missing page',
    listed,
    { path: '/absent', headers: [from(FRIEND)] },
    404,
    { 'access-control-allow-origin': FRIEND, vary: 'Accept, Origin' },
  ],
  [
    'an action that sets its own origin',
    listed,
    { path: '/data/own', headers: [from(FRIEND)] },
    200,
    { 'access-control-allow-origin': 'https://own.example', vary: 'Origin' },
  ],
  [
    'a preflight, before it is routed',
    listed,
    preflight(from(FRIEND), ...asking('PUT', 'content-type, X-Token')),
    204,
    {
      'access-control-allow-origin': FRIEND,
      'access-control-allow-methods': DEFAULT_METHODS,
      'access-control-allow-headers': 'content-type, X-Token',
      vary: 'Origin, Access-Control-Request-Headers',
    },
  ],
  [
    'a preflight with fixed methods and headers',
    { origins: '*', methods: ['GET', 'PURGE'], headers: ['X-Token'], maxAge: 600 },
    preflight(from(FRIEND), ...asking('PUT', 'x-other')),
    204,
    {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, PURGE',
      'access-control-allow-headers': 'X-Token',
      'access-control-max-age': '600',
    },
  ],
  [
    'a preflight with credentials',
    { ...listed, credentials: true, headers: [] },
    preflight(from(FRIEND), ...asking('GET')),
    204,
    {
      'access-control-allow-origin': FRIEND,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': DEFAULT_METHODS,
      vary: 'Origin',
    },
  ],
  [
    'a preflight with malformed header names',
    listed,
    preflight(from(FRIEND), ...asking('GET', 'a b, x, ;')),
    204,
    {
      'access-control-allow-origin': FRIEND,
      'access-control-allow-methods': DEFAULT_METHODS,
      'access-control-allow-headers': 'x',
      vary: 'Origin, Access-Control-Request-Headers',
    },
  ],
  [
    'a preflight of another origin',
    listed,
    preflight(from('https://evil.example'), ...asking('PUT')),
    204,
    { vary: 'Origin, Access-Control-Request-Headers' },
  ],
  [
    'OPTIONS that is no preflight',
    listed,
    { method: 'OPTIONS', path: '/data', headers: [from(FRIEND)] },
    204,
    { 'access-control-allow-origin': FRIEND, vary: 'Origin' },
  ],
]

for (const transport of transports) {
  describe(`cors, ${transport.name}`, () => {
    for (const [what, options, request, status, headers] of rows) {
      it(`answers ${what}`, async () => {
        const answer = await transport.request(site(options), request)
        const found = answer.headers.filter(([name]) => name === 'vary' || name.startsWith('access-control-'))
        assert.deepEqual([answer.status, Object.fromEntries(found)], [status, headers])
        assert.equal(found.length, Object.keys(headers).length)
      })
    }

    it('does not allow unsafe requests, which crossSite does', async () => {
      const request: RequestSpec = {
        method: 'POST',
        path: '/data',
        headers: [from(FRIEND), ['Sec-Fetch-Site', 'cross-site']],
      }
      const refused = await transport.request(site(listed), request)
      assert.deepEqual([refused.status, refused.header('access-control-allow-origin')], [403, FRIEND])
      const allowed = await transport.request(site(listed, { crossSite: [FRIEND] }), request)
      assert.equal(allowed.status, 200)
      const debug = await transport.request(site(listed, { debug: true }), request)
      assert.match(debug.text, /list the origin in FrameworkApp\(\{ crossSite: \[origin\] \}\)/)
    })
  })
}

describe('cors', () => {
  const refused: [options: object, message: RegExp][] = [
    [{}, /requires the option origins/],
    [{ origin: '*' }, /has no option "origin". Did you mean origins\?/],
    [{ origins: '*', credentials: true }, /origins is '\*' and credentials is true/],
    [{ origins: FRIEND }, /origins is "https:\/\/app.example". Pass a list of origins/],
    [{ origins: [`${FRIEND}/`] }, /cors\(\): origins lists "https:\/\/app.example\/".*Write https:\/\/app.example\./],
    [{ origins: ['app.example'] }, /is not an origin. Write scheme:\/\/host\[:port\]/],
    [{ origins: [FRIEND, '*'], credentials: true }, /origins is '\*' and credentials is true/],
    [{ origins: ['null'] }, /is not an origin/],
    [{ ...listed, methods: 'GET' }, /methods is "GET". Pass a list of methods/],
    [{ ...listed, methods: ['patch'] }, /a list of methods in upper case/],
    [{ ...listed, headers: ['a\r\nb'] }, /headers is an array of 1. Pass a list of header names/],
    [{ ...listed, expose: ['a b'] }, /expose is an array of 1/],
    [{ ...listed, credentials: 'yes' }, /credentials is "yes". Pass true or false/],
    [{ ...listed, maxAge: -1 }, /maxAge is -1. Pass a whole number of seconds from 0/],
  ]
  for (const [options, message] of refused) {
    it(`refuses ${JSON.stringify(options)}`, () => {
      assert.throws(() => Reflect.apply(cors, undefined, [options]), message)
    })
  }
})
