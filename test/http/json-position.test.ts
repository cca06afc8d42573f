import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { jsonErrorPosition } from '../../src/http/json-position.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    assert.ok(error instanceof SyntaxError)
    return false
  }
}

describe('jsonErrorPosition', () => {
  const rows: [string, number][] = [
    ['', 0],
    ['  ', 2],
    ['x', 0],
    ['{"a":}', 5],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['[1, 2', 5],
    ['"abc', 4],
    ['"a\\x"', 2],
    ['"a\nb"', 2],
    ['{"a": {"b": [tru]}}', 13],
    ['01', 1],
    ['1 2', 2],
    ['[]]', 2],
    ['{"a\\', 3],
    ['-', 0],
    ['1.', 1],
  ]
  for (const [text, position] of rows) {
    it(`is ${position} in ${JSON.stringify(text)}`, () => {
      assert.equal(jsonErrorPosition(text), position)
    })
  }

  it('is the length of a text that is right', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.equal(jsonErrorPosition(text), text.length)
      }),
    )
  })

  it('is the length of the text, or before it, and only there where something is wrong', () => {
    const unit = fc.constantFrom('{', '}', '[', ']', '"a"', ':', ',', '1', 'true', ' ', '"', '\\', '-')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        const position = jsonErrorPosition(text)
        assert.ok(position >= 0 && position <= text.length)
        if (position < text.length) assert.equal(isJson(text), false)
      }),
      { numRuns: 2000 },
    )
  })
})
