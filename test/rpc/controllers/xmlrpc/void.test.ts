/** Procedures that give no value, which XML-RPC cannot send. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, XMLRPCController, xmlrpc_fault } from 'propylon'
import { TestApp } from 'propylon/testing'
import { encodeCall, type Signature } from 'propylon/xmlrpc'

const logged: string[] = []

function note(text: string): void {
  logged.push(text)
}

class ResetController extends XMLRPCController {
  static override signatures = { declared: [['nil']] } satisfies Record<string, Signature[]>
  declared() {
    logged.push('ran')
    return null
  }
  reset() {
    logged.push('ran')
  }
  async later() {
    await Promise.resolve()
    for (const each of [1]) logged.push(`ran ${[each].map((one) => one).length}`)
  }
  inner() {
    const store = {
      throw: 1,
      get: () => {
        return 2
      },
      set(value: number) {
        return value
      },
    }
    if (store.set(store.throw) > store.get()) return
    for (const each of ['ran']) note(each)
  }
  counted() {
    return logged.length
  }
  fails() {
    throw xmlrpc_fault(1, 'no')
  }
  refuses() {
    xmlrpc_fault(1, 'no')
  }
}

class AllowingController extends ResetController {
  static override allowNil = true
}

function clientOf(reset: typeof ResetController) {
  logged.length = 0
  const write = (message: string) => void logged.push(message)
  const app = new FrameworkApp({
    map: new Mapper().rpc('reset', '/reset'),
    controllers: { reset },
    logger: { info() {}, warn: write, error() {} },
  })
  const headers = { 'Content-Type': 'text/xml' }
  return (name: string) => new TestApp(app).post('/reset', encodeCall(name, []), { headers })
}

describe('a procedure that gives no value', () => {
  for (const name of ['reset', 'later', 'inner', 'declared']) {
    it(`is in the log before its first call runs: ${name}`, async () => {
      const call = clientOf(class Own extends ResetController {})
      await call(name)
      await call(name)
      assert.match(logged[0] ?? '', new RegExp(`^Own\\.${name}\\(\\) returns nothing, .* set static allowNil = true`))
      assert.equal(logged.filter((line) => line.startsWith('ran')).length, 2)
      assert.equal(logged.length, 3)
    })
  }

  for (const name of ['counted', 'fails', 'refuses', 'system.listMethods']) {
    it(`is not taken for one: ${name}`, async () => {
      await clientOf(class extends ResetController {})(name)
      assert.deepEqual(logged, [])
    })
  }

  it('is sent as nil if that is allowed', async () => {
    const { text } = await clientOf(AllowingController)('reset')
    assert.match(text, /<nil\/>/)
    assert.deepEqual(logged, ['ran'])
  })
})
