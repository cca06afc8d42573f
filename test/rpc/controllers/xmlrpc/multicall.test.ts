import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, XMLRPCController } from 'propylon'
import { Double, double, type Encodable, Fault, type Value } from 'propylon/xmlrpc'
import { TestService } from './service.ts'

let events: string[] = []

class Batch extends XMLRPCController {
  static override multicall = true
  static override batchLimit = 10
  static override signatures = { add: [['int', 'int', 'int']], half: [['double', 'double']] }

  __before__(action: string) {
    events.push(action)
    if (action === 'guarded') abort(403, 'not you')
  }
  __after__(action: string, error?: unknown) {
    events.push(`/${action}${error === undefined ? '' : '!'}`)
  }
  add(a: number, b: number) {
    return a + b
  }
  half(n: number) {
    return n / 2
  }
  async echo(value: Value) {
    return value
  }
  kind(value: Value) {
    return Array.isArray(value) ? typeof value[0] : typeof value
  }
  fails() {
    throw new Fault(7, 'no')
  }
  breaks() {
    throw new Error('swordfish')
  }
  unsendable() {
    return [1, Number.NaN]
  }
  control() {
    return ['fine', 'bad \x01']
  }
  guarded() {
    return true
  }
}

const call = (methodName: string, ...params: Encodable[]) => ({ methodName, params })
const service = new TestService(Batch)
const batch = (...calls: Encodable[]) => service.call('system.multicall', calls)

/** A fault within a batch, with its text if a test compares it. */
const faultCode = (entry: unknown) => (entry as { faultCode: number }).faultCode

describe('system.multicall', () => {
  it('returns an array for each result', async () => {
    assert.deepEqual(await batch(call('add', 1, 2), call('echo', ['x'])), [[3], [['x']]])
    assert.deepEqual(await batch(), [])
  })

  it('has a fault of its own for a result that XML cannot carry', async () => {
    const [first, bad, last] = (await batch(call('add', 1, 2), call('control'), call('add', 3, 4))) as Value[]
    assert.deepEqual([first, last], [[3], [7]])
    assert.match((bad as { faultString: string }).faultString, /XML forbids the character U\+0001 at 4/)
  })

  it('runs the calls after a fault', async () => {
    const answers = (await batch(
      call('add', 1, 2),
      call('fails'),
      call('nope'),
      call('add', 'x', 2),
      call('breaks'),
      call('unsendable'),
      call('guarded'),
      call('add', 3, 4),
    )) as Value[]
    assert.deepEqual(answers[0], [3])
    assert.deepEqual({ ...(answers[1] as object) }, { faultCode: 7, faultString: 'no' })
    assert.equal(faultCode(answers[2]), -32601)
    assert.equal(faultCode(answers[3]), -32602)
    assert.equal(faultCode(answers[4]), -32603)
    assert.equal(faultCode(answers[5]), -32603)
    assert.deepEqual({ ...(answers[6] as object) }, { faultCode: -32500, faultString: '403 Forbidden: not you' })
    assert.deepEqual(answers[7], [7])
    assert.doesNotMatch(JSON.stringify(answers), /swordfish/)
    assert.match(service.logged.join('\n'), /\("breaks"\)\nError: swordfish/)
  })

  it('runs the hooks of each call', async () => {
    events = []
    await batch(call('add', 1, 2), call('breaks'), call('add', 'x', 2), call('guarded'))
    assert.deepEqual(events, ['system_multicall', 'add', '/add', 'breaks', '/breaks!', 'guarded', '/system_multicall'])
  })

  it('checks the types of nested parameters: a double does not match int, an int matches double', async () => {
    const [added, halved, whole] = (await batch(
      call('add', double(1), 2),
      call('half', double(2)),
      call('half', 2),
    )) as Value[]
    assert.equal(faultCode(added), -32602)
    assert.deepEqual(halved, [new Double(1)])
    assert.deepEqual(whole, [new Double(1)])
  })

  it('passes doubles as numbers at every depth', async () => {
    assert.deepEqual(await batch(call('kind', double(2)), call('kind', [double(2)])), [['number'], ['number']])
  })

  it('refuses a nested multicall', async () => {
    const [answer] = (await batch(call('system.multicall', [call('add', 1, 2)]))) as Value[]
    assert.equal(faultCode(answer), -32602)
    const [other] = (await batch(call('system_multicall', []))) as Value[]
    assert.equal(faultCode(other), -32602)
  })

  it('refuses more calls than batchLimit', async () => {
    const calls = Array.from({ length: 11 }, () => call('add', 1, 2))
    assert.equal(((await batch(...calls.slice(1))) as Value[]).length, 10)
    const fault = await service.fault('system.multicall', calls)
    assert.equal(fault.faultCode, -32602)
    assert.equal(fault.faultString, 'system.multicall takes 10 calls at most, not 11')
  })

  const malformed: [string, Encodable][] = [
    ['a string', 'add'],
    ['an array', ['add', []]],
    ['a struct without params', { methodName: 'add' }],
    ['a struct without a name', { params: [] }],
    ['a name that is no string', { methodName: 1, params: [] }],
    ['params that are no array', { methodName: 'add', params: 'x' }],
  ]
  for (const [name, entry] of malformed) {
    it(`returns a fault for ${name} among the calls`, async () => {
      const [bad, good] = (await batch(entry, call('add', 1, 2))) as Value[]
      assert.equal(faultCode(bad), -32602)
      assert.deepEqual(good, [3])
    })
  }

  it('refuses a parameter that is not an array', async () => {
    assert.equal((await service.fault('system.multicall', 'x')).faultCode, -32602)
  })
})

describe('a class with static multicall = true', () => {
  it('lists system.multicall', async () => {
    assert.deepEqual(await service.call('system.listMethods'), [
      'add',
      'breaks',
      'control',
      'echo',
      'fails',
      'guarded',
      'half',
      'kind',
      'system.listMethods',
      'system.methodHelp',
      'system.methodSignature',
      'system.multicall',
      'unsendable',
    ])
  })
})
