import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Binary } from 'propylon/xmlrpc'
import { decodeBase64, decodeByTable, encodeBase64, encodeByTable } from '../../src/xmlrpc/base64.ts'

describe('base64', () => {
  it('agrees with Buffer, with line breaks anywhere', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 80 }), (bytes, width) => {
        const text = Buffer.from(bytes).toString('base64')
        for (const encode of [encodeBase64, encodeByTable]) assert.equal(encode(bytes), text)
        const broken = text.replace(new RegExp(`.{${width}}`, 'g'), '$&\r\n')
        for (const decode of [decodeBase64, decodeByTable]) {
          assert.deepEqual(decode(text), bytes)
          assert.deepEqual(decode(broken), bytes)
        }
      }),
    )
  })

  it('refuses other characters, natively and by the table', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[AQg=\n !\u0100]{0,12}$/), (text) => {
        assert.deepEqual(decodeByTable(text), decodeBase64(text))
        const compact = text.replace(/[\n ]/g, '')
        const canonical = Buffer.from(compact, 'base64').toString('base64') === compact
        assert.equal(decodeByTable(text) !== undefined, canonical)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('Binary', () => {
  it('decodes and encodes base64', () => {
    const binary = Binary.fromBase64('AQ\r\nID')
    assert.deepEqual(binary.bytes, new Uint8Array([1, 2, 3]))
    assert.equal(String(binary), 'AQID')
    assert.equal(JSON.stringify({ binary }), '{"binary":"AQID"}')
    assert.throws(() => Binary.fromBase64('AQI'), RangeError)
  })

  it('holds bytes and array buffers, compares them and decodes them as text', () => {
    const bytes = new TextEncoder().encode('grün')
    assert.ok(new Binary(bytes).equals(new Binary(bytes.slice().buffer)))
    assert.ok(!new Binary(bytes).equals(new Binary(bytes.subarray(1))))
    assert.equal(new Binary(bytes).text(), 'grün')
    assert.throws(() => new Binary(new Uint8Array([0xff])).text(), TypeError)
  })
})
