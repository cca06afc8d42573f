import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, JSONRPCController, redirect, xmlrpc_fault } from 'propylon'
import { int } from 'propylon/converters'
import { signature } from 'propylon/decorators'
import { Fault, JSONRPCError, RPCController } from 'propylon/rpc'
import { TestApp } from 'propylon/testing'
import type { Encodable } from 'propylon/xmlrpc'
import { check, maxLength, number, object, optional, pipe, string, transform } from 'valibot'
import { type Arguments, CALL_FACES, type Outcome, RPCService } from './service.ts'

const article = pipe(
  string(),
  maxLength(5),
  transform((text) => text.toUpperCase()),
)
const order = object({ article: string(), count: optional(number(), 1) })

class StockController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json']
  static override allowNil = true
  static override publicNames = { renamed: 'shelf/renamed' }
  static override signatures = {
    typed: [['string', 'int', 'boolean']],
    optional_tail: [
      ['string', 'string'],
      ['string', 'string', 'int'],
    ],
    mixed: [['struct', order, 'int']],
    alternatives: [
      ['string', 'int'],
      ['string', 'string'],
    ],
  }
  static args = { by_schema: { a: article }, bad_result: { a: int }, schema_result: { a: string() } }
  static results = {
    by_schema: string(),
    bad_result: pipe(
      number(),
      check((value) => value > 0),
    ),
    schema_result: pipe(
      string(),
      transform((text) => `<${text}>`),
    ),
  }
  ran: string[] = []

  undeclared(a: unknown, b: unknown = 'default') {
    return [a, b]
  }
  async later(a: string) {
    await Promise.resolve()
    return a
  }
  typed(a: number, b: boolean) {
    return `${a} ${b}`
  }
  optional_tail(a: string, b = 7) {
    return `${a} ${b}`
  }
  by_schema(a: string) {
    return a
  }
  mixed(a: { article: string; count: number }, b: number) {
    return { ...a, b }
  }
  alternatives(a: number | string) {
    return typeof a
  }
  bad_result(a: number) {
    return a
  }
  schema_result(a: string) {
    return a
  }
  renamed() {
    return 'renamed'
  }
  wiki_getPage() {
    return 'page'
  }
  nothing() {}
  open_object({ a, b = 2 }: { a: number; b?: number }) {
    return [a, b]
  }
  rest_object({ a, ...others }: { a: number }) {
    return a + Object.keys(others).length
  }
  default_object({ a = 7 }: { a?: number } = {}) {
    return [a]
  }
  throws_fault() {
    throw new Fault(26, 'no more')
  }
  returns_fault() {
    return new Fault(26, 'no more')
  }
  throws_error() {
    throw new JSONRPCError(26, 'no more')
  }
  returns_error() {
    return Promise.resolve(new JSONRPCError(26, 'no more'))
  }
  made_fault() {
    return xmlrpc_fault(26, 'no more')
  }
  forbidden() {
    abort(403, 'not you')
  }
  moved() {
    redirect('/elsewhere')
  }
  breaks() {
    throw new RangeError('swordfish')
  }
  unsendable() {
    return Number.NaN
  }
  _secret() {
    return 'secret'
  }
}
Reflect.set(StockController.prototype.typed, 'help', 'Help')

