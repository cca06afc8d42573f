/** Compares the order of the steps in the page about the life of a request with the code. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { abort, done, FrameworkApp, Mapper, type Middleware, WSGIController } from 'propylon'
import { body, int } from 'propylon/converters'
import { decorate } from 'propylon/decorators'
import { memoryStore } from 'propylon/sessions'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'
import { ROOT } from './blocks.ts'

const page = readFileSync(join(ROOT, 'docs/guides/lifecycle.md'), 'utf8')

/** The names of the numbered steps, in lower case. */
const listed = [...page.matchAll(/^(\d+)\. \*\*(.+?)\*\*/gm)].map(([, number, name = '']) => ({
  number: Number(number),
  name: name.replaceAll(/[`.]/g, '').toLowerCase(),
}))

describe('the list of steps', () => {
  it('is numbered in order', () => {
    assert.deepEqual(
      listed.map(({ number }) => number),
      listed.map((_, index) => index + 1),
    )
  })

  it('has each step of a request, in the order in which they happen', async () => {
    const steps = await stepsOfRequest()
    assert.equal(steps.length, 12)
    assert.deepEqual(
      listed.map(({ name }) => name).filter((name) => steps.includes(name)),
      steps,
    )
  })

  it('has the steps that the table of guards names', () => {
    const rows = [...page.matchAll(/^\| (.+?) \| (\d+) \|/gm)].map(([, guard = '', step]) => {
      const named = listed[Number(step) - 1]?.name ?? ''
      return guard.toLowerCase().replaceAll('`', '').includes(named.replace(/s$/, ''))
    })
    assert.deepEqual(rows, [true, true, true, true, true])
  })
})

/** Steps that refuse a request in the application below, and the header field that makes each refuse. */
const REFUSALS: readonly (readonly [step: string, status: number, fields: Readonly<Record<string, string>>])[] = [
  ['host', 400, { host: 'other.example' }],
  ['middleware', 429, { 'x-refuse-middleware': '1' }],
  ['cross-site rule', 403, { origin: 'https://other.example' }],
  ['session', 503, { 'x-refuse-session': '1' }],
  ['arguments', 404, { 'x-path': '/notes/seven' }],
  ['__before__', 401, { 'x-refuse-before': '1' }],
  ['body', 400, { 'x-refuse-body': '1' }],
  ['decorators', 402, { 'x-refuse-decorator': '1' }],
  ['action', 409, { 'x-refuse-action': '1' }],
  ['result', 500, { 'x-refuse-result': '1' }],
]

const Note = v.object({ text: v.string() })

class NotesController extends WSGIController {
  static args = { update: { id: int, note: body(Note) } }
  static results = { update: Note }

  __before__() {
    if (this.request.header('x-refuse-before') !== undefined) abort(401)
  }
  update(id: number, note: v.InferOutput<typeof Note>): unknown {
    if (this.request.header('x-refuse-action') !== undefined) abort(409, `Note ${id} has changed.`)
    return this.request.header('x-refuse-result') === undefined ? note : {}
  }

  static {
    decorate(this, {
      update: [
        (action) =>
          function (this: NotesController, ...args: [number, v.InferOutput<typeof Note>]) {
            if (this.request.header('x-refuse-decorator') !== undefined) abort(402)
            return action.apply(this, args)
          },
      ],
    })
  }
}

const refusing: Middleware = (next) => (environ, start_response) => {
  if (environ.HTTP_X_REFUSE_MIDDLEWARE === undefined) return next(environ, start_response)
  start_response('429 Too Many Requests', [['Content-Length', '0']])
  return []
}

/** Whether the store of sessions fails. */
let isAway = false
const sessions = memoryStore()
const store = {
  get(id: string) {
    if (isAway) throw new Error('The store is away.')
    return sessions.get(id)
  },
  set: (...values: Parameters<typeof sessions.set>) => sessions.set(...values),
  delete: (id: string) => sessions.delete(id),
}

