import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { HTTPException, type Part, type PartLimits, type Request } from 'propylon'
import { rejection } from '../rejection.ts'
import { body, field, file, multipartRequest, type PartText, Pieces } from './multipart-body.ts'

/** Reads all parts to `name=text`, or `name:filename=text`. */
async function read(request: Request, limits?: PartLimits): Promise<string[]> {
  const read: string[] = []
  for await (const part of request.parts(limits)) {
    const filename = part.filename === undefined ? '' : `:${part.filename}`
    read.push(`${part.name}${filename}=${await part.text()}`)
  }
  return read
}

async function skip(request: Request, limits?: PartLimits): Promise<number> {
  let count = 0
  for await (const _ of request.parts(limits)) count += 1
  return count
}

async function only(header: string, content = 'x'): Promise<Part> {
  for await (const part of multipartRequest(body([header, content])).parts()) return part
  return assert.fail('there is no part')
}

async function statusOf(promise: Promise<unknown>): Promise<number> {
  return (await rejection(promise)).status
}

const three = body(field('a', '1'), file('b.txt', 'two'), field('c', ''))

describe('request.parts()', () => {
  it('returns fields and files in order', async () => {
    assert.deepEqual(await read(multipartRequest(three)), ['a=1', 'f:b.txt=two', 'c='])
  })

  it('returns nothing for a form without parts', async () => {
    assert.deepEqual(await read(multipartRequest(body())), [])
  })

  for (const size of [1, 2, 3, 7, 64]) {
    it(`accepts pieces of ${size} bytes`, async () => {
      assert.deepEqual(await read(multipartRequest(new Pieces(three, size))), ['a=1', 'f:b.txt=two', 'c='])
    })
  }

  it('returns a part before the next one has arrived', async () => {
    const pieces = new Pieces(three, 1)
    for await (const part of multipartRequest(pieces).parts()) {
      assert.equal(await part.text(), '1')
      break
    }
    assert.ok(pieces.taken < three.indexOf('b.txt'), `${pieces.taken} bytes were read`)
  })

  it('omits empty file inputs, but not empty files with a name', async () => {
    const request = multipartRequest(body(file('', ''), file('empty.txt', ''), file('', 'x')))
    assert.deepEqual(await read(request), ['f:empty.txt=', 'f:=x'])
  })

  it('skips parts that are not read', async () => {
    assert.equal(await skip(multipartRequest(new Pieces(three, 5))), 3)
  })

  it('skips the rest of a part that is read in part', async () => {
    const request = multipartRequest(new Pieces(body(file('a', 'x'.repeat(100)), field('b', '2')), 10))
    const names: string[] = []
    for await (const part of request.parts()) {
      names.push(part.name)
      await part.stream.getReader().read()
    }
    assert.deepEqual(names, ['f', 'b'])
  })

  it('reads a compressed body', async () => {
    const headers = [['Content-Encoding', 'gzip']] as const
    const request = multipartRequest(new Pieces(gzipSync(three), 9), { headers: headers.map((h) => [...h]) })
    assert.deepEqual(await read(request), ['a=1', 'f:b.txt=two', 'c='])
    const members = Buffer.concat([gzipSync(three.slice(0, 50)), gzipSync(three.slice(50))])
    const again = multipartRequest(new Pieces(members, 9), { headers: headers.map((h) => [...h]) })
    assert.deepEqual(await read(again), ['a=1', 'f:b.txt=two', 'c='])
  })

  it('returns what was sent, however it is cut into pieces', async () => {
    // Content that nearly has delimiters.
    const unit = fc.constantFrom('\r', '\n', '\r\n', '--', '--xY', '\r\n--xY', 'x', '-', '\r\n--xYzz', 'é')
    const content = fc.string({ unit, maxLength: 12 }).filter((text) => !/(?:^|\r\n)--xYz(?!z)/.test(text))
    await fc.assert(
      fc.asyncProperty(fc.array(content, { maxLength: 4 }), fc.integer({ min: 1, max: 40 }), async (all, size) => {
        const text = body(...all.map((one, at) => file(`${at}`, one)))
        const sent = all.map((one, at) => `f:${at}=${one}`)
        assert.deepEqual(await read(multipartRequest(new Pieces(text, size))), sent)
      }),
    )
  })

  it('returns the same parts as form(), or the same refusal, for any body in any pieces', async () => {
    const unit = fc.constantFrom(
      '--xYz',
      '--',
      '\r\n',
      '\r\n\r\n',
      field('a', '')[0],
      file('x')[0],
      'x',
      '\r',
      ' ',
      ':',
    )
    const text = fc.string({ unit, maxLength: 25 })
    const outcome = async (reading: Promise<string[]>) => {
      try {
        return await reading
      } catch (error) {
        assert.ok(error instanceof HTTPException, String(error))
        return error.status
      }
    }
    const readForm = async (request: Request) => {
      const form = await request.form()
      const files = await Promise.all(form.files.map(async (one) => `f=${await one.text()}`))
      return [...[...form].map(([name, value]) => `${name}=${value}`), ...files].sort()
    }
    const readParts = async (request: Request) =>
      (await read(request)).map((one) => one.replace(/^[af]:x=/, 'f=')).sort()
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 30 }), async (tail, size) => {
        const whole = `--xYz\r\n${tail}`
        const parts = await outcome(readParts(multipartRequest(new Pieces(whole, size))))
        assert.deepEqual(parts, await outcome(readForm(multipartRequest(whole))))
      }),
      { numRuns: 300 },
    )
  })
})

