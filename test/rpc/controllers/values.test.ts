/** The property of described parameters: a value that the published schema accepts arrives as it is, by every face. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { FrameworkApp, Mapper } from 'propylon'
import { RPCController } from 'propylon/rpc'
import { TestApp } from 'propylon/testing'
import { Binary, DateTime, type Encodable, encodeCall, type Signature } from 'propylon/xmlrpc'

const types = [
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

/** What the procedure received. Nothing if it did not run. */
let received: { readonly value: unknown } | undefined

const ajv = addFormats.default(new Ajv2020({ strict: false }))

const values = fc.oneof(
  fc.constantFrom('', 'a,b', '<&>', ' ', 'é😀', 'YQ==', 'YWI=', 'YWJj', 'YQ', '====', 'Y W=', '5', '-5', '007'),
  fc.constantFrom('9223372036854775807', '9223372036854775808', '-9223372036854775807', '9007199254740993'),
  fc.constantFrom(
    '2026-02-28T10:00:00Z',
    '2026-02-30T10:00:00Z',
    '2026-02-28T10:00:00.5Z',
    '2026-02-28t10:00:00z',
    '2026-02-28T10:00:00+02:00',
    '2026-02-28T23:59:60Z',
    '0000-01-01T00:00:00Z',
  ),
  fc
    .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    .map((date) => date.toISOString()),
  fc.constantFrom(0, 5, -5, 0.5, 1e-7, 1e21, 2 ** 31, -(2 ** 31), 2 ** 53, true, false, null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.string({ unit: 'grapheme-ascii' }),
  fc.array(fc.oneof(fc.integer(), fc.string()), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), fc.oneof(fc.integer(), fc.boolean()), {
    noNullPrototype: true,
  }),
)

/** Returns a received value as the JSON that a client sends. */
function plain(value: unknown): unknown {
  if (value instanceof Binary) return value.toString()
  if (value instanceof DateTime) return value.toDate().getTime()
  return typeof value === 'bigint' ? String(value) : JSON.parse(JSON.stringify(value))
}

/** Returns a sent value in the form of {@link plain}. */
function expected(type: string, value: unknown): unknown {
  if (type === 'dateTime.iso8601') return Date.parse(String(value).toUpperCase())
  return type === 'i8' ? String(value) : Object.is(value, -0) ? 0 : value
}

/** Returns a value of JSON as clients of XML-RPC send it. Whole numbers are ints. */
function encodable(type: string, value: unknown): Encodable {
  if (type === 'base64') return Binary.fromBase64(String(value))
  if (type === 'dateTime.iso8601') return new DateTime(String(value))
  if (type === 'i8') return BigInt(String(value))
  return Object.is(value, -0) ? 0 : (value as Encodable)
}

describe('a value that the schema of a parameter accepts', () => {
  for (const type of types) {
    it(`arrives as it is by every face: ${type}`, async () => {
      class TakeController extends RPCController {
        static faces = ['xmlrpc', 'jsonrpc', 'json', 'mcp', 'openapi']
        static override allowNil = true
        static override signatures = { take: [['boolean', type]] } satisfies Record<string, Signature[]>
        take(value: unknown) {
          received = { value }
          return true
        }
      }
      const app = new FrameworkApp({
        map: new Mapper().rpc('take', '/take'),
        controllers: { take: TakeController },
        logger: { info() {}, warn() {}, error() {} },
      })
      const client = new TestApp(app)
      const status = [200, 400]
      const post = (path: string, body: object) => client.postJson(`/take${path}`, body, { status })
      const call = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })
      const { paths } = (await client.get('/take/openapi.json')).json<{ paths: Record<string, never> }>()
      const document = Object(paths['/take']).post.requestBody.content['application/json'].schema.properties.value
      const { tools } = Object((await post('/mcp', call('tools/list', {}))).json()).result
      const [inDocument, inTool] = [document, tools[0].inputSchema.properties.value].map((each) => ajv.compile(each))
      const xml = { status, headers: { 'Content-Type': 'text/xml' } }
      const ways: [way: string, accepts: typeof inTool, send: (value: unknown) => Promise<unknown>][] = [
        ['plain JSON', inDocument, (value) => post('/take', { value })],
        ['JSON-RPC by position', inDocument, (value) => post('', call('take', [value]))],
        ['JSON-RPC by name', inDocument, (value) => post('', call('take', { value }))],
        ['tool', inTool, (value) => post('/mcp', call('tools/call', { name: 'take', arguments: { value } }))],
        [
          'XML-RPC',
          inDocument,
          (value) =>
            client.post('/take', encodeCall('take', [encodable(type, value)], { i8: true, allowNil: true }), xml),
        ],
      ]
      let count = 0
      await fc.assert(
        fc.asyncProperty(values, async (value) => {
          for (const [way, accepts, send] of ways) {
            if (accepts?.(value) !== true) continue
            received = undefined
            count += 1
            const answer = await send(value).catch((error: unknown) => error)
            const what = `${way}: ${Object(answer).text ?? String(answer)}`
            assert.deepEqual(received && plain(Object(received).value), expected(type, value), what)
          }
        }),
        {
          numRuns: 200,
          examples: [[true], [null], [5], ['YQ=='], ['2026-02-28T10:00:00Z'], [['a']], [{ a: 1 }]],
        },
      )
      assert.ok(count > 0)
    })
  }
})
