import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { HTTPBadRequest } from 'propylon'
import { parseQuery, QueryParams, TooManyFieldsError } from 'propylon/http'
import { createEnviron, run, type WSGIApplication } from 'propylon/wsgi'

/** Counts the characters that a search or a replacement reads: from where it begins to its result, or to the end. */
function countCharacters(t: TestContext, method: 'indexOf' | 'replaceAll'): () => number {
  let count = 0
  const { [method]: original } = String.prototype
  function counting(this: string, ...args: unknown[]): unknown {
    const result: unknown = Reflect.apply(original, this, args)
    const start = typeof args[1] === 'number' ? args[1] : 0
    count += (typeof result === 'number' && result >= 0 ? result : this.length) - start
    return result
  }
  Reflect.set(String.prototype, method, counting)
  t.after(() => Reflect.set(String.prototype, method, original))
  return () => count
}

describe('parseQuery', () => {
  const rows: [string, [string, string][]][] = [
    ['', []],
    [
      'a=1&b=2&a=3',
      [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    ],
    ['&&a=1&', [['a', '1']]],
    ['a', [['a', '']]],
    ['=', [['', '']]],
    ['a=b=c', [['a', 'b=c']]],
    ['a+b=c+d%2B', [['a b', 'c d+']]],
    ['%C3%BC=%F0%9F%98%80', [['ü', '😀']]],
    [
      'a=100%&b=%zz&c=%4',
      [
        ['a', '100%'],
        ['b', '%zz'],
        ['c', '%4'],
      ],
    ],
    ['a=%ff+%41', [['a', '\ufffd A']]],
    ['a=ü', [['a', 'ü']]],
    ['a;b=1', [['a;b', '1']]],
  ]
  for (const [text, pairs] of rows) {
    it(`parses ${JSON.stringify(text)}`, () => {
      assert.deepEqual([...parseQuery(text)], pairs)
    })
  }

  it('decodes percent-encoded bytes in the given charset', () => {
    assert.equal(parseQuery('a=%E4+b', { charset: 'iso-8859-1' }).get('a'), 'ä b')
  })

  it('throws for an unknown charset', () => {
    assert.throws(() => parseQuery('a=1', { charset: 'klingon' }), RangeError)
  })

  it('decodes long components as it does short ones', () => {
    const parts = ['+', '%41', '%zz', '%', '-', '%C3%BC', '%ff', '=']
    const text = `${parts.join('').repeat(200)}&${'+'.repeat(5000)}`
    assert.deepEqual([...parseQuery(text)], [...new URLSearchParams(text)])
    assert.equal(parseQuery(`a=${'ü+'.repeat(1000)}`).get('a'), 'ü '.repeat(1000))
    assert.equal(parseQuery(`a=${'%E4+'.repeat(500)}`, { charset: 'iso-8859-1' }).get('a'), 'ä '.repeat(500))
  })

  it('replaces the plus signs of a long text without a search for each', (t) => {
    const text = `a=${'+'.repeat(100_000)}`
    const searched = countCharacters(t, 'replaceAll')
    assert.equal(parseQuery(text).get('a'), ' '.repeat(100_000))
    assert.ok(searched() < 2048, `replaceAll was given ${searched()} characters`)
  })

  it('searches each field for its equals sign and not the text behind it', (t) => {
    const text = `${'a&'.repeat(900)}${'b'.repeat(100_000)}`
    const searched = countCharacters(t, 'indexOf')
    parseQuery(text)
    assert.ok(searched() < 3 * text.length, `indexOf read ${searched()} characters`)
  })

  it('throws if there are more fields than maxFields', () => {
    assert.equal(parseQuery('a&b&&c', { maxFields: 3 }).size, 3)
    assert.throws(() => parseQuery('a&b&c&d', { maxFields: 3 }), TooManyFieldsError)
    assert.throws(() => parseQuery('a&'.repeat(1001)), TooManyFieldsError)
  })

  it('decodes every two percent-encoded bytes as URLSearchParams does', () => {
    const escaped = (byte: number) => `%${byte.toString(16).padStart(2, '0')}`
    for (let first = 0; first < 256; first++) {
      for (let second = 0; second < 256; second++) {
        const text = `${escaped(first)}${escaped(second)}`
        assert.equal(parseQuery(`a=${text}`).get('a'), new URLSearchParams(`a=${text}`).get('a'), text)
      }
    }
  })

  it('decodes percent-encoded bytes at the limits of UTF-8 as URLSearchParams does', () => {
    const byte = fc.constantFrom(
      ...[0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xec, 0xed, 0xee, 0xef],
      ...[0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff],
    )
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 8 }), (bytes) => {
        const text = bytes.map((each) => `%${each.toString(16).padStart(2, '0')}`).join('')
        assert.equal(parseQuery(`a=${text}`).get('a'), new URLSearchParams(`a=${text}`).get('a'))
      }),
      { numRuns: 2000 },
    )
  })

  it('parses any ASCII text as URLSearchParams does', () => {
    const piece = fc.constantFrom('&', '=', '+', '%', '%2', '%41', '%C3', '%BC', '%00', 'a', ' ', '?', '#')
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 30 }), (text) => {
        assert.deepEqual([...parseQuery(text)], [...new URLSearchParams(`&${text}`)])
      }),
    )
  })

  it('parses the text of QueryParams', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
        assert.deepEqual([...parseQuery(new QueryParams(pairs).toString())], pairs)
      }),
    )
  })
})

