import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  Binary,
  DateTime,
  double,
  isSignatureType,
  type ParametersOf,
  type ReturnOf,
  typeOf,
  type ValueOf,
} from 'propylon/xmlrpc'

describe('typeOf', () => {
  for (const [value, type] of [
    ['a', 'string'],
    [1, 'int'],
    [2 ** 31, 'double'],
    [1.5, 'double'],
    [-0, 'double'],
    [double(1), 'double'],
    [1n, 'i8'],
    [true, 'boolean'],
    [null, 'nil'],
    [[], 'array'],
    [{}, 'struct'],
    [Object.create(null), 'struct'],
    [new Date(), 'dateTime.iso8601'],
    [new DateTime('19980717T14:08:55'), 'dateTime.iso8601'],
    [new Uint8Array(), 'base64'],
    [new ArrayBuffer(1), 'base64'],
    [new Binary(new Uint8Array()), 'base64'],
    [undefined, undefined],
    [() => 1, undefined],
    [Number.NaN, undefined],
    [new Map(), undefined],
  ] as const) {
    it(`returns ${type} for ${typeof value} ${Object.prototype.toString.call(value)}`, () =>
      assert.equal(typeOf(value), type))
  }
})

describe('isSignatureType', () => {
  it('accepts the names of types only', () => {
    for (const name of ['string', 'i4', 'int', 'nil', 'dateTime.iso8601']) assert.ok(isSignatureType(name))
    for (const name of ['', 'String', 'toString', '__proto__', 'undef']) assert.ok(!isSignatureType(name))
  })

  it('belongs to types for the parameters and the result of a method', () => {
    const parameters: ParametersOf<['string', 'int', 'struct']> = [4, { a: 'x' }]
    const date: ValueOf<'dateTime.iso8601'> = new DateTime('19980717T14:08:55')
    const result: ReturnOf<'string'> = `${parameters[0] + 1} ${String(parameters[1].a)}`
    // @ts-expect-error a string is no int
    const wrong: ReturnOf<'int'> = 'a'
    assert.equal(typeof wrong, 'string')
    assert.equal(result, '5 x')
    assert.ok(date instanceof DateTime)
  })
})
