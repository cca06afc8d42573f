/** Starts the wiki as a process of its own, and talks to it over HTTP. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { postgresDatabase } from '../../tools/cli/postgres-database.ts'

const SERVE = fileURLToPath(new URL('../../../examples/wiki/serve.ts', import.meta.url))
const CHEAP_HASHES = new URL('../cheap-hashes.ts', import.meta.url).href

export const ADMIN_PASSWORD = 'the admin of the tests'
export const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

type Variables = Readonly<Record<string, string>>

/** Starts `serve.ts`. */
export function spawnWiki(variables: Variables): ChildProcess {
  const env = {
    ...process.env,
    NODE_ENV: '',
    HOST: '',
    PORT: '0',
    WORKERS: '',
    REDIS_URL: '',
    SECRET: '',
    ...variables,
  }
  return spawn(process.execPath, ['--conditions=propylon-source', `--import=${CHEAP_HASHES}`, SERVE], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** A running wiki. */
export class Wiki {
  readonly process: ChildProcess
  readonly exited: Promise<unknown[]>
  /** Lines of standard output after the first one. */
  readonly lines: string[] = []
  errors = ''
  url = ''

  private constructor(variables: Variables) {
    this.process = spawnWiki(variables)
    // After its last output.
    this.exited = once(this.process, 'close')
    this.process.stderr?.on('data', (chunk) => {
      this.errors += String(chunk)
    })
  }

  static async start(variables: Variables): Promise<Wiki> {
    const wiki = new Wiki(variables)
    assert.ok(wiki.process.stdout)
    const output = createInterface({ input: wiki.process.stdout })
    const first = await Promise.race([once(output, 'line'), wiki.exited.then(() => [wiki.errors])])
    wiki.url = String(first[0]).match(/(http|unix):\S+$/)?.[0] ?? assert.fail(`The wiki did not start: ${first[0]}`)
    output.on('line', (line) => wiki.lines.push(line))
    return wiki
  }

  async stop(): Promise<void> {
    this.process.kill('SIGTERM')
    await this.exited
  }
}

/** Directories and databases for one wiki. */
export interface Place {
  readonly directory: string
  readonly variables: Variables
  remove(): Promise<void>
}

async function makePlace(
  database: (directory: string) => Promise<{ url: string; drop(): Promise<void> }>,
  more: Variables,
): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'wiki-'))
  const { url, drop } = await database(directory)
  const variables = {
    DATABASE_URL: url,
    UPLOADS: join(directory, 'uploads'),
    MAX_UPLOAD: '200000',
    ADMIN_PASSWORD,
    TRUST_PROXY: '127.0.0.1,unix',
    HEARTBEAT: '50',
    ...more,
  }
  return {
    directory,
    variables,
    async remove() {
      await drop()
      await rm(directory, { recursive: true })
    },
  }
}

export const sqlitePlace = (more: Variables = {}) =>
  makePlace(async (directory) => ({ url: `sqlite:${join(directory, 'wiki.db')}`, async drop() {} }), more)

const { PROPYLON_TEST_POSTGRES: postgres, PROPYLON_TEST_REDIS: redis } = process.env

/** The reason to skip the tests on PostgreSQL and Redis, or false. */
export const skipServers = postgres && redis ? false : 'PROPYLON_TEST_POSTGRES and PROPYLON_TEST_REDIS name no servers'

export const serversPlace = (more: Variables = {}) =>
  makePlace(
    async () => {
      const database = postgresDatabase(postgres ?? '')
      await database.create()
      return database
    },
    { REDIS_URL: redis ?? '', ...more },
  )

/** Defines tests of a running wiki, on SQLite and on PostgreSQL with Redis. */
export function describeWiki(
  name: string,
  define: (wiki: () => Wiki, place: () => Place) => void,
  variables: Variables = {},
): void {
  for (const [storage, make, skip] of [
    ['SQLite', sqlitePlace, false],
    ['PostgreSQL and Redis', serversPlace, skipServers],
  ] as const) {
    describe(`${name}, on ${storage}`, { skip }, () => {
      let place: Place
      let wiki: Wiki
      before(async () => {
        place = await make(variables)
        wiki = await Wiki.start(place.variables)
      })
      after(async () => {
        await wiki?.stop()
        await place?.remove()
      })
      define(
        () => wiki,
        () => place,
      )
    })
  }
}

let addresses = 0

interface ClientOptions {
  readonly accept?: string
  /** User and password for HTTP Basic. */
  readonly basic?: string
  readonly address?: string
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An answer, whose text was read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  readonly json: any
}

/** A client with cookies, and an address of its own. */
export class Client {
  readonly cookies = new Map<string, string>()
  readonly #url: string
  readonly #options: ClientOptions
  readonly #address: string

  constructor(wiki: Wiki, options: ClientOptions = {}) {
    this.#url = wiki.url
    this.#options = options
    this.#address = options.address ?? `10.${process.pid % 250}.${Date.now() % 250}.${++addresses % 250}`
  }

  /** A browser that has signed in. */
  static async signedIn(wiki: Wiki, name = 'admin', password = ADMIN_PASSWORD): Promise<Client> {
    const browser = new Client(wiki, { accept: BROWSER })
    const { status } = await browser.post('/login', { name, password })
    assert.equal(status, 303)
    return browser
  }

  /** A program of a new user, with the cookie of a session. */
  static async user(wiki: Wiki, name: string): Promise<Client> {
    const program = new Client(wiki, { accept: 'application/json' })
    const { status } = await program.post('/register', { name, password: 'correct horse' })
    assert.equal(status, 303)
    return program
  }

  fetch(method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Response> {
    const { accept, basic } = this.#options
    const all: Record<string, string> = { 'x-forwarded-for': this.#address }
    if (accept !== undefined) all.accept = accept
    if (basic !== undefined) all.authorization = `Basic ${Buffer.from(basic).toString('base64')}`
    if (this.cookies.size > 0) all.cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ')
    let sent = body
    if (typeof body === 'object' && body?.constructor === Object) {
      const isJson = headers['content-type'] === 'application/json'
      sent = isJson ? JSON.stringify(body) : new URLSearchParams(body as Record<string, string>)
    }
    return fetch(this.#url + path, {
      method,
      headers: { ...all, ...headers },
      redirect: 'manual',
      ...(sent === undefined ? {} : { body: sent as string, duplex: 'half' }),
    })
  }

  async send(method: string, path: string, sent?: Sent): Promise<Answer> {
    const response = await this.fetch(method, path, sent)
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '' || /max-age=0\b/i.test(cookie)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('GET', path, { headers })
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('POST', path, { headers, body })
  }

  put(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('PUT', path, { headers, body })
  }

  delete(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('DELETE', path, { headers })
  }
}
