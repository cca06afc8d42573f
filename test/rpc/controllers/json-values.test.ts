/** Values of the declared types in JSON. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { RPCController } from 'propylon/rpc'
import { Binary, DateTime, double } from 'propylon/xmlrpc'
import { RPCService } from './service.ts'

const TYPES = [
  'string',
  'int',
  'i4',
  'i8',
  'double',
  'boolean',
  'dateTime.iso8601',
  'base64',
  'struct',
  'array',
  'nil',
] as const

let received: unknown
let returned: unknown

class TypesController extends RPCController {
  static faces = ['json']
  static override signatures = {
    ...Object.fromEntries(TYPES.map((type) => [`take_${type.replace('.', '')}`, [['nil', type]]])),
    give_double: [['double']],
    give_int: [['int']],
    give_i8: [['i8']],
  }
  give() {
    return returned
  }
  give_double() {
    return returned
  }
  give_int() {
    return returned
  }
  give_i8() {
    return returned
  }
}
for (const type of TYPES) {
  Object.defineProperty(TypesController.prototype, `take_${type.replace('.', '')}`, {
    value(a: unknown) {
      received = a
    },
  })
}

class StrictController extends TypesController {
  static override i8 = false
}

const service = new RPCService(TypesController)
const strict = new RPCService(StrictController)

/** Returns the value that a method receives for a JSON value, or the reason of the refusal. */
async function take(type: string, json: string): Promise<unknown> {
  const response = await service.post(`/stock/take_${type.replace('.', '')}`, `{"a":${json}}`)
  if (response.status === 200) return received
  assert.equal(response.status, 400)
  return JSON.parse(await response.text()).errors[0].detail
}

/** Returns the JSON of a result, or undefined if it cannot be sent. */
async function give(value: unknown, method = 'give', from = service): Promise<string | undefined> {
  returned = value
  const response = await from.post(`/stock/${method}`, '{}')
  if (response.status === 200) return response.text()
  assert.equal(response.status, 500)
  return undefined
}

const INT = 'must be an integer within 32 bits'
const I8 = 'must be an integer within 64 bits, as decimal text beyond the safe integers'
const INFINITE = 'must not have a number beyond the range of doubles'
const DATE = 'must be a date and time in ISO 8601'

describe('a parameter', () => {
  const cases: readonly [type: string, json: string, value: unknown][] = [
    ['string', '"é"', 'é'],
    ['string', '1', 'must be a string'],
    ['string', 'null', 'must be a string'],
    ['int', '2147483647', 2147483647],
    ['int', '-2147483648', -2147483648],
    ['int', '3.0', 3],
    ['int', '2147483648', INT],
    ['int', '0.5', INT],
    ['int', '"1"', INT],
    ['int', 'true', INT],
    ['i4', '7', 7],
    ['i8', '7', 7n],
    ['i8', '9007199254740991', 9007199254740991n],
    ['i8', '9007199254740992', I8],
    ['i8', '"9223372036854775807"', 9223372036854775807n],
    ['i8', '"-9223372036854775808"', -9223372036854775808n],
    ['i8', '"9223372036854775808"', I8],
    ['i8', '"0x10"', I8],
    ['i8', '""', I8],
    ['i8', '1.5', I8],
    ['double', '2', 2],
    ['double', '1e300', 1e300],
    ['double', '1e400', 'must be a number'],
    ['double', '"2"', 'must be a number'],
    ['boolean', 'false', false],
    ['boolean', '0', 'must be true or false'],
    ['dateTime.iso8601', '"2026-01-31T12:00:00Z"', new DateTime('2026-01-31T12:00:00Z')],
    ['dateTime.iso8601', '"2026-01-31T12:00:00.5+02:00"', new DateTime('2026-01-31T12:00:00.5+02:00')],
    ['dateTime.iso8601', '"20260131T12:00:00"', new DateTime('20260131T12:00:00')],
    ['dateTime.iso8601', '"2026-02-30T12:00:00Z"', DATE],
    ['dateTime.iso8601', '"2026-01-31"', DATE],
    ['dateTime.iso8601', '1', DATE],
    ['base64', '"AQID"', new Binary(new Uint8Array([1, 2, 3]))],
    ['base64', '""', new Binary(new Uint8Array())],
    ['base64', '"AQI"', 'must be base64'],
    ['base64', '"AQ-_"', 'must be base64'],
    ['base64', '"AR=="', 'must be base64'],
    ['array', '[1,[2]]', [1, [2]]],
    ['array', '{}', 'must be an array'],
    ['array', '[[1e400]]', INFINITE],
    ['struct', '{"a":[-1e400]}', INFINITE],
    ['struct', '[]', 'must be an object'],
    ['struct', 'null', 'must be an object'],
    ['nil', 'null', null],
    ['nil', '0', 'must be null'],
  ]
  for (const [type, json, value] of cases) {
    it(`${type} receives ${json} as ${String(value)}`, async () => {
      assert.deepEqual(await take(type, json), value)
    })
  }

  it('struct receives objects without prototypes, as from XML-RPC', async () => {
    const value = await take('struct', '{"a":{"b":1},"c":[{"d":2}]}')
    const expected = Object.assign(Object.create(null), {
      a: Object.assign(Object.create(null), { b: 1 }),
      c: [Object.assign(Object.create(null), { d: 2 })],
    })
    assert.deepEqual(value, expected)
  })

  it('struct never receives __proto__', async () => {
    const response = await service.post('/stock/take_struct', '{"a":{"__proto__":{"x":1}}}')
    assert.equal(response.status, 400)
    assert.match(await response.text(), /__proto__/)
  })
})

