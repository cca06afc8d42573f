import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HTTPException, Request, type RequestLimits } from 'propylon'
import type { Form } from 'propylon/http'
import { createEnviron } from 'propylon/wsgi'
import { rejection } from '../rejection.ts'

const BOUNDARY = 'xYz'

interface Parsed {
  readonly fields: [name: string, value: string][]
  readonly files: Form['files']
}

async function parse(
  body: string | Uint8Array,
  limits: Partial<RequestLimits> = {},
  parameters = `boundary="${BOUNDARY}"`,
): Promise<Parsed> {
  const headers: [string, string][] = [['Content-Type', `multipart/form-data; ${parameters}`]]
  const form = await new Request(createEnviron({ method: 'POST', headers, body }), limits).form()
  return { fields: [...form], files: form.files }
}

async function refusal(parsed: Promise<unknown>): Promise<string> {
  return (await rejection(parsed)).statusLine
}

/** Encodes a multipart body from header lines and contents. */
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

describe('a multipart form', () => {
  it('has fields and files in order', async () => {
    const form = await parse(
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

  it('may have no fields', async () => {
    assert.deepEqual(await parse(`--${BOUNDARY}--\r\n`), { fields: [], files: [] })
  })

  it('has empty fields, and empty files with a name', async () => {
    const form = await parse(body(field('a', ''), file('empty.txt', '')))
    assert.deepEqual(form.fields, [['a', '']])
    assert.equal(form.files[0]?.size, 0)
  })

  it('omits empty file inputs', async () => {
    assert.deepEqual(await parse(body(file('', ''))), { fields: [], files: [] })
  })

  it('has names and values beyond ASCII, and values in other charsets', async () => {
    const form = await parse(body(field('ü', 'ö')))
    assert.deepEqual(form.fields, [['ü', 'ö']])
    const latin1 = Buffer.from(
      body([`${field('a', '')[0]}\r\nContent-Type: text/plain; charset=iso-8859-1`, 'ä']),
      'latin1',
    )
    assert.deepEqual((await parse(new Uint8Array(latin1))).fields, [['a', 'ä']])
  })

  it('has file names in the syntax of Windows, curl and RFC 8187', async () => {
    const nameOf = async (header: string) => {
      const { files } = await parse(body([`Content-Disposition: form-data; name="f"; ${header}`, 'x']))
      return files[0]?.filename
    }
    assert.equal(await nameOf(String.raw`filename="C:\docs\a.txt"`), 'a.txt')
    assert.equal(await nameOf(String.raw`filename="a \"b\".txt"`), 'a "b".txt')
    assert.equal(await nameOf(`filename="x"; filename*=UTF-8''%C3%BC.txt`), 'ü.txt')
    assert.equal(await nameOf(`filename="x"; filename*=UTF-8''%zz`), 'x')
    assert.equal(await nameOf(`filename="x"; filename*=klingon''y`), 'x')
    assert.equal(await nameOf(`filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`), 'passwd')
  })

  it('may have fields with the names of inherited properties', async () => {
    const form = await parse(body(field('__proto__', 'x'), field('constructor', 'y')))
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
    it(`may have ${label}`, async () => {
      assert.deepEqual((await parse(`${before}${body(field('a', '1'))}${after}`)).fields, [['a', '1']])
    })
  }

  for (const blanks of [' ', '  ', '\t', ' \t   ']) {
    it(`accepts ${JSON.stringify(blanks)} after boundaries`, async () => {
      const text = body(field('a', '1'), field('b', '2')).replaceAll(/(--\w+(?:--)?)\r\n/g, `$1${blanks}\r\n`)
      assert.deepEqual((await parse(`preamble\r\n${text}`)).fields, [
        ['a', '1'],
        ['b', '2'],
      ])
    })
  }

  it('has the same limits after a preamble', async () => {
    const text = `preamble\r\n${body(field('a', 'x'.repeat(11)))}`
    assert.equal(await refusal(parse(text, { field: 10 })), '413 Content Too Large')
  })

  it('calls nothing for a line of a preamble', async (t) => {
    const search = t.mock.method(Object.getPrototypeOf(Uint8Array.prototype), 'indexOf')
    const compare = t.mock.method(Object.getPrototypeOf(Uint8Array.prototype), 'every')
    const form = await parse(`${'\r\n'.repeat(10_000)}${body(field('a', '1'))}`)
    assert.equal(form.fields.length, 1)
    assert.ok(search.mock.callCount() < 100, `indexOf was called ${search.mock.callCount()} times`)
    assert.ok(compare.mock.callCount() < 100, `every was called ${compare.mock.callCount()} times`)
  })

  it('limits the headers of all parts together to 64 of the longest', async () => {
    const [header, content] = field('a', '1')
    const headers = (count: number) =>
      body(...Array<[string, string]>(count).fill([`${header}\r\nX: ${'y'.repeat(900)}`, content]))
    assert.equal((await parse(headers(60), { partHeader: 1024 })).fields.length, 60)
    assert.equal(await refusal(parse(headers(80), { partHeader: 1024 })), '413 Content Too Large')
  })

  const malformed: [title: string, text: string, parameters?: string][] = [
    ['an empty body', ''],
    ['a body without a boundary', 'hello'],
    ['a preamble alone', 'hello\r\nworld\r\n'],
    ['text behind the boundary', body(field('a', '1')).replace(`--${BOUNDARY}`, `--${BOUNDARY}ab`).slice(0, 60)],
    ['no boundary parameter', body(field('a', '1')), ''],
    ['another boundary', body(field('a', '1')), 'boundary=other'],
    ['a boundary beyond ASCII', body(field('a', '1')), 'boundary=ü'],
    ['an empty boundary', body(field('a', '1')), 'boundary=""'],
    ['a boundary that is too long', body(field('a', '1')), `boundary=${'x'.repeat(71)}`],
    ['no end', body(field('a', '1')).slice(0, -6)],
    ['an end within a header', `--${BOUNDARY}\r\nContent-Dispo`],
    ['an end within a field', `--${BOUNDARY}\r\n${field('a', '')[0]}\r\n\r\nhel`],
    ['a part without a name', body(['Content-Disposition: form-data', 'x'])],
    ['a part without a disposition', body(['X: y', 'x'])],
    ['a part with another disposition', body(['Content-Disposition: attachment; name="a"', 'x'])],
  ]
  for (const [title, text, parameters] of malformed) {
    it(`is refused with ${title}`, async () => {
      assert.equal(await refusal(parse(text, {}, parameters)), '400 Bad Request')
    })
  }

  it('has U+FFFD in the name of a file for bytes that are not UTF-8', async () => {
    const [header, content] = file('a', '1')
    const bytes = Buffer.from(body([header.replace(/filename="[^"]*"/, 'filename="gr\xfcn.txt"'), content]), 'latin1')
    const { files } = await parse(new Uint8Array(bytes))
    assert.deepEqual(
      files.map(({ filename }) => filename),
      ['gr\ufffdn.txt'],
    )
  })

  it('is refused with a field in an unknown charset', async () => {
    const text = body([`${field('a', '')[0]}\r\nContent-Type: text/plain; charset=klingon`, 'x'])
    assert.equal(await refusal(parse(text)), '415 Unsupported Media Type')
  })

  const limits: [string, string, Partial<RequestLimits>][] = [
    ['a file over the limit', body(file('a', 'x'.repeat(11))), { file: 10 }],
    ['a field over the limit', body(field('a', 'x'.repeat(11))), { field: 10 }],
    ['more parts than the limit', body(field('a', ''), field('b', ''), field('c', '')), { fields: 2 }],
    ['a part header over the limit', body([`X: ${'y'.repeat(200)}\r\n${field('a', '')[0]}`, '']), { partHeader: 100 }],
    ['more in all than the limit', body(file('a', 'x'.repeat(8)), file('b', 'x'.repeat(8))), { multipart: 10 }],
  ]
  for (const [title, text, given] of limits) {
    it(`is refused with ${title}`, async () => {
      assert.equal(await refusal(parse(text, given)), '413 Content Too Large')
    })
  }

  it('has any fields that browsers send', async () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes(`--${BOUNDARY}`))
    // Browsers write line breaks and quotes in names as percent sequences, but no percent sign.
    const name = fc.stringMatching(/^[^"\\;\p{Cc}]{1,20}$/u).filter((value) => !/%(?:0a|0d|22)/i.test(value))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, text), { minLength: 1 }), async (pairs) => {
        const fields = pairs.map(([key, value]): [string, string] => [key.trim(), value])
        const { fields: parsed } = await parse(body(...fields.map(([key, value]) => field(key, value))))
        assert.deepEqual(parsed, fields)
      }),
    )
  })

  it('is parsed from any body, or refused with 400', async () => {
    const unit = fc.constantFrom(`--${BOUNDARY}`, '--', '\r\n', '\r\n\r\n', field('a', '')[0], 'x', '"', ';', ':')
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, maxLength: 20 }), async (text) => {
        try {
          await parse(`--${BOUNDARY}${text}`)
        } catch (error) {
          assert.ok(error instanceof HTTPException && error.status === 400, String(error))
        }
      }),
    )
  })
})
