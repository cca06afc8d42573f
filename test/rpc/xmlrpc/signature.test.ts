import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  Binary,
  DateTime,
  double,
  type HandlerOf,
  isSignatureType,
  matchSignature,
  type ParametersOf,
  type TypeName,
  typeOf,
  type ValueOf,
} from 'propylon/xmlrpc'

describe('matchSignature', () => {
  const signatures = [
    ['string', 'int'],
    ['string', 'int', 'string'],
    ['array'],
    ['double', 'double'],
    ['nil', 'i8', 'nil'],
  ]
  for (const [types, index] of [
    [['int'], 0],
    [['int', 'string'], 1],
    [[], 2],
    [['double'], 3],
    [['i8', 'nil'], 4],
    [['boolean'], -1],
    [['i8'], -1],
    [['nil'], -1],
    [['string', 'int'], -1],
    [['int', 'int'], -1],
    [['int', 'string', 'int'], -1],
  ] satisfies [TypeName[], number][]) {
    it(`returns ${index} for (${types.join(', ')})`, () =>
      assert.equal(matchSignature(signatures, types), index))
  }

  it('matches i4 with int', () => assert.equal(matchSignature([['string', 'i4']], ['int']), 0))
  it('returns -1 without signatures', () => assert.equal(matchSignature([], []), -1))
})

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
    const handler: HandlerOf<['string', 'int', 'struct']> = (position, options) =>
      `${position + 1} ${String(options.a)}`
    const parameters: ParametersOf<['string', 'int', 'struct']> = [4, { a: 'x' }]
    const date: ValueOf<'dateTime.iso8601'> = new DateTime('19980717T14:08:55')
    // @ts-expect-error a string is no int
    const wrong: HandlerOf<['int']> = () => 'a'
    assert.equal(typeof wrong, 'function')
    assert.equal(handler(...parameters), '5 x')
    assert.ok(date instanceof DateTime)
  })
})
