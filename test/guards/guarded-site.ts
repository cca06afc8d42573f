/** An application whose secrets are guarded in all the ways that the documentation names. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import express from 'express'
import { abort, FrameworkApp, Mapper, type Middleware, WSGIController } from 'propylon'
import { staticFiles } from 'propylon/files'
import { secureHeaders } from 'propylon/middleware'
import { fromConnect, serve } from 'propylon/node'
import { RPCController } from 'propylon/rpc'
import type { WSGIApplication } from 'propylon/wsgi'
import type { Site } from './attack.ts'
import type { Target } from './requests.ts'

/** Header field whose value opens the guards. */
export const TOKEN: string = randomUUID()

const SECRET = `secret ${randomUUID()}`
const opened = (token: string | null | undefined): boolean => token === TOKEN

/** Refuses actions without the token, except those that are public. */
class GuardedController extends WSGIController {
  static open: readonly string[] = []

  __before__(action: string) {
    const { open } = this.constructor as typeof GuardedController
    if (!open.includes(action) && !opened(this.request.header('X-Token'))) abort(401)
  }

  _secret() {
    this.response.headers.set('X-Secret', SECRET)
    return SECRET
  }
}

/** Every action is guarded. */
class AccountController extends GuardedController {
  index() {
    return this._secret()
  }

  show() {
    return this._secret()
  }

  secret_page() {
    return this._secret()
  }
}

/** Two actions are guarded by their names; all others are public. */
class MixedController extends WSGIController {
  __before__(action: string) {
    if ((action === 'secret_page' || action === 'index') && !opened(this.request.header('X-Token'))) abort(401)
  }

  index() {
    return SECRET
  }

  secret_page() {
    return SECRET
  }

  open_page() {
    return 'open'
  }
}

/** A resource whose list and form are public. */
class ReportsController extends GuardedController {
  static override open = ['index', 'new']

  index() {
    return 'open'
  }

  new() {
    return 'open'
  }

  show() {
    return this._secret()
  }

  edit() {
    return this._secret()
  }

  create() {
    return this._secret()
  }

  update() {
    return this._secret()
  }

  delete() {
    return this._secret()
  }
}

/** Guarded by middleware that compares the decoded path. */
class MembersController extends WSGIController {
  index() {
    return SECRET
  }

  list() {
    return SECRET
  }
}

class VaultController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json', 'mcp', 'openapi']
  static override multicall = true

  __before__(action: string) {
    if (action === 'vault_open' && !opened(this.request.header('X-Token'))) abort(401)
  }

  vault_open() {
    return SECRET
  }

  ping() {
    return 'pong'
  }
}

class HelloController extends WSGIController {
  index() {
    return 'Hello World'
  }

  _secret() {
    return SECRET
  }

  get hidden() {
    return () => SECRET
  }
}

const guarded =
  (app: WSGIApplication): WSGIApplication =>
  (environ, start_response) => {
    if (opened(environ.HTTP_X_TOKEN)) return app(environ, start_response)
    start_response('401 Unauthorized', [['Content-Type', 'text/plain']])
    return ['401']
  }

/** Guards the paths below a prefix. PATH_INFO is decoded as routes see it. */
const guardPath =
  (prefix: string): Middleware =>
  (app) =>
  (environ, start_response) =>
    environ.PATH_INFO === prefix || environ.PATH_INFO.startsWith(`${prefix}/`)
      ? guarded(app)(environ, start_response)
      : app(environ, start_response)

const FILES: Readonly<Record<string, string>> = {
  'secret.txt': SECRET,
  'files-secret/secret.txt': SECRET,
  'files/app.css': 'open',
  'files/css/app.css': 'open',
  'files/.env': SECRET,
  'files/css/.hidden/secret.txt': SECRET,
  'files/back\\slash.txt': SECRET,
  'public/app.css': 'open',
  'public/.git/config': SECRET,
  'private/secret.txt': SECRET,
  'tree/app.css': 'open',
  'tree/private/secret.txt': SECRET,
}

/** Names of files that only guards hide, and that requests with the token receive. */
const OPENED_FILES = ['/private/secret.txt', '/tree/private/secret.txt']

function get(...paths: string[]): Target[] {
  return paths.map((path) => ({ path }))
}

function post(path: string, contentType: string, ...bodies: string[]): Target[] {
  return bodies.map((body) => ({ path, method: 'POST', contentType, body }))
}

const xmlCall = (name: string, params = '') =>
  `<?xml version="1.0"?><methodCall><methodName>${name}</methodName><params>${params}</params></methodCall>`
const multicall = xmlCall(
  'system.multicall',
  '<param><value><array><data><value><struct><member><name>methodName</name><value>vault.open</value></member><member><name>params</name><value><array><data/></array></value></member></struct></value></data></array></value></param>',
)
const jsonCall = (name: string) => `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(name)}}`
const toolCall = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault_open","arguments":{}}}'

