import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  decodeResponse,
  double,
  encodeResponse,
  Fault,
  faultStruct,
  XMLRPCClient,
  XMLRPCDecodeError,
} from 'propylon/xmlrpc'
import { text, wireValue } from './arbitrary.ts'
import { responseOf, SLOPPY } from './sloppy.ts'
import { structs } from './structs.ts'

const lenient = { lenient: true } as const

/** Returns the value of a response, or the fault or the error that it throws. */
function outcome(decode: () => unknown): unknown {
  try {
    return decode()
  } catch (error) {
    if (error instanceof Fault || error instanceof XMLRPCDecodeError) return error
    throw error
  }
}

for (const [group, rows] of Object.entries(SLOPPY)) {
  describe(`a lenient client reads ${group}:`, () => {
    for (const { name, document, charset, expected } of rows) {
      it(JSON.stringify(name), () => {
        const result = outcome(() => decodeResponse(document, { lenient: true, charset }))
        if (expected instanceof RegExp) {
          assert.ok(result instanceof XMLRPCDecodeError, `it is ${String(result)}`)
          assert.match(result.message, expected)
        } else if (result instanceof Fault) {
          const { faultCode, faultString } = expected as Fault
          assert.deepEqual([result.faultCode, result.faultString], [faultCode, faultString])
        } else {
          assert.deepStrictEqual(result, structs(expected))
        }
      })
    }
  })
}

/** Names of documents that are read without `lenient` as well. */
const ACCEPTED = new Set([
  '<i8>5</i8>',
  '<boolean> 1 </boolean>',
  '<base64/>',
  '<ex:float>1.5</ex:float>',
  '<ex:nil/>',
  'a code as text',
  'a code as double',
  'more members',
  'a comment that looks like a response',
  `&#${'0'.repeat(50)}65;`,
])

describe('without the option', () => {
  for (const { name, document, charset, expected, isStrict } of Object.values(SLOPPY).flat()) {
    if (isStrict === true || ACCEPTED.has(name) || expected instanceof RegExp) continue
    if (/<(base64|dateTime\.iso8601|ex:dateTime)>/.test(name)) continue
    it(`a client refuses or misreads ${JSON.stringify(name)}`, () => {
      const result = outcome(() => decodeResponse(document, { charset }))
      assert.notDeepStrictEqual(result, structs(expected))
    })
  }
})