describe('a part', () => {
  it('has the header fields of the part', async () => {
    const part = await only('Content-Disposition: form-data; name="a"\r\nX-Note: one\r\nx-note: two\r\nX-Long: a\r\n b')
    assert.equal(part.headers.get('x-NOTE'), 'one, two')
    assert.equal(part.headers.get('x-long'), 'a b')
    assert.equal(part.headers.has('content-type'), false)
    assert.equal(part.headers.get('content-type'), undefined)
    assert.deepEqual(
      [...part.headers].map(([name]) => name),
      ['content-disposition', 'x-note', 'x-long'],
    )
  })

  const types: [label: string, header: string, type: string][] = [
    ['of a field', field('a', '')[0], 'text/plain'],
    ['of a file', file('a')[0], 'application/octet-stream'],
    ['that was sent', `${file('a')[0]}\r\nContent-Type: image/png; q="x"`, 'image/png; q="x"'],
  ]
  for (const [label, header, type] of types) {
    it(`has the content type ${label}`, async () => {
      assert.equal((await only(header)).contentType, type)
    })
  }

  const names: [label: string, sent: string, name: string][] = [
    ['UTF-8', 'ü 日本.txt', 'ü 日本.txt'],
    ['quotes as browsers escape them', 'a %22b%22.txt', 'a "b".txt'],
    ['line breaks as browsers escape them', 'a%0D%0Ab', 'a\r\nb'],
    ['quotes as curl escapes them', String.raw`a \"b\".txt`, 'a "b".txt'],
    ['other percent signs as they are', '100%25 %7E%.txt', '100%25 %7E%.txt'],
    ['path separators as they are', String.raw`../..\C:\x/y`, String.raw`../..\C:\x/y`],
  ]
  for (const [label, sent, name] of names) {
    it(`has a name and a file name with ${label}`, async () => {
      const part = await only(`Content-Disposition: form-data; name="${sent}"; filename="${sent}"`)
      assert.deepEqual([part.name, part.filename], [name, name])
    })
  }

  it('has the name and the file name of RFC 8187', async () => {
    assert.equal((await only(`${file('x')[0]}; filename*=UTF-8''%C3%BC%2Fx`)).filename, 'ü/x')
  })

  it('returns text in the charset of its content type', async () => {
    const latin1 = Buffer.from(body([`${file('a')[0]}\r\nContent-Type: text/csv; charset=iso-8859-1`, 'ä']), 'latin1')
    assert.deepEqual(await read(multipartRequest(new Uint8Array(latin1))), ['f:a=ä'])
  })

  it('refuses text in an unknown charset, but not the part', async () => {
    const request = multipartRequest(body([`${file('a')[0]}\r\nContent-Type: text/csv; charset=klingon`, 'x']))
    for await (const part of request.parts()) assert.equal(await statusOf(part.text()), 415)
  })

  it('returns bytes', async () => {
    const content = Uint8Array.from({ length: 256 }, (_, at) => at)
    const [head = '', tail = ''] = body(file('a', '|')).split('|')
    const sent = Buffer.concat([Buffer.from(head), content, Buffer.from(tail)])
    for await (const part of multipartRequest(new Pieces(new Uint8Array(sent), 50)).parts()) {
      assert.deepEqual([...(await part.bytes())], [...content])
    }
  })

  it('returns the same stream at each access', async () => {
    for await (const part of multipartRequest(body(field('a', 'hello'))).parts()) {
      assert.equal(part.stream, part.stream)
      assert.equal(await new globalThis.Response(part.stream).text(), 'hello')
    }
  })

  it('pulls a piece of the body for each chunk that is read from its stream', async () => {
    const pieces = new Pieces(body(file('a', 'x'.repeat(10_000))), 100)
    for await (const part of multipartRequest(pieces).parts()) {
      const reader = part.stream.getReader()
      for (let chunks = 1; chunks < 90; chunks += 1) {
        await reader.read()
        assert.ok(pieces.taken <= chunks + 2, `${pieces.taken} pieces were read for ${chunks} chunks`)
      }
    }
  })

  it('leaves the rest of the body unread when the loop ends early', async () => {
    const pieces = new Pieces(body(field('a', '1'), file('a', 'x'.repeat(10_000))), 100)
    for await (const part of multipartRequest(pieces).parts()) {
      if (part.filename !== undefined) break
    }
    assert.ok(pieces.taken < 4, `${pieces.taken} of ${pieces.count} pieces were read`)
  })
})

