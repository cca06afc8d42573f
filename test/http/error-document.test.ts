import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type ErrorDocument,
  errorMediaType,
  renderHtml,
  renderProblem,
  renderText,
} from '../../src/http/error-document.ts'

const DOCUMENT: ErrorDocument = {
  status: 409,
  statusLine: '409 Conflict -- taken',
  title: 'Conflict',
  explanation: 'It conflicts.',
  detail: 'There is a <b>Joe</b> & "Ann" already.',
  comment: undefined,
  location: undefined,
  json: undefined,
}

describe('errorMediaType', () => {
  const rows: [string | undefined, string][] = [
    [undefined, 'text/plain'],
    ['', 'text/plain'],
    ['*/*', 'text/plain'],
    ['image/png, */*;q=0.8', 'text/plain'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['application/xhtml+xml', 'text/html'],
    ['text/*', 'text/plain'],
    ['text/html;q=0', 'text/plain'],
    ['application/json', 'application/problem+json'],
    ['application/problem+json', 'application/problem+json'],
    ['application/vnd.api+json', 'application/problem+json'],
    ['application/*', 'application/problem+json'],
    ['application/json, text/plain, */*', 'application/problem+json'],
    ['text/html;q=0.5, application/json', 'application/problem+json'],
    ['text/plain;q=0.9, text/html;q=0.8', 'text/plain'],
  ]
  for (const [accept, type] of rows) {
    it(`is ${type} for ${accept}`, () => {
      assert.equal(errorMediaType(accept), type)
    })
  }
})

describe('renderText', () => {
  it('holds status line, explanation and detail', () => {
    assert.equal(
      renderText(DOCUMENT),
      '409 Conflict -- taken\n\nIt conflicts.\n\nThere is a <b>Joe</b> & "Ann" already.\n',
    )
  })

  it('leaves out what is empty', () => {
    assert.equal(renderText({ ...DOCUMENT, explanation: '', detail: undefined }), '409 Conflict -- taken\n')
  })
})

describe('renderProblem', () => {
  it('is a problem document with the status line (RFC 9457)', () => {
    assert.deepEqual(JSON.parse(renderProblem(DOCUMENT)), {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: DOCUMENT.detail,
      statusLine: '409 Conflict -- taken',
    })
  })

  it('takes extension members, but no false status', () => {
    const json = { type: 'https://example.com/taken', title: 'Taken', status: 200, name: 'joe' }
    assert.deepEqual(JSON.parse(renderProblem({ ...DOCUMENT, json })), {
      type: 'https://example.com/taken',
      title: 'Taken',
      status: 409,
      name: 'joe',
      detail: DOCUMENT.detail,
      statusLine: '409 Conflict -- taken',
    })
  })
})

describe('renderHtml', () => {
  it('holds status line, explanation and detail, escaped', () => {
    const html = renderHtml(DOCUMENT)
    for (const part of [
      '<title>409 Conflict -- taken</title>',
      '<h1>409 Conflict -- taken</h1>',
      '<p>It conflicts.</p>',
      '<p>There is a &lt;b&gt;Joe&lt;/b&gt; &amp; &quot;Ann&quot; already.</p>',
    ]) {
      assert.ok(html.includes(part), part)
    }
  })

  it('adapts to narrow windows and dark schemes', () => {
    const html = renderHtml(DOCUMENT)
    assert.match(html, /<meta name="viewport" content="width=device-width, initial-scale=1">/)
    assert.match(html, /<meta name="color-scheme" content="light dark">/)
  })

  const locations: [string, boolean][] = [
    ['/users/joe', true],
    ['users;edit?x=a:b', true],
    ['?a=1', true],
    ['//example.com/', true],
    ['https://example.com/"><script>', true],
    ['javascript:alert(1)', false],
    [' javascript:alert(1)', false],
    ['java\tscript:alert(1)', false],
    ['data:text/html,x', false],
  ]
  for (const [location, linked] of locations) {
    it(`${linked ? 'links to' : 'does not link to'} ${JSON.stringify(location)}`, () => {
      assert.equal(renderHtml({ ...DOCUMENT, location }).includes('<a href='), linked)
    })
  }

  it('cannot be left, whatever text it holds', () => {
    const evil = fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '-', '!', '/', 'a') })
    const empty = renderHtml({ ...DOCUMENT, statusLine: '', detail: 'x', comment: 'x', location: '/' })
    const tags = (html: string) => html.match(/<(?!!--)[^>]*>/g)?.map((tag) => tag.replace(/".*"/, '""'))
    fc.assert(
      fc.property(evil, (text) => {
        const html = renderHtml({
          ...DOCUMENT,
          statusLine: text,
          detail: `x${text}`,
          comment: text,
          location: `/${text}`,
        })
        assert.deepEqual(tags(html), tags(empty))
        assert.equal(html.match(/-->/g)?.length, 1)
      }),
    )
  })
})
