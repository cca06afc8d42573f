import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { XMLRPCController } from 'propylon'
import { Binary, DateTime, Double, double, type Value } from 'propylon/xmlrpc'
import { TestService } from './service.ts'

class Calls extends XMLRPCController {
  plain = () => 'a class field'
  static factory() {
    return 'static'
  }
  get computed() {
    return () => 'a getter'
  }
  plain_text() {
    return 'text'
  }
  async later(text: string) {
    await null
    return text
  }
  echo(value: Value) {
    return value
  }
  destructured({ name, age }: { name: string; age: number }) {
    return `${name} is ${age}`
  }
  optional(name: string, greeting = 'Hello') {
    return `${greeting}, ${name}`
  }
  several(first: number, ...rest: number[]) {
    return rest.reduce((sum, each) => sum + each, first)
  }
  _secret() {
    return 'secret'
  }
  __hidden__() {
    return 'hidden'
  }
}
const service = new TestService(Calls)

describe('a call', () => {
  it('runs the method of its name, with underscores for dots', async () => {
    assert.equal(await service.call('plain.text'), 'text')
    assert.equal(await service.call('plain_text'), 'text')
  })

  it('awaits a promise', async () => {
    assert.equal(await service.call('later', 'x'), 'x')
  })

  it('passes parameters in order, and a struct as an object that can be destructured', async () => {
    assert.equal(await service.call('destructured', { name: 'Joe', age: 7 }), 'Joe is 7')
  })

  for (const [name, value] of Object.entries({
    text: 'a < b & c \u{1f600}',
    int: -7,
    double: double(2.5),
    boolean: true,
    dateTime: new DateTime('19980717T14:08:55'),
    base64: new Binary(new Uint8Array([0, 255])),
    array: [1, [2, ['x']]],
  })) {
    it(`decodes and encodes ${name}`, async () => {
      assert.deepEqual(await service.call('echo', value), value)
    })
  }

  it('returns a member called __proto__', async () => {
    const struct = await service.call('echo', JSON.parse('{"__proto__": 1, "constructor": 2}'))
    assert.deepEqual(Object.entries(struct as object), [
      ['__proto__', 1],
      ['constructor', 2],
    ])
  })

  it('does not require <params>', async () => {
    const { text } = await service.post('<methodCall><methodName>plain.text</methodName></methodCall>')
    assert.match(text, /<string>text<\/string>/)
  })

  for (const name of [
    'nope',
    '_secret',
    '.secret',
    '__hidden__',
    '__call__',
    '__before__',
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'then',
    'plain',
    'factory',
    'computed',
    'request',
    'response',
    'render',
    'json',
    'session',
    'start_response',
    '_dispatch_call',
    '_find_method_name',
    'system.multicall',
    'system.getCapabilities',
    'system.shutdown',
    'Plain.text',
  ]) {
    it(`does not run ${name}`, async () => {
      const fault = await service.fault(name)
      assert.equal(fault.faultCode, -32601)
      assert.match(fault.faultString, /There is no method/)
    })
  }

  it('cuts the long name of an unknown method in the fault', async () => {
    const { faultString } = await service.fault('x'.repeat(100_000))
    assert.ok(faultString.length < 200)
  })

  const arities: [string, number, boolean][] = [
    ['plain_text', 0, true],
    ['plain_text', 1, false],
    ['echo', 0, false],
    ['echo', 1, true],
    ['echo', 2, false],
    ['optional', 0, false],
    ['optional', 1, true],
    ['optional', 2, true],
    ['optional', 3, false],
    ['several', 0, false],
    ['several', 1, true],
    ['several', 5, true],
  ]
  for (const [name, count, fits] of arities) {
    it(`${fits ? 'can' : 'cannot'} have ${count} parameters for ${name}`, async () => {
      const params = Array.from({ length: count }, () => 1)
      if (fits) await service.call(name, ...params)
      else assert.equal((await service.fault(name, ...params)).faultCode, -32602)
    })
  }

  it('reports the allowed number of parameters', async () => {
    assert.equal((await service.fault('optional')).faultString, 'optional takes 1 to 2 parameters, not 0')
    assert.equal((await service.fault('plain_text', 1)).faultString, 'plain_text takes no parameters, not 1')
    assert.equal((await service.fault('several')).faultString, 'several takes at least 1 parameter, not 0')
  })
})

describe('the settings of a class', () => {
  class Kind extends Calls {
    static override allowNil = true
    static override i8 = true
    static override keepDoubles = true
    static override booleanWords = true
  }
  const kind = new TestService(Kind)

  it('decode doubles as numbers without keepDoubles', async () => {
    assert.equal(await service.call('echo', double(2)), 2)
    assert.deepEqual(await kind.call('echo', [double(2)]), [new Double(2)])
  })

  it('refuse nil without allowNil', async () => {
    assert.equal((await service.fault('echo', null)).faultCode, -32600)
    assert.equal(await kind.call('echo', null), null)
  })

  it('encode bigints as i8 with i8', async () => {
    assert.equal((await service.fault('echo', 2n ** 40n)).faultCode, -32603)
    assert.equal(await kind.call('echo', 2n ** 40n), 2n ** 40n)
  })

  it('decode boolean words with booleanWords', async () => {
    const call =
      '<methodCall><methodName>echo</methodName><params><param><value><boolean>true</boolean></value></param></params></methodCall>'
    assert.match((await service.post(call)).text, /-32600/)
    assert.match((await kind.post(call)).text, /<boolean>1</)
  })
})
