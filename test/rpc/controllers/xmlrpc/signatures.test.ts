import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { XMLRPCController } from 'propylon'
import { Binary, DateTime, Double, double, type Encodable, type Signature, type Value } from 'propylon/xmlrpc'
import { takesParametersOf } from '../../../../src/controllers/parameters.ts'
import { TestService } from './service.ts'

const values: Record<string, Encodable> = {
  string: 'x',
  int: 1,
  boolean: true,
  double: double(1),
  'dateTime.iso8601': new DateTime('19980717T14:08:55'),
  base64: new Binary(new Uint8Array(1)),
  struct: { a: 1 },
  array: [1],
  i8: 5n,
}

let ran = 0

class Signed extends XMLRPCController {
  static override signatures = {
    take_i4: [['int', 'i4']],
    ...Object.fromEntries(Object.keys(values).map((type) => [`take_${type.replace('.', '_')}`, [['boolean', type]]])),
    greet: [
      ['string', 'string'],
      ['string', 'string', 'string'],
    ],
    twenty: [['double']],
    big: [['i8']],
    half: [['int']],
    nothing: [['boolean']],
  }
  #take() {
    ran++
    return true
  }
  take_i4(value: Value) {
    return value
  }
  take_string(_: Value) {
    return this.#take()
  }
  take_int(_: Value) {
    return this.#take()
  }
  take_boolean(_: Value) {
    return this.#take()
  }
  take_double(value: Value) {
    this.#take()
    return typeof value === 'number'
  }
  take_dateTime_iso8601(_: Value) {
    return this.#take()
  }
  take_base64(_: Value) {
    return this.#take()
  }
  take_struct(_: Value) {
    return this.#take()
  }
  take_array(_: Value) {
    return this.#take()
  }
  take_i8(_: Value) {
    return this.#take()
  }
  greet(name: string, greeting = 'Hello') {
    return `${greeting}, ${name}`
  }
  twenty() {
    return 20
  }
  big() {
    return 20
  }
  half() {
    return 0.5
  }
  nothing() {
    return true
  }
}

describe('a signature', () => {
  const service = new TestService(Signed)
  const isWider = (type: string) => type === 'double' || type === 'i8'
  for (const declared of Object.keys(values)) {
    for (const [sent, value] of Object.entries(values)) {
      const matches = declared === sent || (isWider(declared) && sent === 'int')
      it(`of ${declared} ${matches ? 'matches' : 'does not match'} ${sent}`, async () => {
        const name = `take_${declared.replace('.', '_')}`
        const before = ran
        if (matches) {
          assert.equal(await service.call(name, value), true)
          assert.equal(ran, before + 1)
        } else {
          const fault = await service.fault(name, value)
          assert.equal(fault.faultCode, -32602)
          assert.equal(fault.faultString, `${name} takes (${declared}), not (${sent})`)
          assert.equal(ran, before)
        }
      })
    }
  }

  it('are answered with a short fault when a call has very many parameters', async () => {
    const { faultCode, faultString } = await new TestService(Signed).fault('greet', ...Array(20_000).fill(1))
    assert.equal(faultCode, -32602)
    assert.match(faultString, /not \(int, int, .*int, … 20000 in all\)$/)
    assert.ok(faultString.length < 300, faultString)
  })

  it('of double and i8 receives a whole number as its own type, and exact matches come first', async () => {
    class Wide extends XMLRPCController {
      static override i8 = true
      static override signatures = {
        kind: [
          ['string', 'double'],
          ['string', 'i8'],
        ],
        mixed: [
          ['string', 'i8', 'double'],
          ['string', 'double', 'int'],
          ['string', 'int', 'int'],
        ],
        half: [['double', 'double']],
      } satisfies Record<string, Signature[]>
      kind(value: number | bigint) {
        return `${typeof value} ${value}`
      }
      mixed(one: number | bigint, two: number) {
        return `${typeof one} ${typeof two}`
      }
      half(value: number) {
        return value / 2
      }
    }
    const wide = new TestService(Wide)
    assert.deepEqual(await wide.call('half', 5), new Double(2.5))
    assert.deepEqual(await wide.call('half', 0), new Double(0))
    assert.equal(await wide.call('kind', 5), 'number 5')
    assert.equal(await wide.call('kind', 5n), 'bigint 5')
    assert.equal(await wide.call('mixed', 1, 2), 'number number')
    assert.equal(await wide.call('mixed', 1, double(2)), 'bigint number')
    assert.equal(await wide.call('mixed', double(1), 2), 'number number')
    assert.match((await wide.fault('half', '5')).faultString, /half takes \(double\), not \(string\)/)
  })

  it('of i4 matches int', async () => {
    assert.equal(await service.call('take_i4', 3), 3)
  })

  it('refuses too few and too many parameters', async () => {
    assert.equal((await service.fault('take_int')).faultString, 'take_int takes (int), not ()')
    assert.equal((await service.fault('take_int', 1, 2)).faultString, 'take_int takes (int), not (int, int)')
    assert.equal((await service.fault('nothing', 1)).faultString, 'nothing takes (), not (int)')
  })

  it('is one of several sets of parameters', async () => {
    assert.equal(await service.call('greet', 'Joe'), 'Hello, Joe')
    assert.equal(await service.call('greet', 'Joe', 'Bye'), 'Bye, Joe')
    assert.equal(
      (await service.fault('greet', 'Joe', 1)).faultString,
      'greet takes (string) or (string, string), not (string, int)',
    )
  })

  it('determines the type of the result', async () => {
    assert.deepEqual(await service.call('twenty'), new Double(20))
    assert.equal(await service.call('big'), 20n)
  })

  it('returns a fault and logs an error for a result of another type', async () => {
    const { faultCode, faultString } = await service.fault('half')
    assert.equal(faultCode, -32603)
    assert.doesNotMatch(faultString, /0\.5/)
    assert.match(service.logged.join('\n'), /0\.5 is not an int, which the signature declares/)
  })
})

