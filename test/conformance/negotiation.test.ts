/** Header fields of content negotiation, offers and the offer to choose: cases of negotiator, and of accepts, which uses it. */
import { describe } from 'node:test'
import { accepts, acceptsLanguage } from 'propylon/http'
import { agrees } from './cases.ts'

type Row = readonly [header: string | undefined, offers: readonly string[], chosen: string | undefined, reason?: string]

const MEDIA_TYPES: readonly Row[] = [
  [undefined, ['text/html', 'application/json'], 'text/html'],
  ['*/*', ['application/json', 'text/html'], 'application/json'],
  ['application/json', ['application/JSON'], 'application/JSON'],
  ['application/json', ['text/html'], undefined],
  ['application/json', ['text/html', 'application/json'], 'application/json'],
  ['application/json', ['boom', 'application/json'], 'application/json'],
  ['application/json;q=0', ['application/json'], undefined],
  ['application/json;q=0', ['application/json', 'text/html', 'image/jpeg'], undefined],
  ['application/json;q=0.2, text/html', ['application/json'], 'application/json'],
  ['application/json;q=0.2, text/html', ['application/json', 'text/html'], 'text/html'],
  [
    'application/json;q=0.9, text/html;q=0.8, application/json;q=0.7',
    ['text/html', 'application/json'],
    'application/json',
  ],
  ['application/json, */*;q=0.1', ['text/html', 'application/json'], 'application/json'],
  ['*/*;q=0.8, text/*, image/*', ['application/json', 'image/gif', 'text/html'], 'text/html'],
  ['text/*', ['application/json'], undefined],
  ['text/*', ['application/json', 'text/html'], 'text/html'],
  ['text/*, text/plain;q=0', ['text/plain'], undefined],
  ['text/*, text/plain;q=0', ['text/plain', 'text/html'], 'text/html'],
  ['text/*, text/plain;q=0.5', ['text/plain', 'text/xml'], 'text/xml'],
  ['text/*, text/html;level', ['text/html'], 'text/html'],
  ['text/html;level=1', ['text/html;Level=1'], 'text/html;Level=1'],
  ['text/html;level=1', ['text/html;level=2'], undefined],
  ['text/html;level=1', ['text/html'], undefined],
  ['text/html;level=1', ['text/html;level=1;foo=bar'], 'text/html;level=1;foo=bar'],
  ['text/html;level=1;foo=bar', ['text/html;level=1'], undefined],
  ['text/html;level=1;foo=bar', ['text/html;foo=bar;level=1'], 'text/html;foo=bar;level=1'],
  ['text/html;level=1;foo="bar"', ['text/html;level=1;foo=bar'], 'text/html;level=1;foo=bar'],
  ['text/html;foo=";level=2;"', ['text/html;level=2'], undefined],
  ['text/html;foo=";level=2;"', ['text/html;foo=";level=2;"'], 'text/html;foo=";level=2;"'],
  ['text/html;LEVEL=1', ['text/html;level=1'], 'text/html;level=1'],
  ['text/html;LEVEL=1;level=2', ['text/html;level=1'], 'text/html;level=1'],
  ['text/html;LEVEL=1;level=2', ['text/html;level=2'], undefined],
  ['text/html;level=2, text/html', ['text/html', 'text/html;level=2'], 'text/html;level=2'],
  ['text/html;level=2;q=0.1, text/html', ['text/html;level=2', 'text/html'], 'text/html'],
  ['text/html;level=2;q=0.1;level=1', ['text/html;level=1'], undefined],
  [
    'text/html;level=2;q=0.1, text/html;level=1, text/html;q=0.5',
    ['text/html', 'text/html;level=2', 'text/html;level=1'],
    'text/html;level=1',
  ],
  ['text/plain, application/json;q=0.5, text/html, */*;q=0.1', ['image/jpeg', 'text/html'], 'text/html'],
  ['text/plain, application/json;q=0.5, text/html, */*;q=0.1', ['image/jpeg', 'image/gif'], 'image/jpeg'],
]

