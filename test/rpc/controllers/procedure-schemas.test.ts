/** Arguments and results of procedures that `static args` and `static results` declare. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, xmlrpc_fault } from 'propylon'
import { body, bool, int, isoDate, list, number, optional, string } from 'propylon/converters'
import { RPCController } from 'propylon/rpc'
import { DateTime, type Encodable } from 'propylon/xmlrpc'
import * as v from 'valibot'
import { z } from 'zod'
import { CALL_FACES, RPCService } from './service.ts'

const even = v.pipeAsync(
  v.number(),
  v.checkAsync(async (value) => value % 2 === 0, 'must be even'),
)
const noon = new DateTime('20260131T12:00:00')
const midnight = new DateTime('20260131T00:00:00')

class Calculator extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json', 'mcp', 'openapi']
  static args = {
    add: { a: int, b: int },
    halve: { value: number },
    is_text: { value: string },
    negate: { value: bool },
    day_after: { day: isoDate },
    hour: { time: z.date() },
    hour_of: { time: v.date() },
    when: { time: z.iso.datetime() },
    length_of: { bytes: v.instance(Uint8Array) },
    count: { values: list(int) },
    size: { box: z.object({ width: z.int().default(3), made: z.date().optional() }) },
    double_of: { value: z.bigint() },
    sum_even: { a: even, b: even },
    either: { value: z.union([z.int(), z.string()]) },
    partly: { a: int },
    named: { a: int, b: optional(int, 5) },
    silent: { a: int },
  }
  static results = {
    add: int,
    halve: number,
    is_text: bool,
    negate: bool,
    day_after: isoDate,
    hour: z.int(),
    hour_of: int,
    when: string,
    length_of: int,
    count: int,
    size: z.int(),
    double_of: z.bigint(),
    sum_even: v.number(),
    either: string,
    named: int,
    silent: null,
    today: z.date(),
    sum: int,
    wrong: int,
  }
  ran = false

  add(a: number, b: number) {
    return a + b
  }
  halve(value: number) {
    return value / 2
  }
  is_text(value: string) {
    return typeof value === 'string'
  }
  negate(value: boolean) {
    return !value
  }
  day_after(day: Date) {
    return new Date(day.valueOf() + 86_400_000)
  }
  hour(time: Date) {
    return time.getUTCHours()
  }
  hour_of(time: Date) {
    return time.getUTCHours()
  }
  when(time: string) {
    return time
  }
  length_of(bytes: Uint8Array) {
    return bytes.length
  }
  count(values: readonly number[]) {
    return values.length
  }
  size(box: { width: number; made?: Date | undefined }) {
    return box.width + (box.made?.getUTCHours() ?? 0)
  }
  double_of(value: bigint) {
    return value * 2n
  }
  sum_even(a: number, b: number) {
    return a + b
  }
  either(value: number | string) {
    return typeof value
  }
  partly(a: number, b: unknown, c = 'c') {
    return [a, b, c]
  }
  named({ a, b }: { a: number; b: number }) {
    return a + b
  }
  silent(a: number) {
    this.ran = a > 0
    return null
  }
  today() {
    return new Date('2026-01-31T12:00:00Z')
  }
  sum(...values: number[]) {
    return values.reduce((a, b) => a + b, 0)
  }
  wrong() {
    return 'text'
  }
}

const service = new RPCService(Calculator)

/** Refused values, or the result. */
const calls: [name: string, args: Record<string, Encodable>, result: unknown][] = [
  ['add', { a: 1, b: 2 }, 3],
  ['add', { a: '1', b: 2 }, undefined],
  ['add', { a: 1.5, b: 2 }, undefined],
  ['add', { a: 2 ** 40, b: 2 }, 2 ** 40 + 2],
  ['add', { a: true, b: 2 }, undefined],
  ['add', { a: 1 }, undefined],
  ['add', { a: 1, b: 2, c: 3 }, undefined],
  ['halve', { value: 3 }, 1.5],
  ['halve', { value: 0.5 }, 0.25],
  ['halve', { value: '3' }, undefined],
  ['is.text', { value: 'x' }, true],
  ['is.text', { value: 3 }, undefined],
  ['negate', { value: true }, false],
  ['negate', { value: 'true' }, undefined],
  ['count', { values: [1, 2] }, 2],
  ['count', { values: [] }, 0],
  ['count', { values: '1,2' }, undefined],
  ['size', { box: { width: 4 } }, 4],
  ['size', { box: {} }, 3],
  ['size', { box: { width: 'x' } }, undefined],
  ['size', { box: 'x' }, undefined],
  ['sum.even', { a: 2, b: 4 }, 6],
  ['sum.even', { a: 2, b: 3 }, undefined],
  ['either', { value: 'x' }, 'string'],
  ['either', { value: 1 }, 'number'],
  ['either', { value: true }, undefined],
  ['partly', { a: 1, b: ['x', 1.5] }, [1, ['x', 1.5], 'c']],
  ['partly', { a: 'x', b: 1 }, undefined],
  ['partly', { a: 1 }, undefined],
]

