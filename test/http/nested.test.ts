import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FormFile } from 'propylon'
import { Form, nested, parseQuery } from 'propylon/http'

/** The values without their null prototypes. */
function read(query: string): unknown {
  return JSON.parse(JSON.stringify(nested(parseQuery(query))))
}

describe('nested', () => {
  for (const [query, expected] of [
    [
      'books-0.title=Emma&books-0.year=1815&books-1.title=Ulysses',
      { books: [{ title: 'Emma', year: '1815' }, { title: 'Ulysses' }] },
    ],
    ['books[0][title]=Emma&books[1][title]=Ulysses', { books: [{ title: 'Emma' }, { title: 'Ulysses' }] }],
    ['books[0].title=Emma&books-1[title]=Ulysses', { books: [{ title: 'Emma' }, { title: 'Ulysses' }] }],
    ['person.name.first=Ann', { person: { name: { first: 'Ann' } } }],
    ['tags[]=a&tags[]=b', { tags: ['a', 'b'] }],
    ['tags[]=z&tags-3=b&tags-1=a', { tags: ['a', 'b', 'z'] }],
    ['n-10=c&n-2=b&n-1=a', { n: ['a', 'b', 'c'] }],
    ['n-01=a&n-1=b', { n: ['a'] }],
    ['name=first&name=second', { name: 'first' }],
    [
      'e-mail=a&2026-10-12=b&x-1-2=c&n-1234567890=d',
      { 'e-mail': 'a', '2026-10-12': 'b', 'x-1-2': 'c', 'n-1234567890': 'd' },
    ],
    [
      'a..b=1&.a=2&a.=3&a[=4&a]b=5&a[0=6&[a]=7&=8',
      { 'a..b': '1', '.a': '2', 'a.': '3', 'a[': '4', 'a]b': '5', 'a[0': '6', '[a]': '7', '': '8' },
    ],
    ['users[][name]=a&users[][age]=1&users[][name]=b', { users: [{ name: 'a', age: '1' }, { name: 'b' }] }],
    ['users[][a][b]=1&users[][a][c]=2&users[][a][b]=3', { users: [{ a: { b: '1', c: '2' } }, { a: { b: '3' } }] }],
    ['users[][tags][]=x&users[][tags][]=y', { users: [{ tags: ['x'] }, { tags: ['y'] }] }],
    ['users[][name]=c&users[0][name]=a&users[][age]=1', { users: [{ name: 'a' }, { name: 'c' }, { age: '1' }] }],
    ['pairs[][]=a&pairs[][]=b', { pairs: [['a'], ['b']] }],
    ['a[b.c]=1', { a: { 'b.c': '1' } }],
    ['0=a', { 0: 'a' }],
  ] as const) {
    test(`reads ${query}`, () => assert.deepEqual(read(query), expected))
  }

  for (const query of ['a=1&a.b=2', 'a.b=2&a=1', 'a-0=1&a.b=2', 'a.b=1&a[]=2', 'a[]=1&a=2', 'a-0=1&a-0.b=2']) {
    test(`refuses the contradiction ${query}`, () => {
      assert.throws(() => nested(parseQuery(query)), { status: 400, message: /contradicts/ })
    })
  }

  test('treats the names of prototypes as plain keys', () => {
    const values = nested(parseQuery('__proto__.polluted=1&constructor[prototype][x]=2&a.__proto__.y=3&toString=4'))
    assert.equal(Object.getPrototypeOf(values), null)
    assert.deepEqual(Object.keys(values), ['__proto__', 'constructor', 'a', 'toString'])
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    assert.equal(Reflect.get(Object.prototype, 'x'), undefined)
  })

  test('refuses limits that are not numbers', () => {
    for (const options of [{ depth: Number.NaN }, { fields: Number.NaN }, { depth: -1 }]) {
      assert.throws(() => nested(parseQuery('a=1'), options), RangeError)
    }
  })

  test('limits depth and number of fields', () => {
    assert.deepEqual(read('a.b.c.d.e.f.g.h=1'), { a: { b: { c: { d: { e: { f: { g: { h: '1' } } } } } } } })
    assert.throws(() => nested(parseQuery('a.b.c.d.e.f.g.h.i=1')), { status: 400, message: /8 deep/ })
    assert.throws(() => nested(parseQuery('a.b=1'), { depth: 1 }), { status: 400 })
    assert.throws(() => nested(parseQuery('a=1&b=2'), { fields: 1 }), {
      status: 400,
      message: /more than 1 /,
    })
    assert.throws(() => nested(parseQuery(`${'a.'.repeat(400_000)}b=1`)), { status: 400 })
    assert.equal(Object.keys(nested(parseQuery(`${'['.repeat(400_000)}=1`))).length, 1)
  })

  test('has files at their places', () => {
    const cover = new FormFile('books-0.cover', 'cover.png', 'image/png', [])
    const values = nested(new Form([['books-0.title', 'Emma']], [cover]))
    assert.deepEqual(values.books, [Object.assign(Object.create(null), { title: 'Emma', cover })])
  })

  test('does not give a file to a record without a number', () => {
    const photo = new FormFile('users[][photo]', 'a.png', 'image/png', [])
    const values = nested(new Form([['users[][name]', 'Ann']], [photo]))
    assert.deepEqual(
      [values.users, values['users[][photo]']],
      [[Object.assign(Object.create(null), { name: 'Ann' })], photo],
    )
  })

  test('inverts names with brackets', () => {
    const key = fc.stringMatching(/^[a-z_]{1,5}$/)
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', maxDepth: 3 },
        fc.string(),
        fc.dictionary(key, tie('value'), { minKeys: 1, maxKeys: 3 }),
        fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
      ),
    }))
    const fields = (name: string, given: unknown): [string, string][] =>
      typeof given === 'string'
        ? [[name, given]]
        : Object.entries(given as object).flatMap(([key, one]) => fields(`${name}[${key}]`, one))
    const inverts = fc.property(value, (given) => {
      const values = nested(new Form(fields('root', given)))
      assert.equal(JSON.stringify(values), JSON.stringify({ root: given }))
    })
    fc.assert(inverts)
  })
})
