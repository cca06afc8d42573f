import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeValue } from '../../src/base/describe.ts'
import { printable } from '../../src/base/printable.ts'

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

describe('printable', () => {
  const ranges: [what: string, first: number, last: number][] = [
    ['C0 controls before the tab', 0x00, 0x08],
    ['C0 controls after the line feed', 0x0b, 0x1f],
    ['DEL and the C1 controls', 0x7f, 0x9f],
    ['the Arabic letter mark', 0x061c, 0x061c],
    ['direction marks', 0x200e, 0x200f],
    ['line and paragraph separators, embeddings and overrides', 0x2028, 0x202e],
    ['isolates and deprecated formatting characters', 0x2066, 0x206f],
    ['the byte order mark', 0xfeff, 0xfeff],
  ]
  for (const [what, first, last] of ranges) {
    it(`escapes ${what}`, () => {
      for (let code = first; code <= last; code++) {
        const shown = `\\u${code.toString(16).padStart(4, '0')}`
        assert.equal(printable(`a${String.fromCharCode(code)}b`), `a${shown}b`)
      }
    })
  }

  it('escapes characters beyond the basic plane by their surrogates', () => {
    assert.equal(printable('\u{e0041}'), '\\udb40\\udc41')
  })

  for (const text of ['', 'two\nlines\tand a tab', 'Größe, 日本語, ไทย', '👩‍💻', 'می‌خواهم', '\\u001b']) {
    it(`does not change ${JSON.stringify(text)}`, () => assert.equal(printable(text), text))
  }

  it('replaces CR LF by one line end', () => assert.equal(printable('a\r\nb\rc'), 'a\nb\\u000dc'))

  it('does not change the value of JSON', () => {
    const value = { text: '\x7f\x9b31m\u202e\u{e0041}\u2028' }
    assert.deepEqual(JSON.parse(printable(JSON.stringify(value, null, 2))), value)
  })
})