describe('arguments of a procedure with schemas', () => {
  for (const [name, args, result] of calls) {
    for (const face of CALL_FACES) {
      it(`${result === undefined ? 'refuses' : 'allows'} ${name}(${JSON.stringify(args)}) by ${face}`, async () => {
        const expected = result === undefined ? { refused: 'parameters' } : { result }
        assert.deepEqual(await service.call(face, name, args), expected)
      })
    }
  }

  const forms: [name: string, argument: string, xmlrpc: Encodable, json: Encodable, result: unknown][] = [
    ['hour', 'time', noon, '2026-01-31T12:00:00Z', 12],
    ['hour.of', 'time', noon, '2026-01-31T12:00:00Z', 12],
    ['when', 'time', '2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'],
    ['length.of', 'bytes', new Uint8Array(3), 'AQID', 3],
    ['hour', 'time', '2026-01-31T12:00:00Z', 'noon', undefined],
    ['hour', 'time', 12, 12, undefined],
    ['day.after', 'day', noon, '2026-01-31T12:00:00Z', undefined],
    ['length.of', 'bytes', 'AQID', '*', undefined],
  ]
  for (const [name, argument, xmlrpc, json, result] of forms) {
    it(`${result === undefined ? 'refuse' : 'convert'} dates and bytes: ${name}(${json})`, async () => {
      const expected = result === undefined ? { refused: 'parameters' } : { result }
      assert.deepEqual(await service.call('xmlrpc', name, { [argument]: xmlrpc }), expected)
      assert.deepEqual(await service.call('json', name, { [argument]: json }), expected)
    })
  }

  it('take a calendar date as a date of XML-RPC at midnight', async () => {
    assert.deepEqual(await service.call('xmlrpc', 'day.after', { day: midnight }), {
      result: new DateTime('20260201T00:00:00'),
    })
    assert.deepEqual(await service.call('json', 'day.after', { day: '2026-01-31' }), {
      result: '2026-02-01T00:00:00Z',
    })
  })

  it('take 64-bit integers', async () => {
    const large = 2n ** 60n
    assert.deepEqual(await service.call('xmlrpc', 'double.of', { value: large }), { result: large * 2n })
    assert.deepEqual(await service.call('xmlrpc', 'double.of', { value: 3 }), { result: 6n })
    assert.deepEqual(await service.call('json', 'double.of', { value: String(large) }), {
      result: String(large * 2n),
    })
    assert.deepEqual(await service.call('xmlrpc', 'add', { a: 2n ** 40n, b: 1 }), { result: 2 ** 40 + 1 })
    assert.deepEqual(await service.call('xmlrpc', 'halve', { value: 4n }), { result: 2 })
    assert.deepEqual(await service.call('xmlrpc', 'halve', { value: large }), { refused: 'parameters' })
  })

  it('may be members of one destructured object', async () => {
    for (const face of ['json', 'jsonrpc by name'] as const) {
      assert.deepEqual(await service.call(face, 'named', { a: 1, b: 2 }), { result: 3 })
      assert.deepEqual(await service.call(face, 'named', { a: 1 }), { result: 6 })
      assert.deepEqual(await service.call(face, 'named', { b: 1 }), { refused: 'parameters' })
      assert.deepEqual(await service.call(face, 'named', { a: 'x' }), { refused: 'parameters' })
    }
    assert.deepEqual(await service.call('xmlrpc', 'named', { object: { a: 1 } }), { result: 6 })
    assert.deepEqual(await service.call('xmlrpc', 'named', { object: { a: '1' } }), { refused: 'parameters' })
    assert.deepEqual(await service.call('xmlrpc', 'named', { object: 1 }), { refused: 'parameters' })
  })

  it('names the argument that does not fit', async () => {
    const response = await service.post('/stock/named', '{"a":1.5}')
    assert.deepEqual((JSON.parse(await response.text()) as { errors: { name: string }[] }).errors[0]?.name, 'a')
  })
})

describe('results of a procedure with schemas', () => {
  it('are sent in the types of their schemas', async () => {
    const body = (name: string, value: string) =>
      `<methodCall><methodName>${name}</methodName><params><param>${value}</param></params></methodCall>`
    const sent = async (name: string, value: string) =>
      (await service.post('/stock', body(name, value), 'text/xml')).text()
    assert.match(await sent('halve', '<value><int>4</int></value>'), /<double>2\.0<\/double>/)
    assert.match(await sent('add', '<value><int>4</int></value>'), /-32602/)
    assert.match(await sent('sum', '<value><int>4</int></value>'), /<int>4<\/int>/)
  })

  it('are refused if they do not conform', async () => {
    for (const face of CALL_FACES) {
      assert.deepEqual(await service.call(face, 'wrong'), { refused: 'unexpected' })
    }
  })

  it('may be declared for any number of arguments', async () => {
    assert.deepEqual(await service.call('jsonrpc', 'sum', { a: 1, b: 2, c: 3 }), { result: 6 })
  })
})

