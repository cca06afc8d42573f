import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Response, WSGIController } from 'propylon'
import { decorate, dispatchOn, formResult, type InvalidFields, invalid, validate } from 'propylon/decorators'
import * as v from 'valibot'
import { appWith } from './sending.ts'

const user = v.object({
  name: v.pipe(v.string(), v.minLength(2, 'is too short')),
  password: v.optional(v.string()),
})

class UsersController extends WSGIController {
  new() {
    const { formErrors, formValues } = this.c
    return JSON.stringify({ method: this.request.method, formErrors, formValues })
  }
  _response() {
    return new Response('a page', { contentType: 'text/plain' })
  }
  create() {
    if (formResult(this, user).name === 'joe') invalid<typeof user>({ name: 'is taken' })
    return 'created'
  }
  async later() {
    await null
    return this.create()
  }
  #taken() {
    invalid({ name: ['is taken', 'is short'], '': 'Try again' }, { status: 409, headers: { Location: '/joe' } })
  }
  taken() {
    this.#taken()
  }
  taken_response() {
    this.#taken()
  }
  unauthorized() {
    invalid({ '': 'Wrong name or password' }, { status: 401 })
  }
  plain() {
    this.#taken()
  }
  undecorated() {
    this.#taken()
  }
  failing() {
    throw new Error('broken')
  }
  // A page that shows its own form.
  own() {
    if (this.request.method === 'GET') return `own ${JSON.stringify(this.c.formErrors ?? null)}`
    return invalid({ name: 'is taken' })
  }
  stubborn() {
    return invalid({ name: 'is taken' })
  }
  forgetful() {
    return formResult(this, user).name
  }
  login() {
    return `login ${JSON.stringify(this.c.formErrors ?? null)}`
  }
  _enter() {
    if (this.request.query.has('again')) return this.login()
    return invalid({ '': 'Wrong password' })
  }
  ping() {
    return invalid({ name: 'ping' })
  }
  pong() {
    return invalid({ name: 'pong' })
  }

  static {
    decorate(this, {
      create: [validate(user, { form: 'new' })],
      later: [validate(user, { form: 'new' })],
      taken: [validate(user, { form: 'new' })],
      taken_response: [validate(user, { form: '_response' })],
      unauthorized: [validate(user, { form: 'new' })],
      plain: [validate(user)],
      failing: [validate(user, { form: 'new' })],
      own: [validate(user, { form: 'own' })],
      stubborn: [validate(user, { form: 'stubborn' })],
      forgetful: [validate(user, { form: 'forgetful' })],
      login: [dispatchOn({ POST: '_enter' })],
      _enter: [validate(user, { form: 'login' })],
      ping: [validate(user, { form: 'pong', onGet: true })],
      pong: [validate(user, { form: 'ping', onGet: true })],
    })
  }
}

const { send } = appWith(UsersController)
const form = 'name=joe&password=hunter2'
const html = [['Accept', 'text/html']] as [string, string][]
const json = [['Accept', 'application/json']] as [string, string][]

describe('invalid(), in an action with a form', () => {
  const shown: [label: string, path: string, status: string, errors: object][] = [
    ['shows the form again with the message and what was typed', '/create', '400 Bad Request', { name: ['is taken'] }],
    ['shows the form of an asynchronous action', '/later', '400 Bad Request', { name: ['is taken'] }],
    [
      'sends the status, and several messages',
      '/taken',
      '409 Conflict',
      { name: ['is taken', 'is short'], '': ['Try again'] },
    ],
    ['sends 401', '/unauthorized', '401 Unauthorized', { '': ['Wrong name or password'] }],
  ]
  for (const [label, path, status, formErrors] of shown) {
    it(label, async () => {
      const received = await send(path, { form, headers: html })
      assert.equal(received.status, status)
      assert.deepEqual(JSON.parse(received.text), { method: 'GET', formErrors, formValues: { name: 'joe' } })
    })
  }

  it('sends the header fields and the status with a Response of the form', async () => {
    const received = await send('/taken_response', { form })
    assert.deepEqual([received.status, received.text], ['409 Conflict', 'a page'])
    assert.equal(received.header('location'), '/joe')
  })

  it('runs the action to its end if nothing is invalid', async () => {
    assert.equal((await send('/create', { form: 'name=eve' })).text, 'created')
    assert.equal((await send('/later', { form: 'name=eve' })).text, 'created')
  })

  it('lets other errors pass', async () => {
    await assert.rejects(send('/failing', { form }), /broken/)
  })

  it('shows the page of a form that posts to itself', async () => {
    const received = await send('/login', { form })
    assert.deepEqual([received.status, received.text], ['400 Bad Request', 'login {"":["Wrong password"]}'])
  })
})

describe('invalid(), for a program', () => {
  for (const path of ['/taken', '/plain', '/undecorated']) {
    it(`sends a problem document from ${path}`, async () => {
      const received = await send(path, { form, headers: json })
      assert.equal(received.status, '409 Conflict')
      assert.equal(received.header('location'), '/joe')
      const { errors, status, detail } = JSON.parse(received.text)
      assert.deepEqual([status, detail], [409, 'name: is taken, is short; Try again'])
      assert.deepEqual(errors, [
        { name: 'name', detail: 'is taken' },
        { name: 'name', detail: 'is short' },
        { name: '', detail: 'Try again' },
      ])
    })
  }

  it('sends text without a form to show', async () => {
    const received = await send('/plain', { form })
    assert.match(received.text, /^409 Conflict\n.*\nname: is taken, is short; Try again\n$/s)
  })
})

describe('a form that is shown by its own action', () => {
  it('runs the action as for a GET, once', async () => {
    const received = await send('/own', { form })
    assert.deepEqual([received.status, received.text], ['400 Bad Request', 'own {"name":["is taken"]}'])
    assert.equal((await send('/own', { form: 'name=x' })).text, 'own {"name":["is too short"]}')
  })

  it('ends with the exception if the action is invalid as a form too', async () => {
    const received = await send('/stubborn', { form, headers: html })
    assert.match(received.text, /<p>name: is taken<\/p>/)
  })

  it('ends if two forms show each other', async () => {
    assert.match((await send('/ping', { form })).text, /name: pong/)
    assert.match((await send('/pong?name=joe')).text, /name: ping/)
  })

  it('ends if the dispatched method calls the page', async () => {
    assert.equal((await send('/login?again=1', { form })).text, 'login null')
  })

  it('has no result, and the error says what to do', async () => {
    await assert.rejects(send('/forgetful', { form: 'name=x' }), /return the page before it calls formResult\(\)/)
  })
})

describe('invalid(), with wrong arguments', () => {
  for (const errors of [{}, { name: [] }, { name: undefined }] as InvalidFields[]) {
    it(`refuses ${JSON.stringify(errors)}`, () => {
      assert.throws(() => invalid(errors), /received no message/)
    })
  }

  it('refuses a message that is not text', () => {
    const errors: object = { name: 5 }
    assert.throws(() => invalid(errors), /received 5 for the field "name"/)
  })

  for (const status of [200, 399, 500, Number.NaN]) {
    it(`refuses the status ${status}`, () => {
      assert.throws(() => invalid({ name: 'x' }, { status }), RangeError)
    })
  }
})