const fault: Outcome = { code: 26, text: 'no more' }
const calls: readonly [name: string, args: Arguments, outcome: Outcome][] = [
  ['undeclared', { a: 1, b: 'x' }, { result: [1, 'x'] }],
  ['undeclared', { a: 1 }, { result: [1, 'default'] }],
  ['undeclared', { a: null }, { result: [null, 'default'] }],
  ['undeclared', {}, { refused: 'parameters' }],
  ['undeclared', { a: 1, b: 2, c: 3 }, { refused: 'parameters' }],
  ['later', { a: 'é\u{1f600}' }, { result: 'é\u{1f600}' }],
  ['typed', { a: 1, b: true }, { result: '1 true' }],
  ['typed', { a: 1, b: 1 }, { refused: 'parameters' }],
  ['typed', { a: 1.5, b: true }, { refused: 'parameters' }],
  ['typed', { a: '1', b: true }, { refused: 'parameters' }],
  ['typed', { a: 1 }, { refused: 'parameters' }],
  ['optional.tail', { a: 'x' }, { result: 'x 7' }],
  ['optional.tail', { a: 'x', b: 2 }, { result: 'x 2' }],
  ['optional.tail', { a: 'x', b: 'y' }, { refused: 'parameters' }],
  ['by.schema', { a: 'abc' }, { result: 'ABC' }],
  ['by.schema', { a: 'abcdef' }, { refused: 'parameters' }],
  ['by.schema', { a: 1 }, { refused: 'parameters' }],
  ['mixed', { a: { article: 'x' }, b: 2 }, { result: { article: 'x', count: 1, b: 2 } }],
  ['mixed', { a: { article: 1 }, b: 2 }, { refused: 'parameters' }],
  ['mixed', { a: { article: 'x' }, b: 'y' }, { refused: 'parameters' }],
  ['alternatives', { a: 1 }, { result: 'number' }],
  ['alternatives', { a: 'x' }, { result: 'string' }],
  ['alternatives', { a: true }, { refused: 'parameters' }],
  ['bad.result', { a: 1 }, { result: 1 }],
  ['bad.result', { a: -1 }, { refused: 'unexpected' }],
  ['schema.result', { a: 'x' }, { result: '<x>' }],
  ['wiki.getPage', {}, { result: 'page' }],
  ['wiki_getPage', {}, { result: 'page' }],
  ['nothing', {}, { result: null }],
  ['renamed', {}, { refused: 'unknown' }],
  ['throws.fault', {}, fault],
  ['returns.fault', {}, fault],
  ['throws.error', {}, fault],
  ['returns.error', {}, fault],
  ['made.fault', {}, fault],
  ['forbidden', {}, { status: 403, location: null }],
  ['moved', {}, { status: 302, location: '/elsewhere' }],
  ['breaks', {}, { refused: 'unexpected' }],
  ['unsendable', {}, { refused: 'unexpected' }],
  ['nope', {}, { refused: 'unknown' }],
  ['x'.repeat(256), {}, { refused: 'unknown' }],
  ...['_secret', '__before__', 'constructor', '__proto__', 'toString', 'render', 'request', 'ran'].map(
    (name): [string, Arguments, Outcome] => [name, {}, { refused: 'unknown' }],
  ),
]

function isArguments(value: Encodable): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface Problem {
  detail: string
  errors: readonly { name: string; detail: string }[]
}

async function problemOf(response: Response): Promise<Problem> {
  return JSON.parse(await response.text())
}

