import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseQuery, QueryParams, TooManyFieldsError } from '../../src/http/query.ts'

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
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.deepEqual([...parseQuery(text)], pairs)
    })
  }

  it('decodes the bytes behind the percent signs in the charset that is asked for', () => {
    assert.equal(parseQuery('a=%E4+b', { charset: 'iso-8859-1' }).get('a'), 'ä b')
  })

  it('throws for a charset that is unknown', () => {
    assert.throws(() => parseQuery('a=1', { charset: 'klingon' }), RangeError)
  })

  it('refuses more fields than it may read', () => {
    assert.equal(parseQuery('a&b&&c', { maxFields: 3 }).size, 3)
    assert.throws(() => parseQuery('a&b&c&d', { maxFields: 3 }), TooManyFieldsError)
    assert.throws(() => parseQuery('a&'.repeat(1001)), TooManyFieldsError)
  })

  it('reads any ASCII text as the platform does', () => {
    const piece = fc.constantFrom('&', '=', '+', '%', '%2', '%41', '%C3', '%BC', '%00', 'a', ' ', '?', '#')
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 30 }), (text) => {
        assert.deepEqual([...parseQuery(text)], [...new URLSearchParams(`&${text}`)])
      }),
    )
  })

  it('reads what QueryParams writes', () => {
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

  it('gives the first value where one is asked for', () => {
    assert.deepEqual([params.get('a'), params.get('b'), params.get('c')], ['1', '', undefined])
  })

  it('gives all values in order', () => {
    assert.deepEqual([params.getAll('a'), params.getAll('c')], [['1', '2'], []])
  })

  it('knows a name with an empty value', () => {
    assert.deepEqual([params.has('b'), params.has('c'), params.size], [true, false, 3])
  })

  it('names each name once', () => {
    assert.deepEqual([...params.keys()], ['a', 'b'])
  })

  it('does not find what it was not given, whatever objects inherit', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) assert.equal(params.get(name), undefined)
  })

  it('makes a record without a prototype, in which __proto__ is a key like any other', () => {
    const record = parseQuery('__proto__=x&constructor=y&a=1&a=2').toObject()
    assert.equal(Object.getPrototypeOf(record), null)
    assert.deepEqual(Object.entries(record), [
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['a', '1'],
    ])
    assert.equal('x' in {}, false)
  })

  it('cannot be changed through what it hands out', () => {
    for (const pair of params.entries()) pair[1] = 'changed'
    assert.equal(params.get('a'), '1')
  })
})
