import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { reasonPhrase } from 'propylon/wsgi'
import { MAX_REASON_LENGTH } from '../../src/wsgi/reason-phrase.ts'

describe('reasonPhrase', () => {
  it('returns a valid reason phrase unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = reasonPhrase(text)
        assert.equal(reasonPhrase(once), once)
      }),
    )
  })

  it('returns a valid reason phrase for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
        const reason = reasonPhrase(text)
        assert.match(reason, /^[\x20-\x7e\x80-\xff]*$/)
        assert.ok(reason.length <= MAX_REASON_LENGTH)
      }),
    )
  })
})
