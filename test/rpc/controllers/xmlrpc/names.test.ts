import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { XMLRPCController } from 'propylon'
import { TestService } from './service.ts'

const SYSTEM = ['system.listMethods', 'system.methodHelp', 'system.methodSignature']

class Base extends XMLRPCController {
  shared() {
    return 'shared'
  }
}

class Named extends Base {
  static override publicNames: Record<string, string> = { add_user: 'users.add_user' }
  add_user() {
    return 'added'
  }
  users_list_all() {
    return 'all'
  }
}

describe('the names of methods', () => {
  const service = new TestService(Named)

  it('have dots for underscores, and are listed in order with inherited and system methods', async () => {
    assert.deepEqual(await service.call('system.listMethods'), [
      'shared',
      ...SYSTEM,
      'users.add_user',
      'users.list.all',
    ])
  })

  it('can be declared', async () => {
    assert.equal(await service.call('users.add_user'), 'added')
    assert.equal(await service.call('users.list.all'), 'all')
    assert.equal(await service.call('users.list_all'), 'all')
  })

  it('that are declared replace the default names', async () => {
    assert.equal((await service.fault('add.user')).faultCode, -32601)
    assert.equal((await service.fault('add_user')).faultCode, -32601)
  })

  it('of more than 255 characters are unknown, are never translated and are cut in the fault', async () => {
    const translated: number[] = []
    class Recording extends Base {
      static override multicall = true
      override _find_method_name(name: string) {
        translated.push(name.length)
        return super._find_method_name(name)
      }
    }
    const recording = new TestService(Recording)
    for (const length of [256, 1_000_000]) {
      const dots = '.'.repeat(length)
      const faults: unknown[] = [
        await recording.fault(dots),
        await recording.fault('system.methodHelp', dots),
        await recording.fault('system.methodSignature', dots),
      ]
      const batch = await recording.call('system.multicall', [{ methodName: dots, params: [] }])
      faults.push(...(Array.isArray(batch) ? batch : []))
      assert.equal(faults.length, 4)
      for (const fault of faults) {
        assert.ok(typeof fault === 'object' && fault !== null && 'faultCode' in fault && 'faultString' in fault)
        assert.equal(fault.faultCode, -32601)
        assert.ok(String(fault.faultString).length < 200)
      }
    }
    assert.equal((await recording.fault('.'.repeat(255))).faultCode, -32601)
    assert.equal(Math.max(...translated), 255)
  })

  it('of more than 255 characters cannot be stated', async () => {
    class Long extends Base {
      static override publicNames: Record<string, string> = { shared: 'x'.repeat(256) }
    }
    assert.equal((await new TestService(Long).fault('shared')).faultCode, -32603)
  })

  it('can have another translation', async () => {
    class Camel extends Base {
      override _find_method_name(name: string) {
        return name.startsWith('system.') ? super._find_method_name(name) : name.replace(/^my\//, '')
      }
      override _publish_method_name(name: string) {
        return name.startsWith('system_') ? super._publish_method_name(name) : `my/${name}`
      }
    }
    const camel = new TestService(Camel)
    assert.deepEqual(await camel.call('system.listMethods'), ['my/shared', ...SYSTEM])
    assert.equal(await camel.call('my/shared'), 'shared')
  })

  it('from a translation are looked up among the public methods only', async () => {
    class Careless extends Base {
      override _find_method_name(name: string) {
        return name === 'undefined' ? undefined : `__${name}__`
      }
      __proto() {
        return 'no'
      }
    }
    const careless = new TestService(Careless)
    for (const name of ['proto', 'call', 'before', 'undefined']) {
      assert.equal((await careless.fault(name)).faultCode, -32601)
    }
  })

  it('can be exchanged between two methods', async () => {
    class Exchanged extends Named {
      static override publicNames = { add_user: 'users.list.all', users_list_all: 'add.user' }
    }
    const exchanged = new TestService(Exchanged)
    assert.equal(await exchanged.call('users.list.all'), 'added')
    assert.equal(await exchanged.call('add.user'), 'all')
  })

  const mistakes: Record<string, Record<string, string>> = {
    'with blanks': { add_user: 'add user' },
    empty: { add_user: '' },
    reserved: { add_user: 'system.add' },
    'given twice': { add_user: 'x', users_list_all: 'x' },
    'those of other methods': { add_user: 'users.list.all' },
  }
  for (const [name, publicNames] of Object.entries(mistakes)) {
    it(`${name} are refused with an explanation in the log`, async () => {
      class Wrong extends Named {
        static override publicNames = publicNames
      }
      const wrong = new TestService(Wrong)
      assert.equal((await wrong.fault('shared')).faultCode, -32603)
      assert.match(wrong.logged.join('\n'), /TypeError: Wrong\.publicNames/)
    })
  }
})
