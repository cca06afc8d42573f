/** Errors of any kind, thrown by what an application passes to the framework: stores, schemas, hooks and pages. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { decorate, validate } from 'propylon/decorators'
import { limit } from 'propylon/middleware'
import { type ServerHandle, serve } from 'propylon/node'
import { memoryStore, type SessionStore } from 'propylon/sessions'
import type { WSGIApplication } from 'propylon/wsgi'
import { thrownValues } from './thrown-values.ts'

/** The kind of value that is thrown, and the place that throws it. */
let [kind, place] = ['an error', 'nowhere']

function throwAt(name: string): void {
  if (place === name) throw thrownValues[kind]?.()
}

const sessions = memoryStore()
const store: SessionStore = {
  async get(id) {
    throwAt('get() of a store')
    return sessions.get(id)
  },
  async set(id, values, seconds) {
    throwAt('set() of a store')
    return sessions.set(id, values, seconds)
  },
  async delete(id) {
    throwAt('delete() of a store')
    return sessions.delete(id)
  },
}

const schema = (name: string) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate(value: unknown) {
      throwAt(name)
      return { value }
    },
  },
})

class PagesController extends WSGIController {
  static args = { convert: { id: schema('a converter') } }

  index() {
    return 'fine'
  }
  visit() {
    this.session.set('a', 1)
    return 'fine'
  }
  leave() {
    this.session.destroy()
    return 'fine'
  }
  convert(id: unknown) {
    return `fine ${String(id)}`
  }
  form() {
    return 'fine'
  }
  failing() {
    throw new Error('an error')
  }

  static {
    decorate(this, { form: [validate(schema('a schema'), { form: 'index' })] })
  }
}

const late: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  throwAt('an application after start_response')
  return ['fine']
}

const logged: string[] = []
const log = (message: string) => void logged.push(message)

function application(): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper()
      .connect('/late', { controller: 'late' })
      .connect('/convert/{id}', { controller: 'pages', action: 'convert' })
      .connect('/{action}', { controller: 'pages' }),
    controllers: { pages: PagesController, late },
    templates: { error: '<% it.c.fail() %>' },
    errorPages: { 500: 'error' },
    session: { secret: 'a secret of at least 32 characters', store },
    logger: { info: log, warn: log, error: log },
    onError: () => throwAt('onError'),
    unavailable: () => {
      throwAt('unavailable')
      return false
    },
    middleware: [
      (app) => async (environ, start_response) => {
        throwAt('asynchronous middleware')
        return app(environ, start_response)
      },
      (app) => (environ, start_response) =>
        app(environ, (...head) => {
          throwAt('start_response of middleware')
          return start_response(...head)
        }),
      limit({
        max: 1e6,
        window: 60,
        key: () => {
          throwAt('the key of a limit')
          return 'all'
        },
      }),
    ],
  })
}

interface Request {
  readonly path: string
  readonly status: number
  readonly form?: boolean
}

const places: Readonly<Record<string, Request>> = {
  'get() of a store': { path: '/visit', status: 503 },
  'set() of a store': { path: '/visit', status: 503 },
  'delete() of a store': { path: '/leave', status: 503 },
  'a converter': { path: '/convert/1', status: 500 },
  'a schema': { path: '/form', status: 500, form: true },
  onError: { path: '/failing', status: 500 },
  unavailable: { path: '/failing', status: 500 },
  'asynchronous middleware': { path: '/index', status: 500 },
  'start_response of middleware': { path: '/index', status: 500 },
  'the key of a limit': { path: '/index', status: 500 },
  'an application after start_response': { path: '/late', status: 500 },
}

for (const [name, { path, status, form = false }] of Object.entries(places)) {
  describe(`a value thrown by ${name}`, () => {
    let server: ServerHandle
    before(async () => {
      server = await serve(application())
    })
    after(() => server.close())

    for (const value of Object.keys(thrownValues)) {
      it(`is logged and ends only its request: ${value}`, async () => {
        ;[kind, place] = [value, 'nowhere']
        const first = await fetch(`${server.url}/visit`)
        assert.equal(await first.text(), 'fine')
        const cookie = first.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
        logged.length = 0
        place = name
        const init: RequestInit = form ? { method: 'POST', body: new URLSearchParams({ a: 'b' }) } : {}
        const response = await fetch(server.url + path, { ...init, headers: { cookie } })
        place = 'nowhere'
        assert.equal(response.status, status)
        assert.doesNotMatch(await response.text(), /fine|thrown/)
        assert.ok(logged.length > 0)
        assert.equal(await (await fetch(`${server.url}/index`)).text(), 'fine')
      })
    }
  })
}
