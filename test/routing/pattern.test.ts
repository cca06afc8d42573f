import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Mapper, RouteDefinitionError } from 'propylon/routing'

/** The values that a path yields for one route, or null. */
function matched(
  template: string,
  path: string,
  options: Record<string, unknown> = {},
): Record<string, string | null> | null {
  const match = new Mapper().connect(template, options).match(path)
  return match && { ...match }
}

type Case = [template: string, path: string, expected: Record<string, string | null> | null]

const cases: Record<string, Case[]> = {
  'a name in braces takes one segment': [
    ['/a/{x}', '/a/b', { x: 'b' }],
    ['/a/{x}', '/a/', null],
    ['/a/{x}', '/a/b/', null],
    ['/a/{x}', '/a/b/c', null],
    ['/a/{x}', '/A/b', null],
    ['/{größe}', '/5', { größe: '5' }],
  ],
  'a regular expression may hold braces, groups and classes': [
    ['/{id:\\d{2,4}}', '/123', { id: '123' }],
    ['/{id:\\d{2,4}}', '/1', null],
    ['/{id:\\d{2,4}}', '/12345', null],
    ['/{x:(?:a|b)c}', '/bc', { x: 'bc' }],
    ['/{x:(a|b)\\1}/{y:(c)\\1}', '/aa/cc', { x: 'aa', y: 'cc' }],
    ['/{x:(a|b)\\1}-{y:(c|d)\\1}', '/bb-dd', { x: 'bb', y: 'dd' }],
    ['/{x:(a|b)\\1}-{y:(c|d)\\1}', '/bb-cd', null],
    ['/{x:[}]}', '/%7D', { x: '}' }],
    ['/{x:\\}a}', '/%7Da', { x: '}a' }],
    ['/{x:[^/:]+:\\d+}', '/a:1', { x: 'a:1' }],
    ['/{x:^\\d+$}', '/12', { x: '12' }],
    ['/{word:\\p{L}+}', '/%E6%97%A5%C3%A9', { word: '日é' }],
    ['/{x:[\\w--\\d]+}', '/abc', { x: 'abc' }],
    ['/{x:[\\w--\\d]+}', '/ab1', null],
    ['/{x:\\-a}', '/-a', { x: '-a' }],
  ],
  'a regular expression holds for the decoded value': [
    ['/{x:[a-z ]+}', '/a%20b', { x: 'a b' }],
    ['/{x:[a-z/]+}', '/a%2Fb/c', { x: 'a/b/c' }],
    ['/{x:[a-z;]+}-{y}', '/a%3Bb-c', { x: 'a;b', y: 'c' }],
    ['/{x:..}-{y}', '/%3B%3B-c', { x: ';;', y: 'c' }],
    ['/{x:[0-9]+}-{y}', '/%30%39-c', { x: '09', y: 'c' }],
    ['/{x:[A-Z]+}-{y}', '/%41%5A-c', { x: 'AZ', y: 'c' }],
    ['/{x:[a-z]+}-{y}', '/%61%7A-c', { x: 'az', y: 'c' }],
  ],
  'a regular expression may span segments': [
    ['/files/{path:.*}', '/files/a/b.txt', { path: 'a/b.txt' }],
    ['/files/{path:.*}', '/files/', { path: '' }],
    ['/files/{path:.*}', '/files', null],
    ['/files/{path:.*}', '/files/a%0Ab', { path: 'a\nb' }],
    ['/{a:.+}/x/{b}', '/1/2/x/3', { a: '1/2', b: '3' }],
    ['/mid/{p:.*}/end', '/mid/a/b/end', { p: 'a/b' }],
    ['/c{rest:.*}', '/cards/1', { rest: 'ards/1' }],
    ['/{a}-{rest:.*}', '/x-y/z', { a: 'x', rest: 'y/z' }],
    ['/{a}-{rest:.*}', '/x/y-z', null],
  ],
  'several values stand in one segment': [
    ['/{a}-{b}', '/1-2-3', { a: '1', b: '2-3' }],
    ['/{year:\\d{4}}{month:\\d\\d}', '/202611', { year: '2026', month: '11' }],
    ['/v{version}/x', '/v1/x', { version: '1' }],
    ['/{name}@{host}', '/joe@example.com', { name: 'joe', host: 'example.com' }],
    ['/{a}-{b}/{c}', '/1-2/3', { a: '1', b: '2', c: '3' }],
    ['/{a};edit', '/x;edit', { a: 'x' }],
    ['/{a};edit', '/x%3Bedit', null],
  ],
  'a suffix is there or not, and only a known format is one': [
    ['/posts{.format}', '/posts', { format: null }],
    ['/posts{.format}', '/posts.json', { format: 'json' }],
    ['/posts{.format}', '/posts.xml', null],
    ['/posts/{id}{.format}', '/posts/john.doe', { id: 'john.doe', format: null }],
    ['/posts/{id}{.format}', '/posts/1.json', { id: '1', format: 'json' }],
    ['/posts/{id}{.format}', '/posts/1%2Ejson', { id: '1.json', format: null }],
    ['/posts/{id}{.format:xml|rss}', '/posts/1.rss', { id: '1', format: 'rss' }],
    ['/posts/{id}{.ext}', '/posts/a.b', { id: 'a', ext: 'b' }],
    ['/a{.x}/b{.y}', '/a/b.2', { x: null, y: '2' }],
  ],
  'the older spellings work': [
    ['/:a/:(b)x', '/1/2x', { a: '1', b: '2' }],
    ['/*rest', '/a/b', { rest: 'a/b' }],
    ['/*(rest)', '/a/b', { rest: 'a/b' }],
    ['/:a-:b', '/1-2', { a: '1', b: '2' }],
    ['/users/:id.:format', '/users/1.json', { id: '1', format: 'json' }],
  ],
  'literal text of any kind': [
    ['/a\\{b\\}', '/a%7Bb%7D', {}],
    ['/a\\:b', '/a:b', {}],
    ['/12:30', '/12:30', {}],
    ['/*', '/*', {}],
    ['/café/日本', '/caf%C3%A9/%e6%97%a5%E6%9C%AC', {}],
    ['/café', '/café', {}],
    ['/a b', '/a%20b', {}],
    ['/a.b', '/a%2Eb', {}],
    ['/a.b', '/axb', null],
    ['/users', '/%75sers', {}],
    ['/a/b', '/a%2Fb', null],
    ['/100%', '/100%25', {}],
    ['/a+b', '/a+b', {}],
    ['/a\\b', '/a%5Cb', {}],
    ['no/slash', '/no/slash', {}],
    ['/', '/', {}],
    ['/', '', {}],
  ],
  'an encoded delimiter stays inside its value': [
    ['/{a}/{b}', '/1%2F2/3', { a: '1/2', b: '3' }],
    ['/{a}:{b}', '/1%3A2:3', { a: '1:2', b: '3' }],
    ['/{a}@{b}', '/1%402@3', { a: '1@2', b: '3' }],
    ['/{a}', '/%25', { a: '%' }],
    ['/{a}', '/%252F', { a: '%2F' }],
    ['/{a}', '/a+b', { a: 'a+b' }],
    ['/{a}', '/%F0%9F%98%80', { a: '😀' }],
    ['/{a}', '/%00', { a: '\0' }],
  ],
  'what cannot be decoded matches nothing': [
    ['/{a}', '/%', null],
    ['/{a}', '/%2', null],
    ['/{a}', '/%zz', null],
    ['/{a}', '/%ff', null],
    ['/{a}', '/%C3', null],
    ['/{a}', '/%ED%A0%80', null],
    ['/{a}', '/\ud800', null],
    ['/{a}', 'a', null],
    ['/a', 'xa', null],
    ['/{a}', '*', null],
    ['/{a}', '/x\n', { a: 'x\n' }],
  ],
}

