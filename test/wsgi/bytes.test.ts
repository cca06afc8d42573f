import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chunkLength, concatBytes, countUtf8, encodeUtf8, toBytes, utf8Length } from '../../src/base/bytes.ts'

describe('utf8Length', () => {
  it('returns the length of the encoded text, with and without Buffer', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.oneof(
            fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
            fc.constantFrom('\ud800', '\udc00'),
          ),
        }),
        (text) => {
          const { byteLength } = encodeUtf8(text)
          assert.deepEqual(
            [utf8Length(text), countUtf8(text), chunkLength(text)],
            [byteLength, byteLength, byteLength],
          )
        },
      ),
    )
  })
})

describe('toBytes', () => {
  it('encodes strings and returns bytes unchanged', () => {
    const bytes = new Uint8Array([1, 2])
    assert.equal(toBytes(bytes), bytes)
    assert.deepEqual(toBytes('é'), new Uint8Array([0xc3, 0xa9]))
  })
})

describe('concatBytes', () => {
  it('joins chunks in order', () => {
    assert.deepEqual(
      concatBytes([new Uint8Array([1]), new Uint8Array(), new Uint8Array([2, 3])]),
      new Uint8Array([1, 2, 3]),
    )
    assert.deepEqual(concatBytes([]), new Uint8Array())
  })
})