describe('a part that is used wrongly', () => {
  it('cannot be read twice', async () => {
    for await (const part of multipartRequest(body(field('a', '1'))).parts()) {
      await part.text()
      await assert.rejects(part.bytes(), /The part "a" has been read\. Read a part once/)
      assert.throws(() => part.stream, TypeError)
    }
  })

  it('cannot be read when the loop has gone on', async () => {
    const parts: Part[] = []
    for await (const part of multipartRequest(three).parts()) parts.push(part)
    for (const part of parts) await assert.rejects(part.text(), /can no longer be read: the loop/)
  })

  it('cannot be read when the loop has ended early', async () => {
    const part = await only(field('a', '')[0])
    await assert.rejects(part.text(), /The part "a" can no longer be read/)
    assert.throws(() => part.stream, TypeError)
  })

  it('fails a stream that is read when the loop has gone on', async () => {
    const streams: ReadableStream<Uint8Array>[] = []
    for await (const part of multipartRequest(three).parts()) streams.push(part.stream)
    for (const stream of streams) await assert.rejects(stream.getReader().read(), /can no longer be read/)
  })

  it('is read to its end if the method that reads it is not awaited', async () => {
    const texts: Promise<string>[] = []
    for await (const part of multipartRequest(new Pieces(three, 3)).parts()) texts.push(part.text())
    assert.deepEqual(await Promise.all(texts), ['1', 'two', ''])
  })
})

describe('request.parts() and the other methods', () => {
  it('reads the parts after form() from memory', async () => {
    const request = multipartRequest(three)
    await request.form()
    assert.equal((await read(request)).length, 3)
  })

  for (const method of ['bytes', 'text', 'form'] as const) {
    it(`refuses ${method}() after parts()`, async () => {
      const request = multipartRequest(three)
      await read(request)
      await assert.rejects(request[method](), /has been read by request\.parts\(\)/)
    })
  }

  it('refuses a second call', async () => {
    const request = multipartRequest(three)
    await read(request)
    await assert.rejects(read(request), TypeError)
  })

  it('reads a body that is in memory', async () => {
    const request = multipartRequest(three)
    await request.bytes()
    assert.equal((await read(request)).length, 3)
  })

  it('leaves the body alone if it is not a multipart form', async () => {
    const request = multipartRequest('a=1', { type: 'application/x-www-form-urlencoded' })
    assert.equal(await statusOf(read(request)), 415)
    assert.equal((await request.form()).get('a'), '1')
  })

  it('reads nothing before the loop begins', () => {
    const pieces = new Pieces(three, 1)
    multipartRequest(pieces).parts()
    assert.equal(pieces.taken, 0)
  })
})