/** Paths and calls whose responses hold the secret if the request has the token. */
export const OPENED: readonly Target[] = [
  ...get(
    '/account',
    '/account/index',
    '/account/show',
    '/account/show/1',
    '/account/secret_page',
    '/account/secret-page',
  ),
  ...get('/mixed', '/mixed/index', '/mixed/secret_page', '/mixed/secret-page'),
  ...get('/reports/1', '/reports/1.json', '/reports/1;edit', '/reports/1/edit'),
  ...post('/reports', 'application/x-www-form-urlencoded', 'name=x'),
  ...post('/reports/1', 'application/x-www-form-urlencoded', '_method=PUT', '_method=DELETE'),
  { path: '/reports/1', method: 'DELETE' },
  ...get('/members', '/members/list', '/express', '/express/list', '/admin/show', '/admin/secret-page', '/mounted/x'),
  ...get(...OPENED_FILES),
  ...post('/vault', 'text/xml', xmlCall('vault.open'), xmlCall('vault_open'), multicall),
  ...post('/vault', 'application/json', jsonCall('vault.open'), jsonCall('vault_open'), `[${jsonCall('vault.open')}]`),
  ...post('/vault/vault.open', 'application/json', '{}', ''),
  ...post('/vault/mcp', 'application/json', toolCall),
]

/** Places that no request reaches. */
const CLOSED: readonly Target[] = [
  ...get(
    '/hello/_secret',
    '/hello/hidden',
    '/secret.txt',
    '/files/secret.txt',
    '/files/../secret.txt',
    '/files-secret/secret.txt',
  ),
  ...get('/files/.env', '/files/css/.hidden/secret.txt', '/files/outside.txt', '/files/outside/secret.txt'),
  ...get('/files/back%5Cslash.txt', '/.git/config', '/static/.git/config', '/static/outside.txt', '/outside.txt'),
]

/** The paths of the site that are guarded or closed. */
export const TARGETS: readonly Target[] = [...OPENED, ...CLOSED]

/** Paths that are open to all, and have no secret. */
export const PUBLIC: readonly string[] = [
  '/hello',
  '/mixed/open-page',
  '/reports',
  '/files/app.css',
  '/app.css',
  '/tree/app.css',
]

/** Ways in which requests reach the application: by `serve()`, or as Requests of a platform. */
export const FACES = ['serve', 'fetch'] as const

/** Serves the site. Dispose of the result to stop it and to remove its files. */
export async function guardedSite(face: (typeof FACES)[number] = 'serve'): Promise<Site & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'propylon-guards-'))
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  for (const place of ['files', 'public']) {
    symlinkSync(join(folder, 'secret.txt'), join(folder, place, 'outside.txt'))
    symlinkSync(join(folder, 'files-secret'), join(folder, place, 'outside'))
  }
  const log = { info() {}, warn() {}, error() {} }
  const mounted = new FrameworkApp({
    map: new Mapper().connect('/{controller}', { action: 'index' }).connect('/{controller}/{action}'),
    controllers: { show: MembersController, 'secret-page': MembersController, admin: AccountController },
    logger: log,
  })
  const router = express().use('/express', (req, res, next) => {
    if (opened(req.get('X-Token'))) next()
    else res.status(401).end()
  })
  const app = new FrameworkApp({
    map: new Mapper()
      .rpc('vault', '/vault')
      .resource('report', 'reports')
      .connect('/admin/{path_info:.*}', { controller: 'guardedApplication' })
      .connect('/mounted/{path_info:.*}', { controller: 'guardedFunction' })
      .connect('/private/{path_info:.*}', { controller: 'guardedFiles' })
      .connect('/files/{path_info:.*}', { controller: 'files' })
      .connect('/tree/private/{path_info:.*}', { controller: 'guardedTree' })
      .connect('/tree/{path_info:.*}', { controller: 'tree' })
      .connect('/{controller}', { action: 'index' })
      .connect('/{controller}/{action}')
      .connect('/{controller}/{action}/{id}'),
    controllers: {
      account: AccountController,
      express: MembersController,
      files: staticFiles(join(folder, 'files')),
      guardedApplication: guarded(mounted.wsgi),
      guardedFiles: guarded(staticFiles(join(folder, 'private'))),
      guardedFunction: guarded((_environ, start_response) => {
        start_response('200 OK', [['Content-Type', 'text/plain']])
        return [SECRET]
      }),
      guardedTree: guarded(staticFiles(join(folder, 'tree/private'))),
      hello: HelloController,
      members: MembersController,
      mixed: MixedController,
      reports: ReportsController,
      tree: staticFiles(join(folder, 'tree')),
      vault: VaultController,
    },
    middleware: [secureHeaders(), guardPath('/members'), fromConnect(router)],
    public: join(folder, 'public'),
    logger: log,
  })
  const { port, close } = face === 'serve' ? await serveApp(app) : await serveByFetch(app)
  return {
    port,
    secret: SECRET,
    targets: TARGETS,
    async [Symbol.asyncDispose]() {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Served {
  readonly port: number
  close(): Promise<unknown>
}

async function serveApp(app: FrameworkApp): Promise<Served> {
  const server = await serve(app, { errors: { write() {}, flush() {} }, signals: false, drainTimeout: 1000 })
  return { port: server.port, close: () => server.close() }
}

/** Serves an application as platforms with Request and Response do. A Request has a parsed URL. */
async function serveByFetch(app: FrameworkApp): Promise<Served> {
  const server = createServer((message, outgoing) => {
    const respond = async () => {
      const { method = 'GET', url = '/', headers } = message
      const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
      const body = method === 'GET' || method === 'HEAD' ? null : await buffer(message)
      const target = url.startsWith('/') ? `http://${headers.host ?? 'localhost'}${url}` : url
      const response = await app.fetch(new Request(target, { method, headers: fields, body }))
      outgoing.writeHead(response.status, Object.fromEntries(response.headers))
      outgoing.end(Buffer.from(await response.arrayBuffer()))
    }
    // Requests that the platform cannot express do not reach the application.
    respond().catch(() => outgoing.writeHead(400, { 'Content-Length': 0 }).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
