/** What clients see of an application behind `forwardTo` of `propylon/fetch`, on every runtime. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Echo, oldApplication } from '../wsgi/proxy/old-application.ts'

/** The server that the application forwards to. */
export class OldServer {
  readonly #server: Server = createServer(oldApplication())

  async start(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
  }

  get url(): string {
    // A server that listens on a port has this address.
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** Sends a request to the old application through the new one. */
type Ask = (path: string, init?: RequestInit & { readonly old?: string }) => Promise<Response>

interface ForwardingBehaviour {
  readonly name: string
  /** Runtime without the case. On workerd the old server was not told that the client had left. */
  readonly not?: string
  run(ask: Ask, old: OldServer): Promise<void>
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

// The old application describes the request.
const echo = async (response: Response) => (await response.json()) as Echo

const CASES: readonly ForwardingBehaviour[] = [
  {
    name: 'method, target, fields and a body',
    async run(ask) {
      const headers = { 'Content-Type': 'text/plain', Cookie: 'a=1' }
      const sent = await echo(await ask('/a%2Fb?x=1', { method: 'PUT', body: 'a=1', headers }))
      assert.deepEqual([sent.method, sent.path, sent.query, sent.length], ['PUT', '/a%2Fb', 'x=1', 3])
      assert.deepEqual([sent.headers.cookie, sent.headers['x-forwarded-prefix']], ['a=1', '/old'])
    },
  },
  {
    name: 'a large body',
    async run(ask) {
      const body = new Uint8Array(3_000_000).fill(7)
      const sent = await echo(await ask('/upload', { method: 'POST', body }))
      assert.deepEqual([sent.length, sent.sha256], [3_000_000, sha256(body)])
    },
  },
  {
    name: 'a large response',
    async run(ask) {
      const bytes = new Uint8Array(await (await ask('/large')).arrayBuffer())
      assert.equal(bytes.length, 20 * 2 ** 20)
      assert.ok(bytes.every((byte) => byte === 97))
    },
  },
  {
    name: 'cookies, redirects and statuses',
    async run(ask) {
      assert.equal((await ask('/cookies')).headers.getSetCookie().length, 2)
      const redirect = await ask('/redirect', { method: 'POST' })
      assert.deepEqual([redirect.status, redirect.headers.get('location')?.endsWith('/elsewhere')], [303, true])
      assert.deepEqual([(await ask('/nothing')).status, (await ask('/error')).status], [204, 500])
    },
  },
  {
    name: 'events as they come',
    async run(ask) {
      const reader = (await ask('/events')).body?.pipeThrough(new TextDecoderStream()).getReader()
      assert.equal((await reader?.read())?.value, 'data: 1\n\n')
      await ask('/release', { method: 'POST' })
      assert.equal((await reader?.read())?.value, 'data: 2\n\n')
    },
  },
  {
    name: 'a client that leaves',
    not: 'workerd',
    async run(ask) {
      const abort = new AbortController()
      const reader = (await ask('/silent', { signal: abort.signal })).body?.getReader()
      await reader?.read()
      abort.abort()
      const count = async () => Number(await (await ask('/aborted')).text())
      while ((await count()) === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    },
  },
  {
    name: '502 for a server that cannot be reached',
    async run(ask) {
      const gone = new OldServer()
      await gone.start()
      const old = gone.url
      gone.stop()
      assert.equal((await ask('/', { old })).status, 502)
    },
  },
  {
    name: '504 for a server that does not answer',
    async run(ask) {
      const silent = createServer(() => {})
      await once(silent.listen(0, '127.0.0.1'), 'listening')
      // A server that listens on a port has this address.
      const { port } = silent.address() as AddressInfo
      assert.equal((await ask('/', { old: `http://127.0.0.1:${port}` })).status, 504)
      silent.closeAllConnections()
      silent.close()
    },
  },
]

/** The cases, each a function of the URL of the new application. */
export const forwardingBehaviours = CASES.map(({ name, not, run }) => ({
  name: `forwards ${name}`,
  not,
  run(url: string, old: OldServer): Promise<void> {
    const ask: Ask = (path, { old: other = old.url, ...init } = {}) => {
      const headers = new Headers(init.headers)
      headers.set('X-Old-Server', other)
      return fetch(`${url.replace(/\/$/, '')}/old${path}`, { redirect: 'manual', ...init, headers })
    }
    return run(ask, old)
  },
}))
