import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from '../../src/controllers/wsgi-controller.ts'
import { decorate, dispatchOn, restrict } from '../../src/decorators/index.ts'
import { appWith } from './asking.ts'

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
        dispatchOn({ POST: 'nowhere', PUT: 'field', PATCH: 'getter', DELETE: 'render', GET: 'constructor' }),
      ],
    })
  }
}

const { ask } = appWith(DispatchingController)

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
    it(`answers ${method} ${path} with ${status} ${text}`, async () => {
      const asked = await ask(path, { method })
      assert.equal(asked.status, status)
      if (typeof text === 'string') assert.equal(asked.text, text)
      else assert.match(asked.text, text)
    })
  }

  it('sends HEAD where it says, before where GET goes', async () => {
    const asked = await ask('/both/abc', { method: 'HEAD' })
    assert.equal(asked.header('content-length'), String('edit abc'.length))
  })

  for (const [method, target] of [
    ['POST', 'nowhere'],
    ['PUT', 'field'],
    ['PATCH', 'getter'],
    ['DELETE', 'render'],
    ['GET', 'constructor'],
  ] as const) {
    it(`refuses ${target}, which is no method of the application's classes`, async () => {
      await assert.rejects(ask('/lost', { method }), {
        name: 'TypeError',
        message: `dispatchOn: DispatchingController has no method "${target}". Write it, or correct the name in the decorator`,
      })
    })
  }

  it('refuses an action that would call itself', () => {
    class Round extends WSGIController {
      index() {
        return ''
      }
    }
    assert.throws(() => decorate(Round, { index: [dispatchOn({ POST: 'index' })] }), /call index for ever/)
  })

  it('refuses request methods in small letters', () => {
    assert.throws(() => dispatchOn(JSON.parse('{"post":"create"}')), TypeError)
  })
})