describe('a result', () => {
  const cases: readonly [name: string, value: unknown, json: string | undefined][] = [
    ['undefined', undefined, 'null'],
    ['null', null, 'null'],
    ['text', 'é', '"é"'],
    ['an array', [1, undefined, 'x'], '[1,null,"x"]'],
    ['a member that is undefined', { a: undefined, b: 1 }, '{"b":1}'],
    ['a Date', new Date('2026-01-31T12:00:00Z'), '"2026-01-31T12:00:00Z"'],
    ['a Date with milliseconds', [new Date('2026-01-31T12:00:00.25Z')], '["2026-01-31T12:00:00.250Z"]'],
    ['a DateTime', { at: new DateTime('20260131T12:00:00') }, '{"at":"2026-01-31T12:00:00Z"}'],
    ['a DateTime with a zone', new DateTime('2026-01-31T12:00:00+02:00'), '"2026-01-31T10:00:00Z"'],
    ['bytes', new Uint8Array([1, 2, 3]), '"AQID"'],
    ['a Buffer', { b: Buffer.from('abc') }, '{"b":"YWJj"}'],
    ['an ArrayBuffer', new ArrayBuffer(3), '"AAAA"'],
    ['a Binary', new Binary(new Uint8Array([1, 2, 3])), '"AQID"'],
    ['a safe bigint', 7n, '7'],
    ['a large bigint', [2n ** 60n], '["1152921504606846976"]'],
    ['a Double', double(2), '2'],
    [
      'an instance with properties',
      new (class User {
        name = 'joe'
      })(),
      '{"name":"joe"}',
    ],
    ['an object with toJSON', { toJSON: () => 'x' }, '"x"'],
    ['an empty object', {}, '{}'],
    ['NaN', Number.NaN, undefined],
    ['an infinity', [Number.POSITIVE_INFINITY], undefined],
    ['a Double that is NaN', double(Number.NaN), undefined],
    ['an invalid date', new Date(Number.NaN), undefined],
    ['a function', { f() {} }, undefined],
    ['a symbol', [Symbol('s')], undefined],
    ['a Map', new Map([[1, 2]]), undefined],
    ['a Set', { s: new Set([1]) }, undefined],
    ['an error', [new Error('x')], undefined],
    ['a Float64Array', new Float64Array(1), undefined],
  ]
  for (const [name, value, json] of cases) {
    it(`that is ${name} ${json === undefined ? 'is an error of the method' : `is ${json}`}`, async () => {
      assert.equal(await give(value), json)
    })
  }

  it('with a cycle is an error of the method', async () => {
    const circle: unknown[] = []
    circle.push(circle)
    assert.equal(await give(circle), undefined)
  })

  it('that is a bigint is an error without i8, unless i8 is declared', async () => {
    assert.equal(await give(7n, 'give', strict), undefined)
    assert.equal(await give(7n, 'give_i8', strict), '7')
  })

  it('must fit its declared type', async () => {
    assert.equal(await give(7, 'give_double'), '7')
    assert.equal(await give(7n, 'give_int'), '7')
    assert.equal(await give(0.5, 'give_int'), undefined)
    assert.equal(await give(2 ** 40, 'give_i8'), String(2 ** 40))
  })

  it('of any JSON value is that value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (value) => {
        const text = JSON.stringify(value)
        assert.equal(await give(JSON.parse(text)), text)
      }),
      { numRuns: 200 },
    )
  })
})

describe('a value there and back', () => {
  it('of i8 is the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), async (value) => {
        assert.equal(await take('i8', (await give(value)) ?? ''), value)
      }),
      { numRuns: 200 },
    )
  })

  it('of bytes is the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (bytes) => {
        const value = await take('base64', (await give(bytes)) ?? '')
        assert.ok(value instanceof Binary)
        assert.deepEqual(Buffer.from(value.bytes), Buffer.from(bytes))
      }),
      { numRuns: 100 },
    )
  })

  it('of a date is the same instant', async () => {
    const dates = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    })
    await fc.assert(
      fc.asyncProperty(dates, async (date) => {
        const value = await take('dateTime.iso8601', (await give(date)) ?? '')
        assert.ok(value instanceof DateTime)
        assert.equal(value.toDate().getTime(), date.getTime())
      }),
      { numRuns: 200 },
    )
  })
})
