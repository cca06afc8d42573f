import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HTTPException } from '../../src/http/exceptions.ts'
import { DEFAULT_LIMITS, type RequestLimits } from '../../src/http/limits.ts'
import { type MultipartForm, parseMultipart } from '../../src/http/multipart.ts'

const BOUNDARY = 'xYz'

function parse(
  text: string,
  limits: Partial<RequestLimits> = {},
  boundary: string | undefined = BOUNDARY,
): MultipartForm {
  return parseMultipart(new TextEncoder().encode(text), boundary, { ...DEFAULT_LIMITS, ...limits })
}

/** A multipart body of parts that are given as header lines and content. */
function body(...parts: [header: string, content: string][]): string {
  const written = parts.map(([header, content]) => `--${BOUNDARY}\r\n${header}\r\n\r\n${content}\r\n`)
  return `${written.join('')}--${BOUNDARY}--\r\n`
}

function field(name: string, content: string): [string, string] {
  return [`Content-Disposition: form-data; name="${name}"`, content]
}

function file(filename: string, content = 'x', rest = ''): [string, string] {
  return [`Content-Disposition: form-data; name="f"; filename="${filename}"${rest}`, content]
}

function refusal(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    assert.ok(error instanceof HTTPException, String(error))
    return error.statusLine
  }
  return assert.fail('it was accepted')
}

