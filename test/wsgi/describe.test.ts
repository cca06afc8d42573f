import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeValue } from '../../src/base/describe.ts'

describe('describeValue', () => {
  for (const [value, expected] of [
    ['a\r\n"b"', '"a\\r\\n\\"b\\""'],
    ['x'.repeat(81), `"${'x'.repeat(80)}…"`],
    [42, '42'],
    [5n, '5'],
    [true, 'true'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Symbol('a'), 'a symbol'],
    [function named() {}, 'the function named'],
    [() => 1, 'the function (without a name)'],
    [[1, 2], 'an array of 2'],
    [Promise.resolve(), 'a promise'],
    [new Map(), 'an instance of Map'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
  ] as const) {
    it(`returns ${expected}`, () => assert.equal(describeValue(value), expected))
  }
})