describe('the limits of request.parts()', () => {
  const whole = body(field('a', '1'))
  const forms: [label: string, parts: PartText[], limits: PartLimits, beyond: PartLimits][] = [
    ['a field', [field('a', '12345')], { part: 5 }, { part: 4 }],
    ['a file', [file('a', '12345')], { file: 5 }, { file: 4 }],
    ['the number of parts', [field('a', ''), file('', ''), field('b', '')], { parts: 3 }, { parts: 2 }],
    ['all bytes', [field('a', '1')], { total: whole.length }, { total: whole.length - 4 }],
  ]
  for (const [label, parts, enough, beyond] of forms) {
    for (const [way, pass] of [
      ['read', read],
      ['skipped', skip],
    ] as const) {
      it(`refuse ${label} beyond the limit if parts are ${way}`, async () => {
        const text = body(...parts)
        await pass(multipartRequest(text), enough)
        assert.equal(await statusOf(pass(multipartRequest(text), beyond)), 413)
        assert.equal(await statusOf(pass(multipartRequest(new Pieces(text, 3)), beyond)), 413)
      })
    }
  }

  it('apply to the decompressed body', async () => {
    const text = body(file('a', 'x'.repeat(1_000_000)))
    const headers: [string, string][] = [['Content-Encoding', 'gzip']]
    assert.equal(await statusOf(skip(multipartRequest(gzipSync(text), { headers }), { total: 500_000 })), 413)
  })

  it('refuse a Content-Length beyond the limit before anything is read', async () => {
    const pieces = new Pieces(three, 1)
    const request = multipartRequest(pieces, { headers: [['Content-Length', '1000']] })
    assert.equal(await statusOf(skip(request, { total: 999 })), 413)
    assert.equal(pieces.taken, 0)
  })

  it('fail the stream of the part and the loop, also if the error of the stream is caught', async () => {
    const request = multipartRequest(new Pieces(body(file('a', 'x'.repeat(100)), field('b', '')), 10))
    let caught = 0
    const reading = async () => {
      for await (const part of request.parts({ file: 50 })) {
        const reading = new globalThis.Response(part.stream).arrayBuffer()
        if (part.filename === 'a') caught = await statusOf(reading)
      }
    }
    assert.equal(await statusOf(reading()), 413)
    assert.equal(caught, 413)
  })

  it('default to those of the request', async () => {
    const text = body(field('a', '12345'), field('b', ''))
    assert.equal(await statusOf(skip(multipartRequest(text, { limits: { field: 4 } }))), 413)
    assert.equal(await statusOf(skip(multipartRequest(text, { limits: { fields: 1 } }))), 413)
  })

  it('let files pass that form() refuses, but not into memory', async () => {
    const form = () => multipartRequest(body(file('a', '12345')), { limits: { file: 4 } })
    assert.equal(await skip(form()), 1)
    assert.equal(await statusOf(read(form())), 413)
    assert.deepEqual(await read(form(), { file: 5 }), ['f:a=12345'])
  })

  it('allow all for Infinity', async () => {
    const all = Number.POSITIVE_INFINITY
    assert.equal((await read(multipartRequest(three), { part: all, file: all, parts: all, total: all })).length, 3)
  })

  for (const value of [-1, Number.NaN, '5']) {
    it(`are refused with the value ${JSON.stringify(value)}`, async () => {
      const limits = { file: value } as PartLimits
      await assert.rejects(read(multipartRequest(three), limits), /for the limit "file"/)
    })
  }

  it('are refused with an unknown name', async () => {
    const limits: object = { files: 5 }
    await assert.rejects(read(multipartRequest(three), limits), /received the limit "files"\. Use part, file/)
  })
})

