import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Binary } from 'propylon/xmlrpc'

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
