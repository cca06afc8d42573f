import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import vm from 'node:vm'
import {
  asType,
  Binary,
  DateTime,
  decodeResponse,
  double,
  type Encodable,
  encodeCall,
  encodeResponse,
  Fault,
  XMLRPCEncodeError,
} from 'propylon/xmlrpc'

/** Encodes a value and returns the text between `<value>` and `</value>`. */
function encoded(value: Encodable, options?: Parameters<typeof encodeResponse>[1]): string {
  return /<param><value>(.*)<\/value><\/param>/s.exec(encodeResponse(value, options))?.[1] ?? ''
}

function path(encode: () => unknown): string {
  try {
    encode()
  } catch (error) {
    if (error instanceof XMLRPCEncodeError) return error.path
    throw error
  }
  assert.fail('the value was encoded')
}

describe('the encoded value', () => {
  for (const [value, expected] of [
    ['a', '<string>a</string>'],
    ['', '<string></string>'],
    ['<&>"\'', '<string>&lt;&amp;&gt;"\'</string>'],
    ['a\r\nb\tc', '<string>a&#13;\nb\tc</string>'],
    [']]>', '<string>]]&gt;</string>'],
    ['ü😀', '<string>ü😀</string>'],
    [0, '<int>0</int>'],
    [-1, '<int>-1</int>'],
    [2147483647, '<int>2147483647</int>'],
    [2147483648, '<double>2147483648.0</double>'],
    [-2147483648, '<int>-2147483648</int>'],
    [-2147483649, '<double>-2147483649.0</double>'],
    [1.5, '<double>1.5</double>'],
    [-0, '<double>-0.0</double>'],
    [1e21, '<double>1000000000000000000000.0</double>'],
    [1.5e-7, '<double>0.00000015</double>'],
    [-1.25e22, '<double>-12500000000000000000000.0</double>'],
    [double(2), '<double>2.0</double>'],
    [5n, '<int>5</int>'],
    [2n ** 31n - 1n, '<int>2147483647</int>'],
    [-(2n ** 31n), '<int>-2147483648</int>'],
    [true, '<boolean>1</boolean>'],
    [false, '<boolean>0</boolean>'],
    [new DateTime('19980717T14:08:55'), '<dateTime.iso8601>19980717T14:08:55</dateTime.iso8601>'],
    [new DateTime('1998-07-17T14:08:55Z'), '<dateTime.iso8601>1998-07-17T14:08:55Z</dateTime.iso8601>'],
    [new Date(Date.UTC(1998, 6, 17, 14, 8, 55)), '<dateTime.iso8601>19980717T14:08:55</dateTime.iso8601>'],
    [new Binary(new Uint8Array([1, 2, 3])), '<base64>AQID</base64>'],
    [new Uint8Array([1]), '<base64>AQ==</base64>'],
    [Buffer.from('hi'), '<base64>aGk=</base64>'],
    [new Uint8Array([1, 2]).buffer, '<base64>AQI=</base64>'],
    [[], '<array><data></data></array>'],
    [
      [1, ['a']],
      '<array><data><value><int>1</int></value><value><array><data><value><string>a</string></value></data></array></value></data></array>',
    ],
    [{}, '<struct></struct>'],
    [{ 'a<b': 1 }, '<struct><member><name>a&lt;b</name><value><int>1</int></value></member></struct>'],
    [
      Object.assign(Object.create(null), { a: 1 }),
      '<struct><member><name>a</name><value><int>1</int></value></member></struct>',
    ],
    [vm.runInNewContext('({ a: 1 })'), '<struct><member><name>a</name><value><int>1</int></value></member></struct>'],
    [
      JSON.parse('{"__proto__": 1}'),
      '<struct><member><name>__proto__</name><value><int>1</int></value></member></struct>',
    ],
  ] satisfies [Encodable, string][]) {
    it(`is ${expected.slice(0, 60)}`, () => assert.equal(encoded(value), expected))
  }

  it('has a declaration, and separate end tags for empty elements', () => {
    assert.equal(
      encodeCall('a.b', []),
      '<?xml version="1.0" encoding="UTF-8"?>\n<methodCall><methodName>a.b</methodName><params></params></methodCall>',
    )
    assert.equal(
      encodeResponse(new Fault(4, 'Too many parameters.')),
      '<?xml version="1.0" encoding="UTF-8"?>\n<methodResponse><fault><value><struct>' +
        '<member><name>faultCode</name><value><int>4</int></value></member>' +
        '<member><name>faultString</name><value><string>Too many parameters.</string></value></member>' +
        '</struct></value></fault></methodResponse>',
    )
  })

  it('has nil with allowNil and i8 with i8', () => {
    assert.equal(encoded(null, { allowNil: true }), '<nil/>')
    assert.equal(encoded(5n, { i8: true }), '<i8>5</i8>')
    assert.equal(
      encoded([2n ** 62n], { i8: true }),
      '<array><data><value><i8>4611686018427387904</i8></value></data></array>',
    )
  })
})

describe('a declared return type', () => {
  for (const [value, type, expected] of [
    [20, 'double', '<double>20.0</double>'],
    [20, 'int', '<int>20</int>'],
    [20, 'i4', '<int>20</int>'],
    [20n, 'int', '<int>20</int>'],
    [20, 'i8', '<i8>20</i8>'],
    [20n, 'i8', '<i8>20</i8>'],
    [-0, 'int', '<int>0</int>'],
    ['20', 'double', '<string>20</string>'],
    ['undef', 'array', '<string>undef</string>'],
  ] as const) {
    it(`${type} encodes ${typeof value} ${value} as ${expected}`, () =>
      assert.equal(encoded(value, { type }), expected))
  }

  it('refuses numbers that do not fit', () => {
    for (const [value, type] of [
      [2.5, 'int'],
      [2 ** 31, 'i4'],
      [2n ** 31n, 'int'],
      [0.5, 'i8'],
      [Number.NaN, 'int'],
    ] as const) {
      assert.equal(
        path(() => encodeResponse(value, { type })),
        'result',
      )
    }
    assert.equal(
      path(() => asType(2.5, 'int', 'result[0]')),
      'result[0]',
    )
  })
})