describe('the same call', () => {
  const service = new RPCService(StockController)
  for (const [name, args, outcome] of calls) {
    for (const face of CALL_FACES) {
      it(`${name.slice(0, 20)}(${JSON.stringify(args)}) has the same end by ${face}`, async () => {
        const answered = await service.call(face, name, args)
        // A struct of XML-RPC has no prototype.
        assert.deepEqual(JSON.parse(JSON.stringify(answered)), JSON.parse(JSON.stringify(outcome)))
      })
    }
  }

  it('is refused with the reason for each parameter', async () => {
    const problem = await service.post('/stock/mixed', '{"a":{"article":1,"count":"x"},"b":2.5,"c":0}')
    assert.equal(problem.status, 400)
    assert.deepEqual((await problemOf(problem)).errors, [{ name: 'c', detail: 'there is no such parameter' }])
    const second = await service.post('/stock/mixed', '{"a":{"article":1,"count":"x"},"b":2.5}')
    const { errors, detail } = await problemOf(second)
    assert.deepEqual(
      errors.map(({ name }) => name),
      ['a.article', 'a.count', 'b'],
    )
    assert.match(detail, /^mixed: a\.article: .*; b: must be an integer within 32 bits$/)
  })

  for (const [name, args] of [
    ['undeclared', '{"a":1e400}'],
    ['undeclared', '{"a":{"deep":[-1e400]}}'],
    ['mixed', '{"a":{"article":"x","count":1e400},"b":1}'],
    ['rest_object', '{"a":1e400}'],
  ] as const) {
    it(`${name}(${args}) is refused, because JSON.parse reads an infinity`, async () => {
      const problem = await service.post(`/stock/${name}`, args)
      assert.equal(problem.status, 400)
      assert.match((await problemOf(problem)).detail, /beyond the range of doubles/)
      const message = `{"jsonrpc":"2.0","id":1,"method":"${name}","params":${args}}`
      assert.match(await (await service.post('/stock', message)).text(), /"code":-32602/)
    })
  }

  it('is refused with a short reason, though the schema repeats a long value', async () => {
    const problem = await service.post('/stock/mixed', `{"a":{"article":"x","count":"${'y'.repeat(9_000)}"},"b":1}`)
    const { errors, detail } = await problemOf(problem)
    assert.match(errors[0]?.detail ?? '', /^Invalid type: Expected number but received "y+…$/)
    assert.ok(detail.length < 600)
  })

  it('that names a parameter twice in its signatures has every alternative as a reason', async () => {
    const problem = await service.post('/stock/alternatives', '{"a":true}')
    assert.deepEqual((await problemOf(problem)).errors, [
      { name: 'a', detail: 'must be an integer within 32 bits, or must be a string' },
    ])
  })

  it('never runs the method or a hook when it is refused', async () => {
    const ran: string[] = []
    class Watched extends RPCController {
      static override signatures = { typed: [['int', 'int']] }
      __before__() {
        ran.push('before')
      }
      typed() {
        ran.push('method')
        return 1
      }
      __after__() {
        ran.push('after')
      }
    }
    const watched = new RPCService(Watched)
    for (const face of CALL_FACES) {
      assert.deepEqual(await watched.call(face, 'typed', { a: 'x' }), { refused: 'parameters' }, face)
      assert.deepEqual(await watched.call(face, 'nope'), { refused: 'unknown' }, face)
    }
    assert.deepEqual(ran, [])
  })

  const objects: readonly [name: string, object: Encodable, outcome: Outcome][] = [
    ['open_object', { a: 1 }, { result: [1, 2] }],
    ['open_object', { a: 1, b: 3 }, { result: [1, 3] }],
    ['open_object', {}, { refused: 'parameters' }],
    ['open_object', { b: 3 }, { refused: 'parameters' }],
    ['open_object', { a: 1, c: 3 }, { refused: 'parameters' }],
    ['open_object', 'a', { refused: 'parameters' }],
    ['open_object', null, { refused: 'parameters' }],
    ['open_object', [1], { refused: 'parameters' }],
    ['rest_object', { a: 1, c: 3 }, { result: 2 }],
    ['rest_object', { c: 3 }, { refused: 'parameters' }],
  ]
  for (const [name, object, outcome] of objects) {
    for (const face of ['xmlrpc', 'jsonrpc', 'jsonrpc by name', 'json'] as const) {
      const isNamed = face === 'json' || face === 'jsonrpc by name'
      if (isNamed && !isArguments(object)) continue
      it(`${name}(${JSON.stringify(object)}), which destructures it, has the same end by ${face}`, async () => {
        const args: Arguments = isNamed && isArguments(object) ? object : { object }
        assert.deepEqual(await service.call(face, name, args), outcome)
      })
    }
  }

  it('without its object is the same as with an empty one', async () => {
    assert.deepEqual(await service.call('jsonrpc', 'default_object'), { result: [7] })
    assert.deepEqual(await service.call('json', 'default_object'), { result: [7] })
    assert.deepEqual(await service.call('jsonrpc', 'default_object', { a: 1, b: 2 }), {
      refused: 'parameters',
    })
  })

  it('has the declared public name on every face', async () => {
    assert.deepEqual(await service.call('xmlrpc', 'shelf/renamed'), { result: 'renamed' })
    assert.deepEqual(await service.call('jsonrpc', 'shelf/renamed'), { result: 'renamed' })
  })
})

describe('static faces', () => {
  for (const faces of ['json', [], ['soap'], [1], {}]) {
    it(`must be a list of known names, not ${JSON.stringify(faces)}`, async () => {
      class WrongController extends RPCController {
        static faces: unknown = faces
      }
      const service = new RPCService(WrongController)
      await assert.rejects(new TestApp(service.app).post('/stock', '{}'), (error) => {
        assert.ok(error instanceof TypeError)
        assert.equal(
          error.message,
          `WrongController.faces is ${JSON.stringify(faces)}. Use a list of xmlrpc, jsonrpc, json, mcp, openapi.`,
        )
        return true
      })
    })
  }

  it('are those of the base class unless a class declares its own', async () => {
    class Base extends RPCController {
      static faces = ['json']
      a() {
        return 1
      }
    }
    class Sub extends Base {}
    class Other extends Base {
      static override faces = ['jsonrpc']
    }
    assert.equal((await new RPCService(Sub).post('/stock/a', '{}')).status, 200)
    assert.deepEqual(await new RPCService(Other).call('jsonrpc', 'a'), { result: 1 })
    assert.equal((await new RPCService(Other).post('/stock/a', '{}')).status, 404)
  })
})

describe('plain JSON to a service without the face json', () => {
  const facesOf = (...names: string[]) =>
    new RPCService(
      class extends RPCController {
        static faces = names
        a() {
          return 1
        }
      },
    )
  const JSON_TYPE = 'application/json'
  const rows: [faces: string[], path: string, body: string, type: string, status: number][] = [
    [['xmlrpc', 'jsonrpc'], '/stock/a', '{}', JSON_TYPE, 404],
    [['xmlrpc', 'jsonrpc'], '/stock/a', '', JSON_TYPE, 404],
    [['xmlrpc'], '/stock/a', '{}', JSON_TYPE, 404],
    [['xmlrpc'], '/stock', '{}', JSON_TYPE, 415],
    [['jsonrpc'], '/stock/a', '{}', JSON_TYPE, 404],
    [['jsonrpc'], '/stock/a', '[', JSON_TYPE, 404],
    [['mcp'], '/stock/a', '{}', JSON_TYPE, 404],
    [['mcp'], '/stock', '{}', JSON_TYPE, 405],
  ]
  for (const [faces, path, body, type, status] of rows) {
    it(`is ${status} with problem details at ${path} of ${faces.join()}: ${body || 'nothing'}`, async () => {
      const response = await facesOf(...faces).post(path, body, type)
      assert.equal(response.status, status)
      assert.equal(response.headers.get('content-type'), 'application/problem+json')
    })
  }

  it('is not a call of another protocol there', async () => {
    const call = '{"jsonrpc":"2.0","method":"a","id":1}'
    const byJson = await facesOf('jsonrpc').post('/stock/RPC2', call)
    assert.deepEqual(await byJson.json(), { jsonrpc: '2.0', result: 1, id: 1 })
    const xml = '<methodCall><methodName>a</methodName></methodCall>'
    const byXml = await facesOf('xmlrpc').post('/stock/RPC2', xml, 'text/xml')
    assert.match(await byXml.text(), /<int>1<\/int>/)
  })
})

describe('system methods', () => {
  const service = new RPCService(StockController)

  it('are those of XML-RPC only', async () => {
    const listed = await service.call('xmlrpc', 'system.listMethods')
    assert.ok('result' in listed && Array.isArray(listed.result) && listed.result.includes('shelf/renamed'))
    for (const face of ['jsonrpc', 'json'] as const) {
      assert.deepEqual(await service.call(face, 'system.listMethods'), { refused: 'unknown' })
    }
  })
})

describe('a JSONRPCController', () => {
  class NamedController extends JSONRPCController {
    static override publicNames = { add_numbers: 'numbers.add' }
    static args = { add_numbers: { a: int, b: int } }
    static results = { add_numbers: int }
    add_numbers(a: number, b: number) {
      return a + b
    }
    other_name() {
      return 1
    }
  }
  const service = new RPCService(NamedController)

  it('has names of methods, or declared ones, and signatures', async () => {
    assert.deepEqual(await service.call('jsonrpc', 'numbers.add', { a: 1, b: 2 }), { result: 3 })
    assert.deepEqual(await service.call('jsonrpc', 'numbers.add', { a: 1, b: 'x' }), {
      refused: 'parameters',
    })
    assert.deepEqual(await service.call('jsonrpc', 'add_numbers', { a: 1, b: 2 }), { refused: 'unknown' })
    assert.deepEqual(await service.call('jsonrpc', 'other_name'), { result: 1 })
    assert.deepEqual(await service.call('jsonrpc', 'other.name'), { refused: 'unknown' })
  })

  it('has the methods of XML-RPC only in its face', async () => {
    assert.deepEqual(await service.call('jsonrpc', 'system_listMethods'), { refused: 'unknown' })
    class Both extends NamedController {
      static faces = ['xmlrpc', 'jsonrpc']
    }
    const both = new RPCService(Both)
    assert.deepEqual(await both.call('jsonrpc', 'other_name'), { result: 1 })
    assert.deepEqual(await both.call('xmlrpc', 'other_name'), { result: 1 })
    assert.deepEqual(await both.call('jsonrpc', 'system_listMethods'), { refused: 'unknown' })
  })
})

describe('signature() of XML-RPC types', () => {
  class Decorated extends RPCController {
    add(a: number, b: number) {
      return a + b
    }
    static {
      signature('int', 'int', 'int')(this.prototype.add)
    }
  }
  const service = new RPCService(Decorated)
  for (const face of CALL_FACES) {
    it(`holds by ${face}`, async () => {
      assert.deepEqual(await service.call(face, 'add', { a: 1, b: 2 }), { result: 3 })
      assert.deepEqual(await service.call(face, 'add', { a: 1, b: '2' }), { refused: 'parameters' })
    })
  }
})
