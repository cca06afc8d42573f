import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url, encodeByBtoa } from '../../src/base/base64.ts'
import { chunkLength, concatBytes, encodeUtf8, toBytes, utf8Length } from '../../src/base/bytes.ts'

describe('utf8Length', () => {
  it('returns the length of the encoded text', () => {
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
          assert.deepEqual([utf8Length(text), chunkLength(text)], [byteLength, byteLength])
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

describe('base64', () => {
  it('matches the output of Buffer, with line breaks anywhere', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 80 }), (bytes, width) => {
        const text = Buffer.from(bytes).toString('base64')
        for (const encode of [encodeBase64, encodeByBtoa]) assert.equal(encode(bytes), text)
        const broken = text.replace(new RegExp(`.{${width}}`, 'g'), '$&\r\n')
        assert.deepEqual(decodeBase64(text), bytes)
        assert.deepEqual(decodeBase64(broken), bytes)
      }),
    )
  })

  it('encodes a part of a buffer, and more than one chunk', () => {
    const bytes = crypto.getRandomValues(new Uint8Array(20_001)).subarray(1)
    const text = Buffer.from(bytes).toString('base64')
    for (const encode of [encodeBase64, encodeByBtoa]) assert.equal(encode(bytes), text)
  })

  it('decodes only the canonical form', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[AQg=\n\f !_\u0141]{0,12}$/), (text) => {
        const compact = text.replace(/[\n ]/g, '')
        const canonical = Buffer.from(compact, 'base64').toString('base64') === compact
        assert.equal(decodeBase64(text) !== undefined, canonical)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('base64url', () => {
  it('agrees with Buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64url')
        assert.equal(encodeBase64Url(bytes), text)
        assert.deepEqual(decodeBase64Url(text), bytes)
      }),
    )
  })

  for (const text of ['A', 'AB', 'AA==', 'AA AA', 'A+AA', 'A/AA', 'AAé']) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(decodeBase64Url(text), undefined))
  }
})