describe('a value without an XML-RPC form', () => {
  const cycle: Record<string, Encodable> = { name: 'a' }
  cycle.items = [1, cycle]
  const deep = (depth: number): Encodable => (depth === 0 ? 1 : [deep(depth - 1)])
  class User {
    readonly name = 'Ann'
  }

  for (const [name, value, where, why] of [
    ['NaN', { items: [1, { 'odd name': Number.NaN }] }, 'result.items[1]["odd name"]', /no NaN/],
    ['an infinity', [Number.NEGATIVE_INFINITY], 'result[0]', /no -Infinity/],
    ['a wrapped NaN', double(Number.NaN), 'result', /no NaN/],
    ['null', { a: null }, 'result.a', /allowNil/],
    ['undefined', [1, undefined], 'result[1]', /undefined/],
    ['an undefined member', { a: undefined }, 'result.a', /undefined/],
    ['a hole', new Array(2), 'result[0]', /undefined/],
    ['a function', { a: () => 1 }, 'result.a', /function/],
    ['a symbol', [Symbol('a')], 'result[0]', /symbol/],
    ['a bigint beyond 32 bits', { a: 2n ** 31n }, 'result.a', /32 bits.*i8/],
    ['a bigint below 32 bits', [-(2n ** 31n) - 1n], 'result[0]', /32 bits.*i8/],
    ['a value after an array', [[1], Number.NaN], 'result[1]', /no NaN/],
    ['a value after a struct', { a: { b: 1 }, c: Number.NaN }, 'result.c', /no NaN/],
    ['a cycle', cycle, 'result.items[1]', /contains itself/],
    ['65 arrays in one another', deep(65), `result${'[0]'.repeat(64)}`, /deeper than 64/],
    ['a control character', { items: [{ name: 'a\u0001' }] }, 'result.items[0].name', /U\+0001 at 1/],
    ['U+FFFF', '\uffff', 'result', /U\+FFFF/],
    ['a high surrogate alone', ['a\ud83db'], 'result[0]', /U\+D83D at 1/],
    ['a low surrogate alone', ['\ude00'], 'result[0]', /U\+DE00/],
    ['a bad member name', { a: { 'b\0': 1 } }, 'result.a["b\\u0000"]', /U\+0000/],
    ['an instance of a class', { user: new User() }, 'result.user', /instance of User/],
    ['a Map', new Map([['a', 1]]), 'result', /instance of Map/],
    ['a Set', [new Set()], 'result[0]', /instance of Set/],
    ['another typed array', new Float64Array(1), 'result', /Float64Array/],
    ['an Error', new Error('x'), 'result', /instance of Error/],
    ['a Fault within a value', [new Fault(1, 'x')], 'result[0]', /instance of Fault/],
    ['an invalid Date', [new Date(Number.NaN)], 'result[0]', /invalid/],
    ['a Date of the year 10000', new Date(Date.UTC(10000, 0)), 'result', /not within 0 to 9999/],
  ] satisfies [string, unknown, string, RegExp][]) {
    it(`reports the path of ${name}`, () => {
      const unsafe: (value: unknown) => string = encodeResponse as never
      assert.equal(
        path(() => unsafe(value)),
        where,
      )
      assert.throws(() => unsafe(value), why)
    })
  }

  it('refuses a bigint beyond 64 bits', () => {
    for (const value of [2n ** 63n, -(2n ** 63n) - 1n]) {
      assert.throws(() => encodeResponse(value, { i8: true }), /does not fit in 64 bits/)
    }
  })

  it('reports the index of a parameter', () => {
    assert.equal(
      path(() => encodeCall('a', [1, { b: Number.NaN }])),
      'params[1].b',
    )
  })

  it('allows the same object twice', () => {
    for (const shared of [{ a: 1 }, [1]]) assert.doesNotThrow(() => encodeResponse([shared, shared, { shared }]))
  })

  it('allows 64 nested arrays, and more with a larger maxDepth', () => {
    assert.doesNotThrow(() => encodeResponse(deep(64)))
    assert.doesNotThrow(() => encodeResponse(deep(200), { maxDepth: 200 }))
  })

  for (const name of ['', 'a b', 'a\n', '\u0001']) {
    it(`refuses the method name ${JSON.stringify(name)}`, () => assert.throws(() => encodeCall(name), TypeError))
  }

  it('encodes a fault with any text', () => {
    const document = encodeResponse(new Fault(1, 'a\0b\ud83d'))
    assert.throws(() => decodeResponse(document), new Fault(1, 'a\ufffdb\ufffd'))
  })

  it('refuses a fault without a 32-bit code or without a text', () => {
    const wrong = { name: 'TypeError', message: /32-bit integer/ }
    assert.throws(() => new Fault(1.5, 'x'), wrong)
    assert.throws(() => new Fault(2 ** 31, 'x'), wrong)
    assert.throws(() => new Fault(1, undefined as never), { name: 'TypeError', message: /Use a string/ })
  })

  it('writes a fault as text with its code', () => {
    const fault = new Fault(4, 'Too many parameters.')
    assert.deepEqual([fault.name, String(fault)], ['Fault', 'Fault 4: Too many parameters.'])
  })
})
