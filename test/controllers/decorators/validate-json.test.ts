import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from 'propylon'
import { decorate, formResult, validate } from 'propylon/decorators'
import type { HeaderPair } from 'propylon/wsgi'
import * as v from 'valibot'
import { appWith } from './sending.ts'

const order = v.object({
  customer: v.pipe(v.string('must be text'), v.minLength(2, 'is too short')),
  count: v.optional(v.number('must be a number')),
  extras: v.optional(v.array(v.string('must be text'))),
  address: v.optional(v.object({ city: v.string('must be text') })),
  password: v.optional(v.pipe(v.string(), v.email())),
})

class OrdersController extends WSGIController {
  new() {
    const { formErrors, formValues } = this.c
    return JSON.stringify({ formErrors, formValues })
  }
  create() {
    return formResult(this, order)
  }
  params() {
    return formResult(this, order)
  }
  shown() {}

  static {
    const lists = ['extras'] as const
    decorate(this, {
      create: [validate(order, { lists })],
      params: [validate(order, { lists: ['extras'], from: 'params' })],
      shown: [validate(order, { lists: ['extras'], form: 'new' })],
    })
  }
}

const { send } = appWith(OrdersController)

function sendJson(path: string, value: unknown, accept?: string, type = 'application/json') {
  const headers: HeaderPair[] = accept === undefined ? [] : [['Accept', accept]]
  return send(path, { form: typeof value === 'string' ? value : JSON.stringify(value), type, headers })
}

describe('validate, with a JSON body', () => {
  it('passes the members of the object to the schema, with their types', async () => {
    const sent = { customer: 'joe', count: 2, extras: ['a', 'b'], address: { city: 'Rome' } }
    assert.deepEqual(JSON.parse((await sendJson('/create', sent)).text), sent)
    const { text } = await sendJson('/create', sent, undefined, 'application/vnd.shop+json; charset=utf-8')
    assert.deepEqual(JSON.parse(text), sent)
  })

  it('adds no empty lists', async () => {
    assert.equal((await sendJson('/create', { customer: 'joe' })).text, '{"customer":"joe"}')
  })

  it('omits the fields of the framework', async () => {
    const { text } = await sendJson('/create', {
      customer: 'joe',
      _method: 'PUT',
      _authentication_token: 'x',
    })
    assert.equal(text, '{"customer":"joe"}')
  })

  it('adds the query with the option from, and prefers the body', async () => {
    const { text } = await sendJson('/params?customer=eve&extras=a', { customer: 'joe' })
    assert.deepEqual(JSON.parse(text), { customer: 'joe', extras: ['a'] })
  })

  it('sends errors with the path of each value', async () => {
    const sent = { customer: 'x', count: '2', extras: ['a', 5], address: { city: 1 } }
    const received = await sendJson('/create', sent, 'application/json')
    assert.equal(received.header('content-type'), 'application/problem+json')
    assert.deepEqual(JSON.parse(received.text).errors, [
      { name: 'customer', detail: 'is too short' },
      { name: 'count', detail: 'must be a number' },
      { name: 'extras.1', detail: 'must be text' },
      { name: 'address.city', detail: 'must be text' },
    ])
    assert.equal(received.status, '400 Bad Request')
    assert.equal(
      JSON.parse(received.text).detail,
      'customer: is too short; count: must be a number; extras: must be text; address: must be text',
    )
  })

  it('refuses the character NUL at any depth, whatever the schema accepts', async () => {
    const sent = { customer: 'joe', extras: ['a', 'b\0'], address: { city: '\0' } }
    const { text } = await sendJson('/create', sent, 'application/json')
    assert.deepEqual(JSON.parse(text).errors, [
      { name: 'extras', detail: 'must not contain the character NUL' },
      { name: 'address', detail: 'must not contain the character NUL' },
    ])
  })

  it('never quotes passwords', async () => {
    const { text } = await sendJson('/create', { customer: 'joe', password: 'hunter2' }, 'application/json')
    assert.doesNotMatch(text, /hunter2/)
  })

  const malformed: [label: string, body: unknown, names?: string[]][] = [
    ['an array', [], ['']],
    ['null', null, ['']],
    ['a text', '"customer"', ['']],
    ['malformed JSON', '{'],
    ['the key __proto__', '{"__proto__": {}}'],
    ['no body', ''],
  ]
  for (const [label, sent, names] of malformed) {
    it(`refuses ${label} by a problem document, with errors if it is JSON`, async () => {
      const { status, text } = await sendJson('/create', sent, 'application/json')
      const { errors } = JSON.parse(text)
      assert.deepEqual([status, errors?.map(({ name }: { name: string }) => name)], ['400 Bad Request', names])
    })
  }
})

describe('validate, with a form to show and a client that', () => {
  const urlencoded = 'application/x-www-form-urlencoded'
  const problem = 'application/problem+json'
  const rows: [label: string, type: string, body: string, accept: string | undefined, shown: string | undefined][] = [
    ['sends a form without preferences', urlencoded, 'customer=x', undefined, 'text/html; charset=utf-8'],
    ['sends a form and prefers HTML', urlencoded, 'customer=x', 'text/html,*/*;q=0.8', 'text/html; charset=utf-8'],
    ['sends a form and prefers JSON', urlencoded, 'customer=x', 'application/json', problem],
    ['sends JSON and prefers JSON', 'application/json', '{"customer":"x"}', 'application/json', problem],
    ['sends JSON without preferences', 'application/json', '{"customer":"x"}', '*/*', problem],
    ['sends JSON and prefers HTML', 'application/json', '{"customer":"x"}', 'text/html', 'text/html; charset=utf-8'],
  ]
  for (const [label, type, form, accept, shown] of rows) {
    it(`${label} sends ${shown}`, async () => {
      const headers: HeaderPair[] = accept === undefined ? [] : [['Accept', accept]]
      const received = await send('/shown', { form, type, headers })
      assert.match(received.status, /^400 Bad Request/)
      assert.equal(received.header('content-type'), shown)
      assert.equal(received.text.startsWith('{"formErrors"'), shown?.startsWith('text/html'))
    })
  }

  it('prefers HTML receives what it sent as text, in the form', async () => {
    const sent = {
      customer: 'x',
      count: 2,
      extras: ['a', 1, {}],
      address: { city: 'Rome' },
      password: 'secret',
    }
    const { text } = await sendJson('/shown', sent, 'text/html')
    assert.deepEqual(JSON.parse(text).formValues, { customer: 'x', count: '2', extras: ['a', '1'] })
  })
})