const LANGUAGES: readonly Row[] = [
  [undefined, ['es', 'en'], 'es'],
  ['*', [], undefined],
  ['*', ['es', 'en'], 'es'],
  ['*, en', ['es', 'en'], 'en'],
  ['*, en;q=0', ['en'], undefined],
  ['*, en;q=0', ['es', 'en'], 'es'],
  ['*;q=0.8, en, es', ['en', 'nl'], 'en'],
  ['*;q=0.8, en, es', ['ro', 'nl'], 'ro'],
  ['en', ['en-US'], 'en-US'],
  ['en', ['en-US', 'en'], 'en'],
  ['en;q=0', ['es', 'en'], undefined],
  ['en;q=0.8, es', ['en', 'es'], 'es'],
  ['en;q=0.9, es;q=0.8, en;q=0.7', ['es', 'en'], 'en'],
  ['en-US, en;q=0.8', ['en', 'en-US'], 'en-US'],
  ['en-US, en;q=0.8', ['en-GB', 'es'], 'en-GB'],
  ['en-US, en-GB', ['en-GB', 'en-US'], 'en-US'],
  ['en-US;q=0.8, es', ['en-US', 'es'], 'es'],
  ['en-US;q=0.8, es', ['en-US', 'en'], 'en-US'],
]

type Table = readonly [
  field: string,
  choose: (header: string | undefined, offers: readonly string[]) => string | undefined,
  rows: readonly Row[],
]

const NEGOTIATOR: readonly Table[] = [
  ['Accept', accepts, MEDIA_TYPES],
  ['Accept-Language', acceptsLanguage, LANGUAGES],
]

const SEVERAL = 'application/*;q=0.2, image/jpeg;q=0.8, text/html, text/plain'
const SPANISH = 'en;q=0.8, es, pt'

const ACCEPTS: readonly Table[] = [
  [
    'Accept',
    accepts,
    [
      [SEVERAL, ['image/png', 'image/tiff'], undefined],
      [undefined, ['text/html', 'text/plain', 'image/jpeg', 'application/*'], 'text/html'],
      ['text/plain, text/html', ['image/png', 'text/plain', 'text/html'], 'text/plain'],
      ['text/plain, text/html', ['image/png', 'text/html'], 'text/html'],
      ['application/json, */*', ['text/html'], 'text/html'],
      ['application/json, */*', ['image/png'], 'image/png'],
      ['application/json, text/*', ['text/html'], 'text/html'],
      ['application/json, text/*', ['text/plain'], 'text/plain'],
      ['application/json, text/*', ['image/png'], undefined],
    ],
  ],
  [
    'Accept-Language',
    acceptsLanguage,
    [
      [SPANISH, ['es', 'en'], 'es'],
      [SPANISH, ['fr', 'au'], undefined],
      [undefined, ['es', 'en'], 'es'],
    ],
  ],
]

function negotiates(project: string, tables: readonly Table[]): void {
  const cases = tables.flatMap(([field, choose, rows]) =>
    rows.map(([header, offers, chosen, reason]) => ({
      name: `${header === undefined ? `no ${field}` : `${field}: ${header}`}; offers: ${offers.join(' | ') || 'none'}`,
      input: () => choose(header, offers) ?? 'none',
      allowed: [chosen ?? 'none'],
      reason,
    })),
  )
  agrees(project, cases, (outcome) => outcome())
}

describe('accepts and acceptsLanguage', () => {
  // https://github.com/jshttp/negotiator/tree/14b0a7b88e7e7bb1cae38681195951bff29ca2fd/test
  negotiates('negotiator 1.1.0', NEGOTIATOR)

  // https://github.com/jshttp/accepts/tree/19db02a05c325e1814833c1b6fde58acdb5ba96a/test
  negotiates('accepts 2.0.0', ACCEPTS)
})
