import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { escapeHtml } from 'propylon'

describe('escapeHtml', () => {
  it('replaces the five special characters by references', () => {
    assert.equal(escapeHtml(`<a href="x">'&'</a>`), '&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;')
  })

  it('escapes references again', () => {
    assert.equal(escapeHtml('&amp;'), '&amp;amp;')
  })

  it('removes every character that begins a tag or ends an attribute', () => {
    fc.assert(fc.property(fc.string(), (text) => !/[<>"']/.test(escapeHtml(text))))
  })

  it('keeps all other text', () => {
    const references: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
    const text = fc.string({ unit: fc.constantFrom('a', '’', ...Object.keys(references)) })
    fc.assert(
      fc.property(text, (text) => escapeHtml(text) === [...text].map((each) => references[each] ?? each).join('')),
    )
  })
})
