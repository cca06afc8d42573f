import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { accepts, acceptsLanguage, parseAccept } from 'propylon/http'

type Row = [header: string | undefined, offers: string[], chosen: string | undefined]

describe('accepts', () => {
  const rows: Row[] = [
    [undefined, ['text/html'], 'text/html'],
    ['', ['text/html'], 'text/html'],
    ['*/*', ['a/b', 'c/d'], 'a/b'],
    ['text/html', ['application/json'], undefined],
    ['text/html;q=0.8, application/json', ['text/html', 'application/json'], 'application/json'],
    ['text/*, application/json;q=0.9', ['application/json', 'text/plain'], 'text/plain'],
    ['text/*;q=0.5, text/html;q=0', ['text/html', 'text/plain'], 'text/plain'],
    ['text/html;q=0, */*', ['text/html'], undefined],
    ['*/*, application/json', ['text/html', 'application/json'], 'application/json'],
    ['b/b, a/a', ['a/a', 'b/b'], 'b/b'],
    ['TEXT/HTML', ['text/html'], 'text/html'],
    ['text/html;level=1', ['text/html'], undefined],
    ['text/html;level=1, text/html;q=0.5', ['text/html', 'text/html;level=1'], 'text/html;level=1'],
    ['application/json;charset=utf-8', ['text/html', 'application/json'], 'application/json'],
    ['application/vnd.api+json, text/html;q=0.9', ['text/html', 'application/json'], 'application/json'],
    ['application/vnd.api+json;q=0, */*', ['application/json'], 'application/json'],
    ['application/vnd.a+json', ['application/json', 'application/vnd.a+json'], 'application/vnd.a+json'],
    ['application/vnd.api+json', ['application/xml'], undefined],
    ['application/json;odata=verbose', ['text/html', 'application/json'], 'application/json'],
    ['application/json;odata=verbose;q=0', ['application/json'], undefined],
    ['application/json;v=2', ['application/json;v=1', 'application/json;v=2'], 'application/json;v=2'],
    ['text/json', ['application/json'], 'application/json'],
    ['text/html', ['text/html; charset=utf-8'], 'text/html; charset=utf-8'],
    ['text/html;q=2, a/b;q=0.1', ['text/html', 'a/b'], 'a/b'],
    ['text/html;q=nope', ['text/html'], undefined],
    ['text/plain;x="a,b", a/b;q=0.1', ['a/b'], 'a/b'],
    ['text', ['text/html'], undefined],
    ['*/*', [], undefined],
  ]
  for (const [header, offers, chosen] of rows) {
    it(`chooses ${chosen} of ${offers.join(' and ')} for ${header}`, () => {
      assert.equal(accepts(header, offers), chosen)
    })
  }

  it('returns an offer or undefined for any header', () => {
    const unit = fc.constantFrom(',', ';', '=', 'q', '"', '*', '/', 'a', '0', '.5', ' ')
    const offers = ['a/a', 'a/q', 'q/a']
    fc.assert(
      fc.property(fc.string({ unit }), (header) => {
        const chosen = accepts(header, offers)
        assert.ok(chosen === undefined || offers.includes(chosen))
      }),
    )
  })
})

describe('acceptsLanguage', () => {
  const rows: Row[] = [
    [undefined, ['de', 'en'], 'de'],
    ['en;q=0.5, de', ['en', 'de'], 'de'],
    ['de', ['de-CH'], 'de-CH'],
    ['de-CH', ['de'], 'de'],
    ['de-CH, de;q=0.9', ['de', 'de-CH'], 'de-CH'],
    ['de', ['dex'], undefined],
    ['fr, *;q=0.1', ['en', 'fr'], 'fr'],
    ['fr', ['en'], undefined],
    ['*, en;q=0', ['en', 'de'], 'de'],
  ]
  for (const [header, offers, chosen] of rows) {
    it(`chooses ${chosen} of ${offers.join(' and ')} for ${header}`, () => {
      assert.equal(acceptsLanguage(header, offers), chosen)
    })
  }
})

describe('parseAccept', () => {
  it('parses members with their weights and parameters, in order', () => {
    const ranges = parseAccept('text/html;level=1;q=0.5, */*')
    assert.deepEqual(
      ranges.map(({ value, quality, parameters }) => [value, quality, { ...parameters }]),
      [
        ['text/html', 0.5, { level: '1' }],
        ['*/*', 1, {}],
      ],
    )
  })

  it('parses 64 members at most', () => {
    assert.equal(parseAccept('a/b,'.repeat(10_000)).length, 64)
  })
})

describe('the type of the result', () => {
  it('is one of the offers', () => {
    const type: 'a/b' | 'c/d' | undefined = accepts('c/d', ['a/b', 'c/d'])
    const language: 'de' | 'en' | undefined = acceptsLanguage('en', ['de', 'en'])
    // @ts-expect-error the result may be undefined, and is not another text
    const wrong: 'fr' = acceptsLanguage('en', ['de', 'en'])
    assert.deepEqual([type, language, wrong], ['c/d', 'en', 'en'])
  })
})