describe('system.methodSignature', () => {
  const signatures: [string, unknown][] = [
    ['add', [['int', 'int', 'int']]],
    ['halve', [['double', 'double']]],
    ['is.text', [['boolean', 'string']]],
    ['negate', [['boolean', 'boolean']]],
    ['day.after', [['dateTime.iso8601', 'dateTime.iso8601']]],
    ['hour', [['int', 'dateTime.iso8601']]],
    ['hour.of', [['int', 'dateTime.iso8601']]],
    ['when', [['string', 'string']]],
    ['length.of', [['int', 'base64']]],
    ['count', [['int', 'array']]],
    ['size', [['int', 'struct']]],
    ['double.of', [['i8', 'i8']]],
    ['today', [['dateTime.iso8601']]],
    ['named', [['int', 'struct']]],
    ['silent', [['nil', 'int']]],
    ['either', 'undef'],
    ['partly', 'undef'],
    ['sum', 'undef'],
  ]
  for (const [name, expected] of signatures) {
    it(`of ${name} comes from its schemas`, async () => {
      assert.deepEqual(await service.call('xmlrpc', 'system.methodSignature', { name }), { result: expected })
    })
  }

  it('is in the help', async () => {
    assert.deepEqual(await service.call('xmlrpc', 'system.methodHelp', { name: 'add' }), {
      result: "Method signature: [['int', 'int', 'int']]",
    })
  })
})

describe('documents', () => {
  it('describe the values of the schemas', async () => {
    const document = JSON.parse(await (await service.send('GET', '/stock/openapi.json')).text())
    const operation = document.paths['/add'].post
    const { schema } = operation.requestBody.content['application/json']
    assert.equal(schema.properties.a.type, 'integer')
    assert.deepEqual(schema.required, ['a', 'b'])
    assert.equal(operation.responses['200'].content['application/json'].schema.type, 'integer')
    const named = document.paths['/named'].post.requestBody.content['application/json'].schema
    assert.deepEqual(named.required, ['a'])
  })
})

describe('a class', () => {
  const wrong: [string, object, RegExp][] = [
    [
      'declares a body()',
      { args: { add: { value: body(v.object({})) } } },
      /Wrong\.args\.add has body\(\) for "value"/,
    ],
    [
      'declares an argument that does not exist',
      { args: { add: { count: int } } },
      /Wrong\.args\.add declares "count"/,
    ],
    [
      'declares schemas and signatures for one method',
      { args: { add: { value: int } }, signatures: { add: [['int', 'int']] } },
      /Wrong\.args\.add: add\(\) has a signature too/,
    ],
    [
      'declares a result and a signature for one method',
      { results: { add: int }, signatures: { add: [['int', 'int']] } },
      /Wrong\.results\.add: add\(\) has a signature too/,
    ],
  ]
  for (const [what, statics, message] of wrong) {
    it(`is refused with an explanation in the log if it ${what}`, async () => {
      class Wrong extends RPCController {
        add(value: number) {
          return value
        }
      }
      Object.assign(Wrong, statics)
      const logged = new RPCService(Wrong)
      for (const face of CALL_FACES) {
        assert.deepEqual(await logged.call(face, 'add', { value: 1 }), { refused: 'unexpected' })
      }
      assert.match(logged.logged.join('\n'), message)
    })
  }
})

describe('the compiler', () => {
  it('compares schemas with the methods', () => {
    class Right extends RPCController {
      static args = { add: { a: int, b: optional(int, 1) }, day: { day: isoDate } }
      static results = { add: int, day: isoDate }
      add(a: number, b: number) {
        return b === 0 ? xmlrpc_fault(1, 'No.') : a + b
      }
      day(day: Date) {
        return day
      }
    }
    class WrongResult extends RPCController {
      static results = { add: bool }
      add() {
        return 1
      }
    }
    class WrongArgument extends RPCController {
      static args = { add: { a: int } }
      add(a: boolean) {
        return a
      }
    }
    const map = new Mapper()
    assert.ok(new FrameworkApp({ map, controllers: { right: Right } }))
    // @ts-expect-error: add() returns a value that its schema in static results does not take
    assert.ok(new FrameworkApp({ map, controllers: { wrong: WrongResult } }))
    // @ts-expect-error: add() cannot take the value that static args has for 'a'
    assert.ok(new FrameworkApp({ map, controllers: { wrong: WrongArgument } }))
  })
})