describe('parseMultipart', () => {
  it('tells fields from files and keeps their order', async () => {
    const form = parse(
      body(
        field('a', '1'),
        file('a.txt', 'hello', '\r\nContent-Type: text/plain; charset=utf-8'),
        field('b', '2'),
        field('a', '3'),
      ),
    )
    assert.deepEqual(form.fields, [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ])
    const [only] = form.files
    assert.deepEqual(
      [form.files.length, only?.name, only?.filename, only?.type, only?.size],
      [1, 'f', 'a.txt', 'text/plain', 5],
    )
    assert.equal(await only?.text(), 'hello')
  })

  it('reads a form without fields', () => {
    assert.deepEqual(parse(`--${BOUNDARY}--\r\n`), { fields: [], files: [] })
  })

  it('reads empty fields and empty files that have a name', () => {
    const form = parse(body(field('a', ''), file('empty.txt', '')))
    assert.deepEqual(form.fields, [['a', '']])
    assert.equal(form.files[0]?.size, 0)
  })

  it('takes a file input that was left empty for no file', () => {
    assert.deepEqual(parse(body(file('', ''))), { fields: [], files: [] })
  })

  it('reads names and values beyond ASCII, and values in other charsets', () => {
    const form = parse(body(field('ü', 'ö')))
    assert.deepEqual(form.fields, [['ü', 'ö']])
    const latin1 = Buffer.from(
      body([`${field('a', '')[0]}\r\nContent-Type: text/plain; charset=iso-8859-1`, 'ä']),
      'latin1',
    )
    assert.deepEqual(parseMultipart(latin1, BOUNDARY, DEFAULT_LIMITS).fields, [['a', 'ä']])
  })

  it('reads names as Windows, as curl and as RFC 8187 write them', () => {
    const names = (header: string) =>
      parse(body([`Content-Disposition: form-data; name="f"; ${header}`, 'x'])).files[0]?.filename
    assert.equal(names(String.raw`filename="C:\docs\a.txt"`), 'a.txt')
    assert.equal(names(String.raw`filename="a \"b\".txt"`), 'a "b".txt')
    assert.equal(names(`filename="x"; filename*=UTF-8''%C3%BC.txt`), 'ü.txt')
    assert.equal(names(`filename="x"; filename*=UTF-8''%zz`), 'x')
    assert.equal(names(`filename="x"; filename*=klingon''y`), 'x')
    assert.equal(names(`filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`), 'passwd')
  })

  it('takes names of the prototype for names like any other', () => {
    const form = parse(body(field('__proto__', 'x'), field('constructor', 'y')))
    assert.deepEqual(form.fields, [
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })

  const around: [label: string, before: string, after: string][] = [
    ['a preamble', 'This is a multipart message.\r\n', ''],
    ['an empty line before', '\r\n', ''],
    ['a preamble of several lines', 'one\r\ntwo\n\r\n', ''],
    ['a preamble that begins with a line feed', '\n\r\n', ''],
    ['a preamble with the boundary within a line', `x--${BOUNDARY}\r\n`, ''],
    ['a preamble with the boundary behind a bare line feed', `x\n--${BOUNDARY}\r\n`, ''],
    ['a preamble with a longer boundary', `--${BOUNDARY}z\r\n`, ''],
    ['an epilogue', '', 'This is the end.'],
    ['an epilogue that looks like a part', '', body(field('b', '2'))],
    ['both', 'preamble\r\n', 'epilogue\r\n'],
  ]
  for (const [label, before, after] of around) {
    it(`ignores ${label}`, () => {
      assert.deepEqual(parse(`${before}${body(field('a', '1'))}${after}`).fields, [['a', '1']])
    })
  }

  for (const blanks of [' ', '  ', '\t', ' \t   ']) {
    it(`accepts ${JSON.stringify(blanks)} behind boundaries`, () => {
      const text = body(field('a', '1'), field('b', '2')).replaceAll(/(--\w+(?:--)?)\r\n/g, `$1${blanks}\r\n`)
      assert.deepEqual(parse(`preamble\r\n${text}`).fields, [
        ['a', '1'],
        ['b', '2'],
      ])
    })
  }

  it('keeps the limits behind a preamble', () => {
    const text = `preamble\r\n${body(field('a', 'x'.repeat(11)))}`
    assert.equal(
      refusal(() => parse(text, { field: 10 })),
      '413 Content Too Large',
    )
  })

  const malformed: [string, string, (string | undefined)?][] = [
    ['an empty body', ''],
    ['a body that is none', 'hello'],
    ['a preamble alone', 'hello\r\nworld\r\n'],
    [
      'text behind the boundary',
      body(field('a', '1')).replace(`--${BOUNDARY}`, `--${BOUNDARY}ab`).slice(0, 60),
    ],
    ['no boundary', body(field('a', '1')), undefined],
    ['another boundary', body(field('a', '1')), 'other'],
    ['a boundary beyond ASCII', body(field('a', '1')), 'ü'],
    ['an empty boundary', body(field('a', '1')), ''],
    ['a boundary that is too long', body(field('a', '1')), 'x'.repeat(71)],
    ['no end', body(field('a', '1')).slice(0, -6)],
    ['an end within a header', `--${BOUNDARY}\r\nContent-Dispo`],
    ['an end within a field', `--${BOUNDARY}\r\n${field('a', '')[0]}\r\n\r\nhel`],
    ['a part without a name', body(['Content-Disposition: form-data', 'x'])],
    ['a part without a disposition', body(['X: y', 'x'])],
    ['a part that is no form data', body(['Content-Disposition: attachment; name="a"', 'x'])],
  ]
  for (const [title, text, ...boundary] of malformed) {
    it(`refuses ${title}`, () => {
      const given = boundary.length === 0 ? BOUNDARY : boundary[0]
      const read = () => parseMultipart(new TextEncoder().encode(text), given, DEFAULT_LIMITS)
      assert.equal(refusal(read), '400 Bad Request')
    })
  }

  it('refuses a header that is no UTF-8', () => {
    const bytes = Buffer.from(body(field('\xff', '1')), 'latin1')
    assert.equal(
      refusal(() => parseMultipart(bytes, BOUNDARY, DEFAULT_LIMITS)),
      '400 Bad Request',
    )
  })

  it('refuses a field of unknown charset', () => {
    const text = body([`${field('a', '')[0]}\r\nContent-Type: text/plain; charset=klingon`, 'x'])
    assert.equal(
      refusal(() => parse(text)),
      '415 Unsupported Media Type',
    )
  })

  const limits: [string, string, Partial<RequestLimits>][] = [
    ['a file over the limit', body(file('a', 'x'.repeat(11))), { file: 10 }],
    ['a field over the limit', body(field('a', 'x'.repeat(11))), { field: 10 }],
    ['more parts than the limit', body(field('a', ''), field('b', ''), field('c', '')), { fields: 2 }],
    [
      'a part header over the limit',
      body([`X: ${'y'.repeat(200)}\r\n${field('a', '')[0]}`, '']),
      { partHeader: 100 },
    ],
    [
      'more in all than the limit',
      body(file('a', 'x'.repeat(8)), file('b', 'x'.repeat(8))),
      { multipart: 10 },
    ],
  ]
  for (const [title, text, given] of limits) {
    it(`refuses ${title}`, () => {
      assert.equal(
        refusal(() => parse(text, given)),
        '413 Content Too Large',
      )
    })
  }

  it('reads any fields that browsers may send', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes(`--${BOUNDARY}`))
    const name = fc.stringMatching(/^[^"\\;\p{Cc}]{1,20}$/u)
    fc.assert(
      fc.property(fc.array(fc.tuple(name, text), { minLength: 1 }), (pairs) => {
        assert.deepEqual(
          parse(body(...pairs.map(([key, value]) => field(key.trim(), value)))).fields,
          pairs.map(([key, value]) => [key.trim(), value]),
        )
      }),
    )
  })

  it('answers any body with a form or a refusal', () => {
    const unit = fc.constantFrom(
      `--${BOUNDARY}`,
      '--',
      '\r\n',
      '\r\n\r\n',
      field('a', '')[0],
      'x',
      '"',
      ';',
      ':',
    )
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
        try {
          parse(`--${BOUNDARY}${text}`)
        } catch (error) {
          assert.ok(error instanceof HTTPException && error.status === 400, String(error))
        }
      }),
    )
  })
})
