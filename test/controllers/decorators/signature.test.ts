import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Response, xmlrpc_fault } from 'propylon'
import { decorate, type MethodFor, signature } from 'propylon/decorators'
import { type Binary, type DateTime, Fault, type Struct, type Value } from 'propylon/xmlrpc'

function signaturesOf(method: object): unknown {
  return Reflect.get(method, 'signature')
}

describe('signature()', () => {
  it('sets the attribute of the method', () => {
    class Service {
      twice(n: number) {
        return 2 * n
      }
    }
    decorate(Service, { twice: [signature('int', 'int')] })
    assert.deepEqual(signaturesOf(Service.prototype.twice), [['int', 'int']])
    assert.equal(new Service().twice(2), 4)
  })

  it('may be repeated, in the order of the attribute', () => {
    class Service {
      greet(name: string, greeting = 'Hello') {
        return greeting + name
      }
    }
    decorate(Service, { greet: [signature('string', 'string'), signature('string', 'string', 'string')] })
    assert.deepEqual(signaturesOf(Service.prototype.greet), [
      ['string', 'string'],
      ['string', 'string', 'string'],
    ])
  })

  it('is a standard decorator', () => {
    const method = Object.assign((n: number) => n, {})
    const made = signature('int', 'int')(method, { kind: 'method', name: 'method' })
    assert.equal(made, undefined)
    assert.deepEqual(signaturesOf(method), [['int', 'int']])
  })

  it('extends those of an inherited method, for the subclass only', () => {
    class Service {
      twice(n: number) {
        return 2 * n
      }
    }
    class Extended extends Service {}
    decorate(Service, { twice: [signature('int', 'int')] })
    decorate(Extended, { twice: [signature('double', 'double')] })
    assert.deepEqual(signaturesOf(Extended.prototype.twice), [
      ['double', 'double'],
      ['int', 'int'],
    ])
    assert.deepEqual(signaturesOf(Service.prototype.twice), [['int', 'int']])
  })

  it('refuses an unknown type', () => {
    const names: string[] = ['integer']
    assert.throws(() => signature(...(names as ['int'])), /"integer" is not a type of XML-RPC/)
    assert.throws(() => signature(...([] as unknown as ['int'])), /begins with the type of the result/)
  })
})

/** Checked by the compiler: accepted code must compile, and each `@ts-expect-error` must be an error. */
describe('the types of a signature', () => {
  class Service {
    int(_n: number) {
      return 1
    }
    text(_posn: string) {
      return 'x'
    }
    async later(_n: number) {
      return 'x'
    }
    optional(_a: string, _b = 1) {
      return 'x'
    }
    two(_a: string, _b: number) {
      return 'x'
    }
    everything(
      _array: Value[],
      _boolean: boolean,
      _struct: Struct,
      _when: DateTime,
      _bytes: Binary,
      _large: bigint,
      _nil: null,
    ) {
      return 1.5
    }
    bytes() {
      return new Uint8Array()
    }
    struct() {
      return { a: [1, { b: new Date(0) }] }
    }
    faults(n: number) {
      if (n > 1) return new Fault(1, 'x')
      return n < 0 ? xmlrpc_fault(1, 'x') : new Response('x')
    }
  }

  it('accept methods that conform', () => {
    decorate(Service, {
      int: [signature('int', 'int'), signature('double', 'double')],
      text: [signature('string', 'string')],
      later: [signature('string', 'int')],
      optional: [signature('string', 'string'), signature('string', 'string', 'int')],
      two: [signature('string', 'string', 'i4')],
      everything: [signature('double', 'array', 'boolean', 'struct', 'dateTime.iso8601', 'base64', 'i8', 'nil')],
      bytes: [signature('base64')],
      struct: [signature('struct')],
      faults: [signature('int', 'int')],
    })
    const method: MethodFor<['string', 'int']> = (posn) => String(posn + 1)
    assert.equal(method(1), '2')
  })

  it('refuse methods that do not conform', () => {
    decorate(Service, {
      // @ts-expect-error -- an int is a number, and the method takes text
      text: [signature('string', 'int')],
      // @ts-expect-error -- the method returns a number
      int: [signature('string', 'int')],
      // @ts-expect-error -- the method promises text
      later: [signature('int', 'int')],
      // @ts-expect-error -- the method needs two parameters
      two: [signature('string', 'string')],
      // @ts-expect-error -- the second parameter is a number
      optional: [signature('string', 'string', 'string')],
    })
    // @ts-expect-error -- there is no such type
    assert.throws(() => signature('integer'), TypeError)
    // @ts-expect-error -- as a decorator by itself it is held against the method too
    signature('string', 'int')((posn: string) => posn)
  })
})