for (const [title, table] of Object.entries(cases)) {
  describe(title, () => {
    for (const [template, path, expected] of table) {
      test(`${template} and ${JSON.stringify(path)}`, () => assert.deepEqual(matched(template, path), expected))
    }
  })
}

describe('requirements', () => {
  test('hold beside the path, as text or as a regular expression, for the whole value', () => {
    const requirements = { id: /\d+/, lang: 'de|en' }
    assert.deepEqual(matched('/{lang}/{id}', '/de/12', { requirements }), { lang: 'de', id: '12' })
    assert.equal(matched('/{lang}/{id}', '/den/12', { requirements }), null)
    assert.equal(matched('/{lang}/{id}', '/de/12a', { requirements }), null)
  })

  test('may ignore the case of letters, amid literal text too', () => {
    assert.deepEqual(matched('/{x}', '/ABC', { requirements: { x: /abc/i } }), { x: 'ABC' })
    assert.deepEqual(matched('/{x}-y', '/ABC-y', { requirements: { x: /abc/i } }), { x: 'ABC' })
    assert.equal(matched('/{x}-y', '/abc-Y', { requirements: { x: /abc/i } }), null)
  })
})

describe('defaults', () => {
  test('are in every match, as text', () => {
    assert.deepEqual(matched('/a', '/a', { controller: 'pages', page: 1, open: true, none: null }), {
      controller: 'pages',
      page: '1',
      open: 'true',
      none: null,
    })
  })

  test('stand for a value that is empty', () => {
    assert.deepEqual(matched('/p/{x:.*}', '/p/', { x: 'all' }), { x: 'all' })
  })
})