/** Returns the steps of a request that change what runs, in their order: a form that changes a note, sent by a program. */
async function stepsOfRequest(): Promise<string[]> {
  const steps: string[] = []
  const step = <Value>(name: string) =>
    v.transform((value: Value) => {
      steps.push(name)
      return value
    })

  function traced<Arguments extends unknown[], Result>(action: (this: WSGIController, ...args: Arguments) => Result) {
    return function (this: WSGIController, ...args: Arguments): Result {
      steps.push('decorators')
      return action.apply(this, args)
    }
  }

  class NotesController extends WSGIController {
    static args = {
      update: { id: v.pipe(v.string(), step('arguments')), note: body(v.pipe(Note, step('body'))) },
    }
    static results = { update: v.pipe(Note, step('result')) }

    __before__() {
      steps.push('__before__')
    }
    update(id: string, note: v.InferOutput<typeof Note>) {
      steps.push('action')
      this.session.set('last', id)
      return done('/notes', note)
    }
    __after__() {
      steps.push('__after__')
    }

    static {
      decorate(this, { update: [traced] })
    }
  }

  const middleware: Middleware = (app) => (environ, start_response) => {
    steps.push('middleware')
    return app(environ, (...head) => {
      steps.push('response')
      return start_response(...head)
    })
  }
  const sessions = memoryStore()
  const store = {
    get(id: string) {
      steps.push('session')
      return sessions.get(id)
    },
    set(...values: Parameters<typeof sessions.set>) {
      steps.push('session saved')
      return sessions.set(...values)
    },
    delete: (id: string) => sessions.delete(id),
  }
  const isRouted = () => {
    steps.push('route')
    return true
  }
  const app = new FrameworkApp({
    map: new Mapper().connect('/notes/{id}', {
      controller: 'notes',
      action: 'update',
      conditions: { method: 'PUT', function: isRouted },
    }),
    controllers: { notes: NotesController },
    middleware: [middleware],
    session: { secret: 'thirty-two characters or more ....', store },
  })

  const client = new TestApp(app)
  const save = () =>
    client.post('/notes/7', { _method: 'PUT', text: 'Tea' }, { headers: { Accept: 'application/json' } })
  await save() // Begins the session.
  steps.length = 0
  await save()
  // Some happen twice: the path is matched again for the method of the form.
  return [...new Set(steps)]
}

const quiet = { info() {}, warn() {}, error() {} }
const app = new FrameworkApp({
  map: new Mapper().connect('/notes/{id}', {
    controller: 'notes',
    action: 'update',
    conditions: { method: ['PUT'] },
  }),
  controllers: { notes: NotesController },
  hosts: ['notes.example'],
  middleware: [refusing],
  logger: quiet,
  session: { secret: 'thirty-two characters or more ....', store },
})

/** Sends a request that some steps refuse, and returns its status. */
async function statusOf(refusals: readonly (typeof REFUSALS)[number][]): Promise<number> {
  const fields: Record<string, string> = Object.assign({}, ...refusals.map(([, , each]) => each))
  const client = new TestApp(app, { baseUrl: 'http://notes.example', errors: 'page' })
  await client.signIn({ user: 'ann' })
  isAway = 'x-refuse-session' in fields
  const { 'x-path': path = '/notes/7', ...headers } = fields
  const sent = 'x-refuse-body' in fields ? { text: 7 } : { text: 'Tea' }
  const { status } = await client.putJson(path, sent, { headers: { accept: 'application/json', ...headers } })
  return status
}

describe('of two steps that refuse a request, the one that the list has first answers', () => {
  it('and each refuses by itself', async () => {
    assert.equal(await statusOf([]), 200)
    for (const refusal of REFUSALS) assert.equal(await statusOf([refusal]), refusal[1], refusal[0])
  })

  const inOrder = REFUSALS.toSorted(([a], [b]) => placeOf(a) - placeOf(b))
  for (const [index, refusal] of inOrder.entries()) {
    const next = inOrder[index + 1]
    if (next === undefined) continue
    it(`${refusal[0]} before ${next[0]}`, async () => {
      assert.equal(await statusOf(inOrder.slice(index)), refusal[1])
    })
  }

  it('has all of them', () => assert.ok(REFUSALS.every(([step]) => placeOf(step) !== -1)))
})

function placeOf(step: string): number {
  return listed.findIndex(({ name }) => name === step)
}