describe('the declaration of a signature', () => {
  it('can be an attribute of the method', async () => {
    class Attribute extends XMLRPCController {
      twice(n: number) {
        return 2 * n
      }
    }
    Object.assign(Attribute.prototype.twice, { signature: [['int', 'int']] })
    assert.equal((await new TestService(Attribute).fault('twice', 'x')).faultCode, -32602)
  })

  it('applies to a decorated method', async () => {
    class Wrapped extends XMLRPCController {
      twice(n: number) {
        return 2 * n
      }
    }
    const original = Object.assign(Wrapped.prototype.twice, { signature: [['int', 'int']] })
    Wrapped.prototype.twice = function (this: Wrapped, ...args: [number]) {
      return original.apply(this, args)
    }
    takesParametersOf(Wrapped.prototype.twice, original)
    const service = new TestService(Wrapped)
    assert.equal(await service.call('twice', 2), 4)
    assert.equal((await service.fault('twice', 'x')).faultCode, -32602)
  })

  it('is inherited by a subclass', async () => {
    class Sub extends Signed {
      static override signatures = { ...Signed.signatures, own: [['string', 'int']] }
      own(n: number) {
        return String(n)
      }
    }
    const service = new TestService(Sub)
    assert.equal((await service.fault('own', 'x')).faultCode, -32602)
    assert.equal((await service.fault('greet', 1)).faultCode, -32602)
  })

  const wrong: [string, unknown][] = [
    ['no list', 'string'],
    ['an empty list', []],
    ['a list of names', ['string', 'int']],
    ['an empty signature', [[]]],
    ['an unknown type', [['string', 'integer']]],
    ['a type that is no name', [[1]]],
  ]
  for (const [name, signature] of wrong) {
    it(`${name} is refused with an explanation in the log`, async () => {
      class Wrong extends XMLRPCController {
        twice(n: number) {
          return 2 * n
        }
      }
      Object.assign(Wrong.prototype.twice, { signature })
      const service = new TestService(Wrong)
      assert.equal((await service.fault('twice', 2)).faultCode, -32603)
      assert.match(service.logged.join('\n'), /TypeError: Wrong\.twice: /)
    })
  }
})
