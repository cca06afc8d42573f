/** Declarations of signatures, and of parameters that calls may leave out. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { int, optional as optionalArgument, string as text } from 'propylon/converters'
import { decorate, signature } from 'propylon/decorators'
import { RPCController } from 'propylon/rpc'
import { TestApp } from 'propylon/testing'
import { checkAsync, number, optional, optionalAsync, pipe, pipeAsync, string, transform } from 'valibot'
import * as z from 'zod'
import { CALL_FACES, RPCService } from './service.ts'

const length = pipe(
  string(),
  transform((text) => text.length),
)
const even = pipeAsync(
  number(),
  checkAsync(async (value) => value % 2 === 0, 'must be even'),
)

describe('the signature of an overridden method', () => {
  class Base extends RPCController {
    static override signatures: NonNullable<typeof RPCController.signatures> = {
      stated: [['string', 'int']],
      kept: [['string', 'int']],
    }
    stated(a: unknown): string {
      return typeof a
    }
    kept(a: unknown): string {
      return typeof a
    }
  }
  class Decorated extends Base {
    override stated(a: unknown): string {
      return `decorated ${typeof a}`
    }
    override kept(a: unknown): string {
      return `overridden ${typeof a}`
    }
    static {
      decorate(this, { stated: [signature('string', 'string')] })
    }
  }
  class Derived extends Decorated {
    static override signatures: NonNullable<typeof RPCController.signatures> = {
      kept: [['string', 'boolean']],
      stated: [['string', 'double']],
    }
  }
  const decorated = new RPCService(Decorated)
  const derived = new RPCService(class extends Decorated {})
  const stated = new RPCService(Derived)
  for (const face of CALL_FACES) {
    it(`is that of the nearest class (${face})`, async () => {
      for (const service of [decorated, derived]) {
        assert.deepEqual(await service.call(face, 'stated', { a: 'x' }), { result: 'decorated string' })
        assert.deepEqual(await service.call(face, 'stated', { a: 1 }), { refused: 'parameters' })
        assert.deepEqual(await service.call(face, 'kept', { a: 1 }), { result: 'overridden number' })
        assert.deepEqual(await service.call(face, 'kept', { a: 'x' }), { refused: 'parameters' })
      }
      assert.deepEqual(await stated.call(face, 'stated', { a: 1.5 }), { result: 'decorated number' })
      assert.deepEqual(await stated.call(face, 'stated', { a: 'x' }), { refused: 'parameters' })
      assert.deepEqual(await stated.call(face, 'kept', { a: true }), { result: 'overridden boolean' })
    })
  }
})

describe('static signatures', () => {
  class Base extends RPCController {
    static override signatures: NonNullable<typeof RPCController.signatures> = {
      one: [['int', 'int']],
      several: [
        ['int', 'int'],
        ['int', length, 'int'],
      ],
    }
    one(a: number) {
      return a
    }
    several(a: number, b = 0) {
      return a + b
    }
  }
  const service = new RPCService(Base)

  it('can be one signature, or several', async () => {
    assert.deepEqual(await service.call('json', 'one', { a: 1 }), { result: 1 })
    assert.deepEqual(await service.call('json', 'one', { a: 'x' }), { refused: 'parameters' })
    assert.deepEqual(await service.call('json', 'several', { a: 1 }), { result: 1 })
    assert.deepEqual(await service.call('jsonrpc', 'several', { a: 'abc', b: 2 }), { result: 5 })
    assert.deepEqual(await service.call('xmlrpc', 'several', { a: 'abc', b: 'x' }), { refused: 'parameters' })
  })

  it('are refused for a method that does not exist', async () => {
    class Misspelt extends RPCController {
      static override signatures = { fnid: [['int', 'int']] }
      find(id: number) {
        return id
      }
    }
    const app = new FrameworkApp({ map: new Mapper().rpc('stock', '/stock'), controllers: { stock: Misspelt } })
    await assert.rejects(
      new TestApp(app).postJson('/stock/find', { id: 1 }),
      /Misspelt: static signatures names "fnid", which is not an action\. Did you mean "find"\?/,
    )
  })

  it('have precedence over decorators', async () => {
    class Both extends RPCController {
      static override signatures = { one: [['int', 'int']] }
      one(a: unknown) {
        return a
      }
    }
    Object.assign(Both.prototype.one, { signature: [['string', 'string']] })
    assert.deepEqual(await new RPCService(Both).call('json', 'one', { a: 1 }), { result: 1 })
  })

  it('names the form of a list that has types instead of signatures', async () => {
    class FlatController extends RPCController {
      add(a: number) {
        return a
      }
      // As a program without types writes it.
      static override signatures = { add: ['int', 'int'] } as unknown as { add: [['int', 'int']] }
    }
    const app = new FrameworkApp({
      map: new Mapper().rpc('flat', '/flat'),
      controllers: { flat: FlatController },
    })
    await assert.rejects(
      new TestApp(app).get('/flat'),
      /FlatController\.add: a signature is a list that begins with the type of the result, such as \['string', 'int'\]/,
    )
  })

  for (const wrong of [[], [[]], 'int', [['int', 'text']], [[{}]], [1]]) {
    it(`${JSON.stringify(wrong)} are refused with an explanation in the log`, async () => {
      class Wrong extends Base {
        static override signatures = { one: wrong } as unknown as NonNullable<typeof RPCController.signatures>
      }
      const logged = new RPCService(Wrong)
      for (const face of CALL_FACES) {
        assert.deepEqual(await logged.call(face, 'one', { a: 1 }), { refused: 'unexpected' }, face)
      }
      assert.match(logged.logged.join('\n'), /TypeError: Wrong\.one: /)
    })
  }
})

describe('static args', () => {
  it('names the parameters, as for a build that renames them', async () => {
    class Renamed extends RPCController {
      static args = { stock_count: ['article', 'shelf'] }
      stock_count(a: string, b: number) {
        return `${a} ${b}`
      }
    }
    const service = new RPCService(Renamed)
    assert.deepEqual(await service.call('json', 'stock.count', { article: 'x', shelf: 1 }), { result: 'x 1' })
    assert.deepEqual(await service.call('json', 'stock.count', { a: 'x', b: 1 }), { refused: 'parameters' })
  })
})

describe('a refusal', () => {
  it('lists 20 errors at most', async () => {
    class Long extends RPCController {
      static args = { sum: { numbers: z.array(z.int()) } }
      sum(numbers: number[]) {
        return numbers.length
      }
    }
    const body = JSON.stringify({ numbers: Array.from({ length: 5_000 }, () => 'x') })
    const response = await new RPCService(Long).post('/stock/sum', body)
    assert.equal(response.status, 400)
    const { errors, detail } = JSON.parse(await response.text())
    assert.equal(errors.length, 20)
    assert.ok(detail.length < 5_000)
  })
})

describe('a parameter with a default, in one signature', () => {
  class Loans extends RPCController {
    static faces = [...CALL_FACES.filter((face) => face !== 'jsonrpc by name'), 'openapi']
    static override signatures = {
      by_method: [['string', 'string', 'int']],
      without: [['string', string(), optional(number())]],
      stated: [
        ['string', 'int'],
        ['string', 'string', 'int'],
      ],
    }
    static args = {
      by_schema: { title: string(), days: optional(number(), 14) },
      by_converter: { title: text, days: optionalArgument(int, 14) },
      by_both: { title: string(), days: number() },
      asynchronous: { title: string(), days: optionalAsync(even, 14) },
      in_the_middle: { days: optional(number(), 14), title: string() },
    }
    by_method(title: string, days = 14) {
      return `${title} ${days}`
    }
    by_schema(title: string, days: number) {
      return `${title} ${days}`
    }
    by_converter(title: string, days: number) {
      return `${title} ${days}`
    }
    by_both(title: string, days = 14) {
      return `${title} ${days}`
    }
    asynchronous(title: string, days = 3) {
      return `${title} ${days}`
    }
    without(title: string, ...days: unknown[]) {
      return `${title} ${days.length}`
    }
    in_the_middle(days: number, title: string) {
      return `${title} ${days}`
    }
    stated(title: unknown, days = 14) {
      return `${title} ${days}`
    }
  }
  const service = new RPCService(Loans)

  for (const face of CALL_FACES) {
    for (const name of ['by.method', 'by.schema', 'by.converter', 'by.both']) {
      it(`may be left out: ${name} by ${face}`, async () => {
        assert.deepEqual(await service.call(face, name, { title: 'Emma' }), { result: 'Emma 14' })
        assert.deepEqual(await service.call(face, name, { title: 'Emma', days: 7 }), { result: 'Emma 7' })
        assert.deepEqual(await service.call(face, name, { title: 'Emma', days: 'x' }), {
          refused: 'parameters',
        })
        assert.deepEqual(await service.call(face, name), { refused: 'parameters' })
      })
    }
  }

  it('is the default of the schema if both have one', async () => {
    const { result } = {
      result: undefined,
      ...(await service.call('json', 'asynchronous', { title: 'Emma' })),
    }
    assert.equal(result, 'Emma 14')
  })

  it('does not reach the method if there is no default', async () => {
    assert.deepEqual(await service.call('jsonrpc', 'without', { title: 'Emma' }), { result: 'Emma 0' })
  })

  it('may be left out by name before others', async () => {
    assert.deepEqual(await service.call('json', 'in.the.middle', { title: 'Emma' }), { result: 'Emma 14' })
    assert.deepEqual(await service.call('jsonrpc', 'in.the.middle', { title: 'Emma' }), {
      refused: 'parameters',
    })
  })

  it('does not hide a signature of the same number of parameters', async () => {
    assert.deepEqual(await service.call('jsonrpc', 'stated', { title: 3 }), { result: '3 14' })
    assert.deepEqual(await service.call('jsonrpc', 'stated', { title: 'Emma' }), { result: 'Emma 14' })
  })

  it('is optional in documents and in system.methodSignature', async () => {
    const response = await service.send('GET', '/stock/openapi.json')
    const document = JSON.parse(await response.text())
    const { schema } = document.paths['/by.schema'].post.requestBody.content['application/json']
    assert.deepEqual(schema.required, ['title'])
    assert.deepEqual(await service.call('xmlrpc', 'system.methodSignature', { name: 'by.method' }), {
      result: [
        ['string', 'string', 'int'],
        ['string', 'string'],
      ],
    })
  })

  it('is marked in a refusal', async () => {
    const response = await service.postMessage('by.method', [])
    assert.match(await response.text(), /by\.method takes \(string, int\?\), not 0 parameters/)
  })
})

describe('a method of which the parameters have no names', () => {
  class Unnamed extends RPCController {
    pattern([a]: number[], b: number) {
      return (a ?? 0) + b
    }
  }
  const service = new RPCService(Unnamed)

  it('is called by position only', async () => {
    assert.deepEqual(await service.call('jsonrpc', 'pattern', { a: [1], b: 2 }), { result: 3 })
    assert.deepEqual(await service.call('json', 'pattern', { a: [1], b: 2 }), { refused: 'parameters' })
  })
})

describe('a method with one destructured parameter', () => {
  class Destructured extends RPCController {
    static override signatures = { typed: [['string', 'struct']] }
    plain({ name, age = 1 }: { name: string; age?: number }) {
      return `${name} ${age}`
    }
    typed({ name, ...rest }: { name: string }) {
      return `${name} ${Object.keys(rest).length}`
    }
  }
  const service = new RPCService(Destructured)

  it('receives the arguments by name', async () => {
    assert.deepEqual(await service.call('json', 'plain', { name: 'joe' }), { result: 'joe 1' })
    assert.deepEqual(await service.call('json', 'plain', { age: 2 }), { refused: 'parameters' })
    assert.deepEqual(await service.call('json', 'plain', { name: 'joe', sex: 'm' }), {
      refused: 'parameters',
    })
    assert.deepEqual(await service.call('json', 'typed', { name: 'joe', a: 1 }), { result: 'joe 1' })
    assert.deepEqual(await service.call('xmlrpc', 'typed', { all: { name: 'joe', a: 1 } }), {
      result: 'joe 1',
    })
  })
})
