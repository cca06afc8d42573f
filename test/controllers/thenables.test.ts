import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { abort, FrameworkApp, JSONRPCController, Mapper, type NamedArguments, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { decorate, jsonify, validate } from 'propylon/decorators'
import { basicAuth } from 'propylon/middleware'
import * as v from 'valibot'

let queries = 0

/** A query builder: each call of its `then` begins a query. It returns nothing. */
function query<T>(answer: () => T): Promise<T> {
  const then = (resolve: (value: T) => void, reject: (error: unknown) => void): void => {
    queries++
    setImmediate(() => {
      try {
        resolve(answer())
      } catch (error) {
        reject(error)
      }
    })
  }
  return Object.create(null, { ['then' as string]: { value: then } })
}

const asynchronous: StandardSchemaV1<unknown, { n: string }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => query(() => ({ value: value as { n: string } })),
  },
}
const form = v.object({ n: v.literal('1') })

class QueriesController extends WSGIController {
  static args = { create: { fields: body(form, { form: 'fill' }) }, save: { fields: body(asynchronous) } }
  static results = { show: asynchronous }

  plain() {
    return query(() => 'text')
  }
  failing() {
    return query(() => abort(403))
  }
  show() {
    return { n: '1' }
  }
  json() {
    return query(() => ({ n: '1' }))
  }
  create(fields: { n: string }) {
    return query(() => `created ${fields.n}`)
  }
  save(fields: { n: string }) {
    return `saved ${fields.n}`
  }
  checked() {
    return query(() => 'valid')
  }
  fill() {
    return query(() => 'form')
  }
}
decorate(QueriesController, { json: [jsonify], checked: [validate(form, { form: 'fill' })] })

class HooksController extends WSGIController {
  override _get_method_args(): Promise<NamedArguments> {
    const args = super._get_method_args()
    return query(() => ({ ...args, user: 'ann' }))
  }
  __before__(user: string, action: string) {
    return query(() => (action === 'secret' ? abort(403, `not for ${user}`) : undefined))
  }
  show(user: string) {
    return `of ${user}`
  }
  secret() {
    return 'secret'
  }
}

class ServiceController extends JSONRPCController {
  __before__() {
    return query(() => undefined)
  }
  read() {
    return query(() => 'read')
  }
}

for (const debug of [false, true]) {
  // In debug mode the stages of a request are timed, which watches their promises.
  describe(`a thenable whose then returns nothing, ${debug ? 'in debug mode' : 'in production'}`, () => {
    const app = new FrameworkApp({
      map: new Mapper().connect('/{controller}/{action}'),
      controllers: { queries: QueriesController, hooks: HooksController, service: ServiceController },
      middleware: [basicAuth(() => query(() => true), { optional: true })],
      debug,
    })
    const fields = (n: string) => ({ method: 'POST', body: new URLSearchParams({ n }) })
    const call = {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"read"}',
      headers: { 'Content-Type': 'application/json' },
    }
    const authorized = { headers: { Authorization: `Basic ${btoa('ann:secret')}` } }
    const cases: [string, string, RequestInit, number, string | RegExp, number][] = [
      ['the result of an action', '/queries/plain', {}, 200, 'text', 1],
      ['a result that fails', '/queries/failing', {}, 403, /403 Forbidden/, 1],
      ['the check of a result', '/queries/show', {}, 200, '{"n":"1"}', 1],
      ['the result of a decorated action', '/queries/json', {}, 200, '{"n":"1"}', 1],
      ['the result of an action with a body', '/queries/create', fields('1'), 200, 'created 1', 1],
      ['a form that is shown again', '/queries/create', fields('2'), 400, 'form', 1],
      ['the check of a body', '/queries/save', fields('1'), 200, 'saved 1', 1],
      ['the result of a validated action', '/queries/checked', fields('1'), 200, 'valid', 1],
      ['the form of a validated action', '/queries/checked', fields('2'), 400, 'form', 1],
      ['the arguments of methods, and a hook', '/hooks/show', {}, 200, 'of ann', 3],
      ['a procedure and its hook', '/service/call', call, 200, /"result":"read"/, 2],
      ['the check of a password', '/queries/plain', authorized, 200, 'text', 2],
      ['a hook that refuses', '/hooks/secret', {}, 403, /not for ann/, 2],
    ]
    for (const [name, path, init, status, text, expected] of cases) {
      it(`is waited for, once: ${name}`, async () => {
        queries = 0
        const response = await app.fetch(new Request(`http://localhost${path}`, init))
        const received = await response.text()
        assert.equal(response.status, status)
        if (typeof text === 'string') assert.equal(received, text)
        else assert.match(received, text)
        assert.equal(queries, expected)
      })
    }
  })
}
