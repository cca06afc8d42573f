import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, XMLRPCController } from 'propylon'
import { Fault } from 'propylon/xmlrpc'
import { TestService } from './service.ts'

let events: string[] = []

class Hooked extends XMLRPCController {
  static override signatures = { typed: [['int', 'int']] }
  user: string | undefined

  async __before__(action: string, methodName: string, params: unknown[], controller: string) {
    events.push(`before ${controller} ${action} ${methodName} ${params?.length}`)
    await null
    this.user = 'joe'
    if (action === 'refused') throw new Fault(9, 'refused')
    if (action === 'forbidden') abort(403)
    if (action === 'broken') throw new Error('broken')
    this.response.headers.set('X-Before', 'yes')
  }
  __after__(action: string, error?: unknown) {
    events.push(`after ${action} ${error === undefined ? 'well' : error instanceof Error ? error.message : 'odd'}`)
    if (action === 'late') throw new Fault(10, 'late')
  }
  who_am() {
    events.push('method')
    return this.user ?? 'nobody'
  }
  typed(n: number) {
    events.push('method')
    return n
  }
  fails() {
    throw new Error('oh no')
  }
  faults() {
    throw new Fault(8, 'a fault')
  }
  unsendable() {
    return Number.NaN
  }
  refused() {
    events.push('method')
    return true
  }
  forbidden() {
    events.push('method')
    return true
  }
  broken() {
    events.push('method')
    return true
  }
  late() {
    return true
  }
}

describe('hooks', () => {
  async function trace(name: string, ...params: number[]): Promise<string[]> {
    events = []
    const service = new TestService(Hooked)
    try {
      events.push(`= ${await service.call(name, ...params)}`)
    } catch (error) {
      events.push(error instanceof Fault ? `fault ${error.faultCode}` : 'HTTP')
    }
    return events
  }

  it('run before and after the method and have parameters by name', async () => {
    assert.deepEqual(await trace('who.am'), ['before rpc who_am who.am 0', 'method', 'after who_am well', '= joe'])
  })

  it('run before and after the introspection methods', async () => {
    const [before, after] = await trace('system.listMethods')
    assert.equal(before, 'before rpc system_listMethods system.listMethods 0')
    assert.equal(after, 'after system_listMethods well')
  })

  it('do not run for an unknown method', async () => {
    assert.deepEqual(await trace('nope'), ['fault -32601'])
  })

  it('do not run for parameters that do not match', async () => {
    assert.deepEqual(await trace('typed'), ['fault -32602'])
    assert.deepEqual(await trace('who.am', 1), ['fault -32602'])
  })

  it('have an unexpected error after the method', async () => {
    assert.deepEqual(await trace('fails'), ['before rpc fails fails 0', 'after fails oh no', 'fault -32603'])
  })

  it('have no error after a fault', async () => {
    assert.deepEqual(await trace('faults'), ['before rpc faults faults 0', 'after faults well', 'fault 8'])
  })

  it('have the error of a result that cannot be encoded', async () => {
    const [, after, fault] = await trace('unsendable')
    assert.match(after ?? '', /XML-RPC has no NaN/)
    assert.equal(fault, 'fault -32603')
  })

  it('can end the call with a fault before the method', async () => {
    assert.deepEqual(await trace('refused'), ['before rpc refused refused 0', 'fault 9'])
  })

  it('can end the call with an HTTP response before the method', async () => {
    assert.deepEqual(await trace('forbidden'), ['before rpc forbidden forbidden 0', 'HTTP'])
  })

  it('that throw end the call with a fault', async () => {
    assert.deepEqual(await trace('broken'), ['before rpc broken broken 0', 'fault -32603'])
  })

  it('can end the call with a fault after the method', async () => {
    assert.deepEqual(await trace('late'), ['before rpc late late 0', 'after late well', 'fault 10'])
  })

  it('set headers of results and faults', async () => {
    const service = new TestService(Hooked)
    for (const name of ['who.am', 'faults', 'fails']) {
      const { header } = await service.post(`<methodCall><methodName>${name}</methodName></methodCall>`)
      assert.equal(header('x-before'), 'yes', name)
    }
  })

  it('run before the page', async () => {
    events = []
    await new TestService(Hooked).send({ method: 'GET' })
    assert.deepEqual(events, ['before rpc index undefined undefined', 'after index well'])
  })
})

describe('a session', () => {
  class Counting extends XMLRPCController {
    count() {
      this.session.set('n', 1)
      return true
    }
    fail() {
      this.session.set('n', 1)
      throw new Error('after the session was opened')
    }
  }

  for (const name of ['count', 'fail']) {
    it(`is saved when a call ends (${name})`, async () => {
      const { header } = await new TestService(Counting).post(
        `<methodCall><methodName>${name}</methodName></methodCall>`,
      )
      assert.ok(header('set-cookie'))
    })
  }
})