describe('request.parts() of a malformed request', () => {
  for (const type of ['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/mixed; boundary=xYz']) {
    it(`is 415 with ${type || 'no content type'}`, async () => {
      const exception = await rejection(read(multipartRequest(three, { type })))
      assert.equal(exception.status, 415)
      assert.equal(exception.headers.get('accept'), 'multipart/form-data')
    })
  }

  const part = body(field('a', '1'))
  const malformed: [label: string, text: string | Uint8Array, type?: string][] = [
    ['no boundary', part, 'multipart/form-data'],
    ['a malformed boundary', part, 'multipart/form-data; boundary="ü"'],
    ['another boundary', part, 'multipart/form-data; boundary=other'],
    ['an empty body', ''],
    ['no part', 'hello'],
    ['an end within a header', part.slice(0, 30)],
    ['an end within content', part.slice(0, -12)],
    ['an end within the last boundary', part.slice(0, -4)],
    ['no name', body(['Content-Disposition: form-data', 'x'])],
    ['no disposition', body(['X: y', 'x'])],
    ['another disposition', body(['Content-Disposition: attachment; name="a"', 'x'])],
    ['no header', `--xYz\r\n\r\nx\r\n--xYz--`],
    ['a header line without a colon', body([`${field('a', '')[0]}\r\nnonsense`, 'x'])],
    ['a header name with blanks', body([`${field('a', '')[0]}\r\nX Y: z`, 'x'])],
    ['a bare line feed in a header', body([`${field('a', '')[0]}\r\nX: y\nZ: z`, 'x'])],
    ['NUL in a header', body([`${field('a\0', '')[0]}`, 'x'])],
    ['a header that is too long', body([`${field('a', '')[0]}\r\nX: ${'y'.repeat(8200)}`, 'x'])],
    [
      'headers that are too long together',
      body(...Array<PartText>(600).fill([`X: ${'y'.repeat(1000)}\r\n${field('a', '')[0]}`, ''])),
    ],
    ['text behind a boundary and blanks', part.replace('xYz\r\n', 'xYz  x\r\n')],
    ['a carriage return behind a boundary', part.replace('xYz\r\n', 'xYz\rx')],
  ]
  for (const [label, text, type] of malformed) {
    it(`is 400 with ${label}`, async () => {
      assert.equal(await statusOf(read(multipartRequest(text, type === undefined ? {} : { type }))), 400)
      if (text.length > 2000) return
      const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
      const pieces = multipartRequest(new Pieces(bytes, 1), type === undefined ? {} : { type })
      assert.equal(await statusOf(skip(pieces)), 400)
    })
  }

  it('is 400 with malformed compression', async () => {
    const request = multipartRequest('hello', { headers: [['Content-Encoding', 'gzip']] })
    assert.equal(await statusOf(read(request)), 400)
  })

  it('throws the error of the connection, in the loop and from the part', async () => {
    const lost = new Error('lost')
    const sent = body(file('a', 'x'.repeat(50))).slice(0, -20)
    await assert.rejects(read(multipartRequest(new Pieces(sent, 10, lost))), lost)
    await assert.rejects(skip(multipartRequest(new Pieces(sent, 10, lost))), lost)
  })
})

describe('the delimiters of request.parts()', () => {
  const forms: [label: string, text: string, parts: string[]][] = [
    ['a preamble and an epilogue', `one\r\n${three}two`, ['a=1', 'f:b.txt=two', 'c=']],
    ['blanks', three.replaceAll('--xYz\r\n', '--xYz \t\r\n'), ['a=1', 'f:b.txt=two', 'c=']],
    ['no line end behind the last one', three.slice(0, -2), ['a=1', 'f:b.txt=two', 'c=']],
    ['no line end before the first one of an empty part', `--xYz\r\n${field('a', '')[0]}\r\n\r\n--xYz--`, ['a=']],
    [
      'a longer boundary in the content',
      body(field('a', '\r\n--xYzz\r\n--xYz-\r\n--xYzz')),
      ['a=\r\n--xYzz\r\n--xYz-\r\n--xYzz'],
    ],
    ['line ends at the end of the content', body(field('a', '\r\n\r\n')), ['a=\r\n\r\n']],
  ]
  for (const [label, text, parts] of forms) {
    for (const size of [1, 5, 1000]) {
      it(`may have ${label}, in pieces of ${size}`, async () => {
        assert.deepEqual(await read(multipartRequest(new Pieces(text, size))), parts)
      })
    }
  }
})
