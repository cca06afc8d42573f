import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  decodeBase64,
  decodeBase64Url,
  decodeByAtob,
  encodeBase64,
  encodeBase64Url,
  encodeByBtoa,
} from '../../src/base/base64.ts'

describe('base64', () => {
  it('matches the output of Buffer, with line breaks anywhere', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 80 }), (bytes, width) => {
        const text = Buffer.from(bytes).toString('base64')
        for (const encode of [encodeBase64, encodeByBtoa]) assert.equal(encode(bytes), text)
        const broken = text.replace(new RegExp(`.{${width}}`, 'g'), '$&\r\n')
        for (const decode of [decodeBase64, decodeByAtob]) {
          assert.deepEqual(decode(text), bytes)
          assert.deepEqual(decode(broken), bytes)
        }
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
        for (const decode of [decodeBase64, decodeByAtob]) assert.equal(decode(text) !== undefined, canonical)
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
