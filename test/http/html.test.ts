import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { escapeHtml } from '../../src/http/html.ts'

describe('escapeHtml', () => {
  it('writes the five special characters as references', () => {
    assert.equal(escapeHtml(`<a href="x">'&'</a>`), '&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;')
  })

  it('escapes what is escaped already once more', () => {
    assert.equal(escapeHtml('&amp;'), '&amp;amp;')
  })

  it('leaves nothing that could begin a tag or end an attribute', () => {
    fc.assert(fc.property(fc.string(), (text) => !/[<>"']/.test(escapeHtml(text))))
  })
})