describe('QueryParams', () => {
  const params = new QueryParams([
    ['a', '1'],
    ['b', ''],
    ['a', '2'],
  ])

  it('returns the first value of a name', () => {
    assert.deepEqual([params.get('a'), params.get('b'), params.get('c')], ['1', '', undefined])
  })

  it('returns all values of a name in order', () => {
    assert.deepEqual([params.getAll('a'), params.getAll('c')], [['1', '2'], []])
  })

  it('includes a name with an empty value', () => {
    assert.deepEqual([params.has('b'), params.has('c'), params.size], [true, false, 3])
  })

  it('lists each name once', () => {
    assert.deepEqual([...params.keys()], ['a', 'b'])
  })

  it('does not return inherited properties', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) assert.equal(params.get(name), undefined)
  })

  it('returns a record without a prototype, in which __proto__ is an ordinary key', () => {
    const record = parseQuery('__proto__=x&constructor=y&a=1&a=2').toObject()
    assert.equal(Object.getPrototypeOf(record), null)
    assert.deepEqual(Object.entries(record), [
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['a', '1'],
    ])
    assert.equal('x' in {}, false)
  })

  it('does not change if a returned pair changes', () => {
    for (const pair of params.entries()) pair[1] = 'changed'
    assert.equal(params.get('a'), '1')
  })
})

function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  return undefined
}

describe('getOne', () => {
  const query = parseQuery('name=tea&empty=&tag=a&tag=b')

  it('returns the value of a field that occurs once', () => {
    assert.equal(query.getOne('name'), 'tea')
    assert.equal(query.getOne('empty'), '')
  })

  for (const [name, detail] of [
    ['missing', 'is missing'],
    ['__proto__', 'is missing'],
    ['tag', 'is given 2 times and may be given once'],
  ] as const) {
    it(`refuses the field ${name} with 400, which names it`, async () => {
      const refusal = thrownBy(() => query.getOne(name))
      assert.ok(refusal instanceof HTTPBadRequest)
      const app: WSGIApplication = (environ, start_response) =>
        refusal.toResponse(environ).send(environ, start_response)
      const result = await run(app, createEnviron({ headers: [['Accept', 'application/json']] }))
      assert.equal(result.status, '400 Bad Request')
      const problem: unknown = JSON.parse(await result.text())
      assert.deepEqual(Reflect.get(Object(problem), 'errors'), [{ name, detail }])
      assert.equal(Reflect.get(Object(problem), 'detail'), `${name}: ${detail}`)
    })
  }
})
