import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HTTPConflict, HTTPException, type HTTPExceptionOptions, HTTPFound, type Response } from 'propylon'
import { createEnviron } from 'propylon/wsgi'

const DETAIL = 'There is a <b>Joe</b> & "Ann" already.'
const TAKEN = { statusLine: '409 Conflict -- taken' }

/** The response for a client with this Accept header. */
function responseFor(exception: HTTPException, accept?: string): Response {
  const headers: [string, string][] = accept === undefined ? [] : [['Accept', accept]]
  return exception.toResponse(createEnviron({ headers }))
}

function bodyFor(exception: HTTPException, accept?: string): string {
  return String(responseFor(exception, accept).body)
}

function htmlOf(detail: string | undefined, options: HTTPExceptionOptions = {}): string {
  return bodyFor(new HTTPConflict(detail, undefined, options), 'text/html')
}

function problemOf(options: HTTPExceptionOptions): unknown {
  return JSON.parse(bodyFor(new HTTPConflict(DETAIL, undefined, options), 'application/json'))
}

describe('the content type of an error', () => {
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
      const { contentType } = responseFor(new HTTPConflict(), accept)
      assert.equal(contentType?.replace('; charset=utf-8', ''), type)
    })
  }
})

describe('an error as plain text', () => {
  it('has status line, explanation and detail', () => {
    assert.equal(
      bodyFor(new HTTPConflict(DETAIL, undefined, TAKEN)),
      `409 Conflict -- taken\n\nThe request conflicts with the state of the resource.\n\n${DETAIL}\n`,
    )
  })

  it('omits an empty explanation and detail', () => {
    assert.equal(bodyFor(new HTTPException(499)), '499 Client Error\n')
  })
})

describe('an error as a problem document (RFC 9457)', () => {
  it('has the registered title and the status line', () => {
    assert.deepEqual(problemOf(TAKEN), {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: DETAIL,
      statusLine: '409 Conflict -- taken',
    })
  })

  it('has extension members, which cannot replace the status', () => {
    const json = { type: 'https://example.com/taken', title: 'Taken', status: 200, name: 'joe' }
    assert.deepEqual(problemOf({ ...TAKEN, json }), {
      type: 'https://example.com/taken',
      title: 'Taken',
      status: 409,
      name: 'joe',
      detail: DETAIL,
      statusLine: '409 Conflict -- taken',
    })
  })
})

describe('an error as HTML', () => {
  it('has status line, explanation and detail, escaped', () => {
    const html = htmlOf(DETAIL, { statusLine: '409 Conflict -- <taken>' })
    for (const part of [
      '<title>409 Conflict -- &lt;taken&gt;</title>',
      '<h1>409 Conflict -- &lt;taken&gt;</h1>',
      '<p>The request conflicts with the state of the resource.</p>',
      '<p>There is a &lt;b&gt;Joe&lt;/b&gt; &amp; &quot;Ann&quot; already.</p>',
    ]) {
      assert.ok(html.includes(part), part)
    }
  })

  it('adapts to narrow windows and dark schemes', () => {
    const html = htmlOf(undefined)
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
      const exception = new HTTPFound(undefined, { Location: location })
      assert.equal(bodyFor(exception, 'text/html').includes('<a href='), linked)
    })
  }

  it('has the same tags for any text', () => {
    const evil = fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '-', '!', '/', 'a') })
    const page = (text: string) =>
      bodyFor(new HTTPFound(`x${text}`, { Location: `/${text}` }, { statusLine: `302 Found -- ${text}` }), 'text/html')
    const tags = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/".*"/, '""'))
    fc.assert(
      fc.property(evil, (text) => {
        const html = page(text)
        assert.deepEqual(tags(html), tags(page('')))
      }),
    )
  })
})
