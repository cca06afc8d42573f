/** A browser that visits an application whose only action does what the test wants with its session. */
import { FrameworkApp, Mapper, type Session, type SessionOptions, WSGIController } from 'propylon'
import { memoryStore, type SessionStore, type SessionValues } from 'propylon/sessions'
import { createEnviron, type HeaderPair, lint, run } from 'propylon/wsgi'

export const secret = 'a secret of more than thirty-two characters'

/** The body of an action. Its result, unless undefined, is that of the action. */
export type Step = (session: Session, controller: WSGIController) => unknown

export interface VisitOptions {
  readonly method?: string
  /** Defaults to `/`. May have scheme and host. */
  readonly url?: string
  readonly scriptName?: string
  /** The Cookie header. Defaults to what the browser has stored; null for none. */
  readonly cookie?: string | null
}

export interface Visit {
  readonly status: string
  readonly headers: readonly HeaderPair[]
  readonly text: string
  /** The first Set-Cookie header. */
  readonly setCookie: string | undefined
  header(name: string): string | undefined
}

export interface Visitor {
  readonly app: FrameworkApp
  /** Log lines of errors. */
  readonly logged: readonly string[]
  /** The Cookie header that the browser sends. */
  readonly cookie: string
  /** Sends a request. Rejects with unexpected errors. */
  visit(step: Step, options?: VisitOptions): Promise<Visit>
  /** Sends a request and returns the result of a synchronous step. */
  ask<T>(step: (session: Session) => T, options?: VisitOptions): Promise<T>
}

interface PlainRecord {
  readonly json: string
  readonly until: number
}

/** A store that has nothing but the three methods that applications must write. Records share no object with the sessions. */
export function plainStore(): SessionStore & { readonly records: Map<string, PlainRecord> } {
  const records = new Map<string, PlainRecord>()
  return {
    records,
    async get(id) {
      const record = records.get(id)
      if (record === undefined || record.until < Date.now()) return null
      return JSON.parse(record.json) as SessionValues
    },
    async set(id, values, seconds) {
      records.set(id, { json: JSON.stringify(values), until: Date.now() + seconds * 1000 })
    },
    async delete(id) {
      records.delete(id)
    },
  }
}

/** The ways to keep sessions, each with the options for it. */
export const KINDS: readonly [label: string, options: () => Partial<SessionOptions>][] = [
  ['in a signed cookie', () => ({})],
  ['in an encrypted cookie', () => ({ encrypt: true })],
  ['in a store', () => ({ store: memoryStore() })],
  ['in a store with three methods', () => ({ store: plainStore() })],
]

export function visitor(options: Partial<SessionOptions> = {}): Visitor {
  const steps = new Map<string, Step>()
  const logged: string[] = []
  class VisitController extends WSGIController {
    async index() {
      const name = this.request.query.get('step') ?? ''
      return (await steps.get(name)?.(this.session, this)) ?? ''
    }
  }
  const map = new Mapper()
  map.connect('/', { controller: 'visit', action: 'index' })
  map.connect('/below/{path_info:.*}', { controller: 'visit', action: 'index' })
  const app = new FrameworkApp({
    map,
    controllers: { visit: VisitController },
    logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
    session: { secret, ...options },
  })
  const linted = lint(app.wsgi)
  const jar = new Map<string, string>()
  const browser: Visitor = {
    app,
    logged,
    get cookie() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    },
    async visit(step, { method = 'GET', url = '/', scriptName = '', cookie = browser.cookie } = {}) {
      const name = String(steps.size)
      steps.set(name, step)
      const headers: HeaderPair[] = cookie === null || cookie === '' ? [] : [['Cookie', cookie]]
      const environ = createEnviron({ method, url: `${url}?step=${name}`, scriptName, headers })
      const result = await run(linted, environ)
      const text = await result.text()
      const set = result.headers.filter(([field]) => field === 'Set-Cookie').map(([, value]) => value)
      for (const field of set) {
        const [, key = '', value = ''] = /^([^=]*)=([^;]*)/.exec(field) ?? []
        if (/; Max-Age=0(;|$)/.test(field)) jar.delete(key)
        else jar.set(key, value)
      }
      return {
        status: result.status,
        headers: result.headers,
        text,
        setCookie: set[0],
        header: (wanted) => result.headers.find(([field]) => field.toLowerCase() === wanted.toLowerCase())?.[1],
      }
    },
    async ask<T>(step: (session: Session) => T, options?: VisitOptions) {
      const results: T[] = []
      await browser.visit((session) => {
        results.push(step(session))
      }, options)
      return results[0] as T
    },
  }
  return browser
}
