/** The acceptance tests of Express: requests to its examples, mounted in this framework. */
import { describe } from 'node:test'
import type { Express } from 'express'
import { FrameworkApp, Mapper } from 'propylon'
import { fromConnect, serve } from 'propylon/node'
import { agrees } from './cases.ts'
import { folderWith, type Received, type Sent, send } from './client.ts'
import { SITES } from './express-sites.ts'

/** A request to an example. */
interface Step {
  readonly site: string
  readonly request: Sent
  /** A request before it, whose cookies are sent. */
  readonly before?: Sent
  readonly status: number
  /** Texts of the body. With one that begins with `=`, the body is the rest of it. */
  readonly body?: readonly string[]
  /** Fields, by name in lower case. `*` matches any value, and undefined an absent field. */
  readonly fields?: Readonly<Record<string, string | undefined>>
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Sent => ({ path, headers })
const posted = (path: string, body: string, method = 'POST'): Sent => ({
  method,
  path,
  headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': String(body.length) },
  body,
})
const accepting = (path: string, accepted: string) => get(path, { Accept: accepted })
const login = (username: string, password: string) => posted('/login', `username=${username}&password=${password}`)
const to = (location: string) => ({ status: 302, fields: { location } })
const says = (...body: readonly string[]) => ({ status: 200, body })

const LIST = '=<ul><li>Tobi</li><li>Loki</li><li>Jane</li></ul>'
const TEXT = '= - Tobi\n - Loki\n - Jane\n'
const JSON_LIST = '=[{"name":"Tobi"},{"name":"Loki"},{"name":"Jane"}]'
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const REMEMBERED = posted('/', 'remember=1')

type Expected = Omit<Step, 'site' | 'request'>

const TABLES: Readonly<Record<string, readonly (readonly [request: Sent, expected: Expected])[]>> = {
  auth: [
    [get('/'), to('/login')],
    [get('/login'), says('<form')],
    [get('/login'), { ...says('Authentication failed'), before: login('not-tj', 'foobar') }],
    [get('/login'), { ...says('Authentication failed'), before: login('tj', 'nogood') }],
    [get('/logout'), to('/')],
    [get('/restricted'), to('/login')],
    [get('/restricted'), { ...says(), before: login('tj', 'foobar') }],
    [login('not-tj', 'foobar'), to('/login')],
    [login('tj', 'baz'), to('/login')],
    [login('tj', 'foobar'), to('/')],
  ],
  'content-negotiation': ['/', '/users'].flatMap((path) => [
    [get(path), says(LIST)],
    [accepting(path, 'text/plain'), says(TEXT)],
    [accepting(path, 'application/json'), says(JSON_LIST)],
  ]),
  'cookie-sessions': [
    [get('/'), { ...says('=viewed 1 times\n'), fields: { 'set-cookie': '*' } }],
    [get('/'), { ...says('=viewed 2 times\n'), before: get('/') }],
  ],
  cookies: [
    [get('/'), { ...says('<form'), fields: { 'set-cookie': undefined } }],
    [get('/'), { ...says('Remembered'), before: REMEMBERED }],
    [get('/forget'), { status: 302, before: REMEMBERED, fields: { 'set-cookie': '*' } }],
    [REMEMBERED, { status: 302, fields: { 'set-cookie': '*' } }],
    [posted('/', ''), { status: 302, fields: { 'set-cookie': undefined } }],
  ],
  downloads: [
    [get('/'), says('href="/files/amazing.txt"')],
    [
      get('/files/notes/groceries.txt'),
      { status: 200, fields: { 'content-disposition': 'attachment; filename=groceries.txt' } },
    ],
    [get('/files/amazing.txt'), { status: 200, fields: { 'content-disposition': 'attachment; filename=amazing.txt' } }],
    [get('/files/missing.txt'), { status: 404 }],
    [get('/files/../index.js'), { status: 403 }],
  ],
  error: [
    [get('/'), { status: 500 }],
    [get('/next'), { status: 500 }],
    [get('/missing'), { status: 404 }],
  ],
  'error-pages': [
    [get('/'), says('Pages Example')],
    ...['text/html', 'application/json', 'text/plain'].flatMap((type) =>
      [403, 500].map((status) => [accepting(`/${status}`, type), { status }] as const),
    ),
    [accepting('/404', 'text/html'), { status: 404 }],
    [accepting('/404', 'application/json'), { status: 404, body: ['={"error":"Not found"}'] }],
    [accepting('/404', 'text/plain'), { status: 404, body: ['=Not found'] }],
  ],
  'hello-world': [
    [get('/'), says('=Hello World')],
    [get('/missing'), { status: 404 }],
  ],
  'multi-router': [
    [get('/'), says('=Hello from root route.')],
    ...['v1', 'v2'].flatMap(
      (version) =>
        [
          [get(`/api/${version}/`), says(`=Hello from API${version} root route.`)],
          [get(`/api/${version}/users`), says(`=List of API${version} users.`)],
        ] as const,
    ),
  ],
  params: [
    [get('/'), says('Visit')],
    [get('/user/0'), says('user tj')],
    [get('/user/9'), { status: 404, body: ['failed to find user'] }],
    [get('/users/0-2'), says('users tj, tobi, loki')],
    [get('/users/foo-bar'), { status: 400, body: ['failed to parseInt foo'] }],
  ],
  resource: [
    [get('/'), says('<h1>Examples:</h1>')],
    [
      get('/users'),
      says('[{"name":"tj"},{"name":"ciaran"},{"name":"aaron"},{"name":"guillermo"},{"name":"simon"},{"name":"tobi"}]'),
    ],
    [get('/users/1'), says('={"name":"ciaran"}')],
    [get('/users/9'), says('={"error":"Cannot find user"}')],
    [get('/users/1..3'), says('=<ul><li>ciaran</li>\n<li>aaron</li>\n<li>guillermo</li></ul>')],
    [{ method: 'DELETE', path: '/users/1' }, says('=destroyed')],
    [{ method: 'DELETE', path: '/users/9' }, says('=Cannot find user')],
    [
      get('/users/1..3.json'),
      {
        ...says('=[null,{"name":"aaron"},{"name":"guillermo"}]'),
        before: { method: 'DELETE', path: '/users/1' },
      },
    ],
  ],
  'route-map': [
    [get('/users'), says('=user list')],
    [{ method: 'DELETE', path: '/users' }, says('=delete users')],
    [get('/users/12'), says('=user 12')],
    [get('/users/12/pets'), says("=user 12's pets")],
    [{ method: 'DELETE', path: '/users/12/pets/2' }, says("=delete 12's pet 2")],
  ],
  'route-separation': [
    [get('/'), says('Route Separation Example')],
    [get('/users'), says('TJ', 'Tobi')],
    [get('/user/0'), says('Viewing user TJ')],
    [get('/user/10'), { status: 404 }],
    [get('/user/0/view'), says('Viewing user TJ')],
    [get('/user/10/view'), { status: 404 }],
    [get('/user/0/edit'), says('Editing user TJ')],
    [
      get('/user/0'),
      {
        ...says('tj-invalid@example.com'),
        before: posted('/user/0/edit', 'user[email]=tj-invalid@example.com', 'PUT'),
      },
    ],
    [
      get('/user/1'),
      {
        ...says('tobi-invalid@example.com'),
        before: posted('/user/1/edit?_method=PUT', 'user[email]=tobi-invalid@example.com'),
      },
    ],
    [get('/posts'), says('Posts')],
  ],
  vhost: [
    [get('/', { Host: 'example.com' }), says('Hello')],
    [get('/foo', { Host: 'example.com' }), says('=requested foo')],
    [get('/', { Host: 'foo.example.com' }), to('http://example.com:3000/foo')],
    [get('/', { Host: 'bar.example.com' }), to('http://example.com:3000/bar')],
  ],
  'web-service': [
    ...['/api/users', '/api/repos', '/api/user/loki/repos'].flatMap(
      (path) =>
        [
          [get(path), { status: 400 }],
          [get(`${path}?api-key=rawr`), { status: 401 }],
        ] as const,
    ),
    [
      get('/api/users?api-key=foo'),
      { ...says('=[{"name":"tobi"},{"name":"loki"},{"name":"jane"}]'), fields: JSON_TYPE },
    ],
    [get('/api/repos?api-key=foo'), { ...says('"name":"express"', 'expressjs/express"'), fields: JSON_TYPE }],
    [get('/api/user/loki/repos?api-key=foo'), { ...says('"name":"stylus"'), fields: JSON_TYPE }],
    [get('/api/user/bob/repos?api-key=foo'), { status: 404 }],
    [
      get('/api/something?api-key=bar'),
      { status: 404, body: ['={"error":"Sorry, can\'t find that"}'], fields: JSON_TYPE },
    ],
  ],
}

const STEPS: readonly Step[] = Object.entries(TABLES).flatMap(([site, rows]) =>
  rows.map(([request, expected]) => ({ site, request, ...expected })),
)

const FILES = { 'files/notes/groceries.txt': 'milk', 'files/amazing.txt': 'what an amazing download' }
const HOLDS = 'as expected'

/** Returns an application that serves all paths with one of Express. */
function mounted(site: Express): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper().connect('/{path_info:.*}', { controller: 'express' }),
    controllers: { express: fromConnect(site) },
  })
}

