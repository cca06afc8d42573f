import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from 'propylon'
import { decorate, dispatchOn, restrict, validate } from 'propylon/decorators'
import * as v from 'valibot'
import { appWith } from './sending.ts'

class Base extends WSGIController {
  _inherited(id: string) {
    return `inherited ${id}`
  }
}

class DispatchingController extends Base {
  hooks = 0
  __before__() {
    this.hooks += 1
  }
  edit(id = 'none') {
    return `edit ${id}`
  }
  async _save({ id, action }: { id: string; action: string }) {
    return `save ${id} for ${action}, hooks ${this.hooks}`
  }
  _remove(environ: { REQUEST_METHOD: string }, id: string) {
    return `remove ${id} by ${environ.REQUEST_METHOD}`
  }
  shown(id: string) {
    return `shown ${id}`
  }
  only() {
    return 'never'
  }
  both() {
    return 'other'
  }
  lost() {
    return 'lost'
  }
  inheriting() {
    return 'own'
  }
  field = () => 'field'
  get getter() {
    return () => 'getter'
  }

  static {
    decorate(this, {
      edit: [dispatchOn({ POST: '_save', DELETE: '_remove' })],
      shown: [restrict('GET')],
      only: [dispatchOn({ GET: 'shown', POST: 'shown' })],
      both: [dispatchOn({ GET: 'shown', HEAD: 'edit' })],
      inheriting: [dispatchOn({ POST: '_inherited' })],
      lost: [
        // @ts-expect-error the class does not have these methods
        dispatchOn({ POST: 'nowhere', PUT: 'field', PATCH: 'getter', DELETE: 'render', GET: 'constructor' }),
      ],
    })
  }
}

const { send } = appWith(DispatchingController)

describe('dispatchOn', () => {
  const rows: [method: string, path: string, status: string, text: string | RegExp][] = [
    ['GET', '/edit/a', '200 OK', 'edit a'],
    ['GET', '/edit', '200 OK', 'edit none'],
    ['PUT', '/edit/a', '200 OK', 'edit a'],
    ['POST', '/edit/a', '200 OK', 'save a for edit, hooks 1'],
    ['DELETE', '/edit/a', '200 OK', 'remove a by DELETE'],
    ['GET', '/only/a', '200 OK', 'shown a'],
    ['HEAD', '/only/a', '200 OK', ''],
    ['POST', '/only/a', '405 Method Not Allowed', /405/],
    ['GET', '/both/a', '200 OK', 'shown a'],
    ['POST', '/inheriting/a', '200 OK', 'inherited a'],
    ['GET', '/_save/a', '404 Not Found', /404/],
    ['GET', '/-save/a', '404 Not Found', /404/],
    ['GET', '/_inherited/a', '404 Not Found', /404/],
  ]
  for (const [method, path, status, text] of rows) {
    it(`responds to ${method} ${path} with ${status} ${text}`, async () => {
      const received = await send(path, { method })
      assert.equal(received.status, status)
      if (typeof text === 'string') assert.equal(received.text, text)
      else assert.match(received.text, text)
    })
  }

  it('dispatches HEAD to its own target rather than that of GET', async () => {
    const received = await send('/both/abc', { method: 'HEAD' })
    assert.equal(received.header('content-length'), String('edit abc'.length))
  })

  for (const [method, target] of [
    ['POST', 'nowhere'],
    ['PUT', 'field'],
    ['PATCH', 'getter'],
    ['DELETE', 'render'],
    ['GET', 'constructor'],
  ] as const) {
    it(`refuses ${target}, which is not a method of the application's classes`, async () => {
      await assert.rejects(send('/lost', { method }), {
        name: 'TypeError',
        message: `dispatchOn: DispatchingController has no method "${target}". Define it, or correct the name.`,
      })
    })
  }

  it('refuses an action that would call itself', () => {
    class Round extends WSGIController {
      index() {
        return ''
      }
    }
    assert.throws(
      () => decorate(Round, { index: [dispatchOn({ POST: 'index' })] }),
      /dispatchOn\(\{ POST: 'index' \}\) decorates index itself/,
    )
  })

  it('refuses request methods in lower case', () => {
    assert.throws(() => dispatchOn(JSON.parse('{"post":"create"}')), TypeError)
  })
})

const user = v.object({ name: v.pipe(v.string(), v.minLength(1)) })

class LoginController extends WSGIController {
  runs = 0
  login(id = 'nobody') {
    this.runs += 1
    return `${this.request.method} form for ${id}, run ${this.runs}`
  }
  _enter(id: string) {
    return this.login(id)
  }
  async later() {
    await null
    return `form after ${this.request.method}`
  }
  async _later() {
    await null
    return `again: ${await this.later()}`
  }
  checked() {
    return `form with ${Object.keys(this.c.formErrors ?? {})}`
  }
  _checked() {
    return 'entered'
  }
  on_itself() {
    return `form with ${Object.keys(this.c.formErrors ?? {})}`
  }
  _entered() {
    return 'entered'
  }
  by_get() {
    return 'never shown'
  }
  _shown() {
    return `shown with ${Object.keys(this.c.formErrors ?? {})}`
  }
  _posted() {
    return 'entered'
  }
  first() {
    return 'first'
  }
  second() {
    return 'second'
  }

  static {
    decorate(this, {
      login: [dispatchOn({ POST: '_enter' })],
      later: [dispatchOn({ POST: '_later' })],
      checked: [dispatchOn({ POST: '_checked' })],
      _checked: [validate(user, { form: 'checked' })],
      on_itself: [validate(user, { form: 'on_itself' }), dispatchOn({ POST: '_entered' })],
      by_get: [dispatchOn({ GET: '_shown', POST: '_posted' })],
      _posted: [validate(user, { form: 'by_get' })],
      first: [dispatchOn({ POST: 'second' })],
      second: [dispatchOn({ POST: 'first' })],
    })
  }
}

describe('dispatchOn, on the page of a form', () => {
  const { send } = appWith(LoginController)
  const rows: [label: string, path: string, form: string, status: string, text: string][] = [
    ['shows the form that the handler calls', '/login/ann', '', '200 OK', 'POST form for ann, run 1'],
    ['shows the form that an asynchronous handler calls', '/later', '', '200 OK', 'again: form after POST'],
    ['shows the form that validate names', '/checked', 'name=', '400 Bad Request', 'form with name'],
    ['runs the handler of a valid form', '/checked', 'name=ann', '200 OK', 'entered'],
    ['shows the form of its own action', '/on_itself', 'name=', '400 Bad Request', 'form with name'],
    ['runs the handler behind validate', '/on_itself', 'name=ann', '200 OK', 'entered'],
    ['dispatches GET where validate shows the form', '/by_get', 'name=', '400 Bad Request', 'shown with name'],
    ['ends where two actions name each other', '/first', '', '200 OK', 'first'],
  ]
  for (const [label, path, form, status, text] of rows) {
    it(label, async () => {
      const received = await send(path, { form })
      assert.deepEqual([received.status, received.text], [status, text])
    })
  }
})