test('a match has no prototype', () => {
  const match = new Mapper().connect('/{constructor}/{__proto__}').match('/a/b')
  assert.equal(Object.getPrototypeOf(match), null)
  assert.deepEqual(Object.entries(match ?? {}), [
    ['constructor', 'a'],
    ['__proto__', 'b'],
  ])
  assert.equal('toString' in (match ?? {}), false)
})

test('a path over the limit matches nothing', () => {
  const map = new Mapper({ maxPathLength: 100 }).connect('/{x}')
  assert.notEqual(map.match(`/${'x'.repeat(99)}`), null)
  assert.equal(map.match(`/${'x'.repeat(100)}`), null)
})

describe('a malformed definition is refused', () => {
  const wrong: Record<string, [code: string, path: string, options?: Record<string, unknown>]> = {
    'an unclosed brace': ['E_ROUTE_SYNTAX', '/{id'],
    'an unclosed regular expression': ['E_ROUTE_SYNTAX', '/{id:\\d{2}'],
    'no name': ['E_ROUTE_SYNTAX', '/{}'],
    'a name that is none': ['E_ROUTE_SYNTAX', '/{a b}'],
    'a name twice': ['E_ROUTE_PARAMETER', '/{a}/{a}'],
    'a regular expression that is none': ['E_ROUTE_REQUIREMENT', '/{a:(}'],
    'a requirement that is none': ['E_ROUTE_REQUIREMENT', '/{a}', { requirements: { a: '[' } }],
    'a method that is none': ['E_ROUTE_METHOD', '/', { conditions: { method: 'GET POST' } }],
    'a default that is an object': ['E_ROUTE_OPTION', '/', { x: {} }],
    'a condition that is no function': ['E_ROUTE_OPTION', '/', { conditions: { function: 'x' } }],
  }
  for (const [title, [code, path, options]] of Object.entries(wrong)) {
    test(title, () => {
      assert.throws(
        () => new Mapper().connect('wrong', path, options),
        (error) =>
          error instanceof RouteDefinitionError && error.code === code && error.fix !== '' && error.route !== undefined,
      )
    })
  }
})