/** Returns {@link HOLDS}, or how a response differs. */
function outcomeOf({ status, body = [], fields = {} }: Step, response: Received): string {
  const text = response.body.toString()
  const lacks = body.find((part) => (part.startsWith('=') ? text !== part.slice(1) : !text.includes(part)))
  const other = Object.entries(fields).find(([name, value]) => {
    const actual = response.headers[name]
    return value === '*' ? actual === undefined : actual !== value
  })
  if (response.status === status && lacks === undefined && other === undefined) return HOLDS
  return `${response.status} ${other === undefined ? text.slice(0, 60) : `${other[0]}: ${response.headers[other[0]]}`}`
}

async function run(step: Step, folder: string): Promise<string> {
  const site = SITES[step.site]
  if (site === undefined) throw new Error(`There is no site ${step.site}.`)
  const server = await serve(mounted(site(folder)))
  try {
    const before = step.before === undefined ? undefined : await send(server.port, step.before)
    const cookie = before?.cookies.map((each) => each.replace(/;.*/, '')).join('; ') ?? ''
    const headers = { ...step.request.headers, ...(cookie !== '' && { Cookie: cookie }) }
    return outcomeOf(step, await send(server.port, { ...step.request, headers }))
  } finally {
    await server.close()
  }
}

function nameOf({ site, request, before }: Step): string {
  const text = ({ method = 'GET', path, headers = {}, body = '' }: Sent) =>
    [method, path, headers.Accept ?? headers.Host ?? body].join(' ').trim()
  return `${site}: ${before === undefined ? '' : `${text(before)}, then `}${text(request)}`
}

describe('fromConnect()', () => {
  const folder = folderWith(FILES)

  // https://github.com/expressjs/express/tree/a3714473feb3d2908add734d340e7755fd85e0a3/test/acceptance
  agrees(
    'Express 5.2.1',
    STEPS.map((step) => ({ name: nameOf(step), input: step, allowed: [HOLDS] })),
    (step) => run(step, folder()),
  )
})