describe('a lenient client', () => {
  it('reads every strict response as a strict one does', () => {
    const encoding = { allowNil: true, i8: true } as const
    for (const decoding of [{}, { doubles: 'wrapped' }] as const) {
      fc.assert(
        fc.property(wireValue, (value) => {
          const document = encodeResponse(value, encoding)
          const strict = decodeResponse(document, decoding)
          assert.deepStrictEqual(decodeResponse(document, { ...decoding, ...lenient }), strict)
          const bytes = new TextEncoder().encode(document)
          assert.deepStrictEqual(decodeResponse(bytes, { ...decoding, ...lenient }), strict)
        }),
        { numRuns: 200 },
      )
    }
  })

  it('reads every strict fault as a strict one does', () => {
    fc.assert(
      fc.property(fc.integer(), text, (code, message) => {
        const fault = new Fault(code, message)
        assert.throws(() => decodeResponse(encodeResponse(fault), lenient), { ...fault })
      }),
    )
  })

  it('reads a strict response the same whatever precedes its root element', () => {
    const prolog = fc.array(
      fc.constantFrom(
        '<!-- <methodResponse> -->',
        '<?php <methodResponse> ?>',
        '<!---->',
        '\n',
        ' ',
        "<?x encoding='utf-16'?>",
        '<!-- <?xml version="1.0" encoding="utf-16"?> -->',
        '<!--<!DOCTYPE a [-->',
      ),
    )
    fc.assert(
      fc.property(prolog, text, (parts, value) => {
        const document = new TextEncoder().encode(
          parts.join('') + encodeResponse(value).replace(/^<\?xml.*?\?>/, ''),
        )
        assert.equal(decodeResponse(document), decodeResponse(document, lenient))
      }),
    )
  })

  it('never throws anything but a fault or an error with a place for any text', () => {
    const piece = fc.constantFrom(
      ...['<', '>', '/', '&', '"', '!--', '-->', '<!DOCTYPE a [', ']>', '<?xml ', '?>', '\0', 'x'],
      ...[
        '<methodResponse>',
        '<params>',
        '<param>',
        '<value>',
        '<int>',
        '5',
        '</int>',
        '</value>',
        '</param>',
      ],
      ...[
        '</params>',
        '</methodResponse>',
        '<fault>',
        '</fault>',
        '<array/>',
        '<array>',
        '<data>',
        '<struct/>',
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
        outcome(() => decodeResponse(parts.join(''), lenient))
        outcome(() => decodeResponse(`<methodResponse><params><param>${parts.join('')}`, lenient))
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps the limits', () => {
    const deep = `${'<array><data><value>'.repeat(100)}1${'</value></data></array>'.repeat(100)}`
    assert.throws(() => decodeResponse(responseOf(deep), lenient), /deeper than 64/)
    assert.throws(
      () => decodeResponse('x'.repeat(1000), { lenient: true, maxLength: 999 }),
      /the limit is 999/,
    )
    const many = responseOf(`<array><data>${'<value/>'.repeat(50)}</data></array>`)
    assert.throws(() => decodeResponse(many, { lenient: true, maxElements: 50 }), /more than 50 elements/)
    const long = responseOf(`\x1b${'x'.repeat(100)}`)
    assert.throws(
      () => decodeResponse(long, { lenient: true, maxTextLength: 100 }),
      /longer than 100 characters/,
    )
    const params = `<methodResponse><params>${'<param/>'.repeat(20_000)}</params></methodResponse>`
    assert.equal(decodeResponse(params, lenient), null)
  })

  it('names the place of what it cannot read', () => {
    const markup = '<struct><member><name>a</name><value><int>x</int></value></member></struct>'
    assert.throws(() => decodeResponse(`\n${responseOf(markup)}`, lenient), {
      message: /^result\.a: "x" is not an int \(at character \d+\)$/,
    })
  })
})

describe('i8AsNumber', () => {
  const options = { i8AsNumber: true } as const
  for (const [markup, expected] of [
    ['<i8>5</i8>', 5],
    ['<i8>-9007199254740991</i8>', -9007199254740991],
    ['<i8>9007199254740992</i8>', 9007199254740992n],
    ['<ex:biginteger>7</ex:biginteger>', 7],
  ] as const) {
    it(`decodes ${markup} as ${typeof expected}`, () => {
      assert.equal(decodeResponse(responseOf(markup), options), expected)
    })
  }

  it('applies to the responses of a client', async () => {
    const body = encodeResponse({ size: 5n }, { i8: true })
    const client = new XMLRPCClient('http://server.test/', {
      i8AsNumber: true,
      fetch: async () => new Response(body),
    })
    assert.equal(JSON.stringify(await client.call('d.size')), '{"size":5}')
  })
})

describe('a lenient XMLRPCClient', () => {
  const clientOf = (body: string, init: ResponseInit = {}, isLenient = true) =>
    new XMLRPCClient('http://server.test/', {
      lenient: isLenient,
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/html' }, ...init }),
    })
  const fault = encodeResponse(new Fault(26, 'No more.'))

  it('throws a fault that is sent as HTML with status 500', async () => {
    await assert.rejects(clientOf(fault, { status: 500 }).call('a'), new Fault(26, 'No more.'))
    await assert.rejects(clientOf(fault, { status: 500 }, false).call('a'), /the HTTP status is 500/)
  })

  it('is recommended by the error of a response that it reads', async () => {
    const hint = / Use the option lenient: true to read it\.$/
    const big = responseOf('<int>4294967295</int>')
    await assert.rejects(clientOf(big, {}, false).call('a'), { name: 'XMLRPCProtocolError', message: hint })
    await assert.rejects(clientOf(`\n${fault}`, {}, false).call('a'), { message: hint })
    const broken = responseOf('<int>five</int>')
    await assert.rejects(clientOf(broken, {}, false).call('a'), (error) => {
      assert.ok(error instanceof Error)
      assert.doesNotMatch(error.message, hint)
      return true
    })
  })

  it('says that it guessed a text', () => {
    const warnings: string[] = []
    const read = (latin1: string) =>
      decodeResponse(
        Uint8Array.from(latin1, (char) => char.charCodeAt(0)),
        {
          lenient: true,
          onWarning: (message) => warnings.push(message),
        },
      )
    assert.equal(read(responseOf('<string>plain</string>')), 'plain')
    assert.deepEqual(warnings, [])
    assert.equal(read(responseOf('<string>gr\xfc\xdfe \x80</string>')), 'grüße €')
    assert.equal(read(responseOf('<string>\xc3\xbc \xe9</string>')), 'ü \ufffd')
    assert.match(warnings[0] ?? '', /read as windows-1252/)
    assert.match(warnings[1] ?? '', /read as U\+FFFD/)
  })

  it('does not return a value that has another status than 200', async () => {
    await assert.rejects(clientOf(encodeResponse(1), { status: 500 }).call('a'), /the HTTP status is 500/)
  })

  it('lists no methods if they are an empty struct', async () => {
    assert.deepEqual(await clientOf(encodeResponse({})).listMethods(), [])
    await assert.rejects(clientOf(encodeResponse({}), {}, false).listMethods(), /did not return an array/)
    await assert.rejects(clientOf(encodeResponse({ a: 1 })).listMethods(), /did not return an array/)
  })

  it('returns odd faults of a batch', async () => {
    const body = encodeResponse([{ faultCode: 'E1', faultString: 'x' }, [double(1)]])
    assert.deepEqual(await clientOf(body).multicall([['a'], ['b']]), [new Fault(0, 'E1: x'), 1])
    const strict = encodeResponse([faultStruct(new Fault(4, 'x'))])
    assert.deepEqual(await clientOf(strict).multicall([['a']]), [new Fault(4, 'x')])
  })
})
