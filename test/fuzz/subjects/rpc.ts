/** JSON bodies, JSON-RPC, plain JSON and MCP. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { FrameworkApp, HTTPException, Mapper, Request } from 'propylon'
import { RPCController } from 'propylon/rpc'
import { createEnviron, type HeaderPair } from 'propylon/wsgi'
import { bytes, edited, edits, piecesOf, soup } from '../arbitraries.ts'
import { ask } from '../ask.ts'
import { type Json, property, type Subject } from '../property.ts'

class EchoController extends RPCController {
  static faces = ['jsonrpc', 'json', 'mcp'] as const
  echo(value: unknown) {
    return value ?? null
  }
}

const errors: string[] = []

const app = new FrameworkApp({
  map: new Mapper().rpc('echo', '/echo'),
  controllers: { echo: EchoController },
  logger: { info() {}, warn() {}, error: (message) => errors.push(message) },
})

/** JSON values that are refused nowhere: without the name `__proto__`. */
const value = fc.jsonValue({ maxDepth: 3 }).filter((each) => !JSON.stringify(each).includes('__proto__'))
const valueText = value.map((each) => JSON.stringify(each))

/** Numbers beyond the safe integers are refused. */
const MAX = Number.MAX_SAFE_INTEGER

const id = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 5 }),
  fc.constant(null),
  fc.double({ min: -MAX, max: MAX, noNaN: true }),
)

/** A message, as JSON: a call, a notification, or something like it. */
const message = fc.oneof(
  fc
    .record(
      {
        jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0'),
        id,
        method: fc.constantFrom(
          'echo',
          'echo',
          'none',
          'constructor',
          '__proto__',
          'tools/list',
          'tools/call',
          'ping',
          'initialize',
          'notifications/x',
        ),
        params: fc.oneof(
          fc.tuple(value),
          fc.record({ value }),
          fc.record({ name: fc.constantFrom('echo', 'none'), arguments: fc.record({ value }) }),
          value,
        ),
      },
      { requiredKeys: [] },
    )
    .map((each) => JSON.stringify(each)),
  valueText,
)

const body = fc.oneof(
  message,
  fc.array(message, { maxLength: 5 }).map((each) => `[${each.join(',')}]`),
  fc
    .record({
      message,
      changes: edits(fc.oneof(bytes(2), fc.constantFrom('{', '}', '"', ',', '[', '\\u0000', '1e999', '-0', 'null'))),
    })
    .map(({ message, changes }) => edited(message, changes)),
  soup(['{', '}', '[', ']', '"', ':', ',', 'null', '1', '"jsonrpc"', '"2.0"', '"id"', '"method"', '\\u', '\\'], 14),
)

const CODES: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32000])

async function post(path: string, text: string, headers: readonly HeaderPair[] = []) {
  const answer = await ask(app, {
    method: 'POST',
    path,
    headers: [['Content-Type', 'application/json'], ['Accept', 'application/json, text/event-stream'], ...headers],
    body: piecesOf(Buffer.from(text, 'utf8'), [0.3, 0.6]),
  })
  assert.deepEqual(errors.splice(0), [])
  assert.ok(answer.status < 500, String(answer.status))
  return answer
}

/** Returns the ids of the calls in a body that JSON.parse accepts, and that have an answer. Undefined for one that is no call. */
function callsIn(text: string): { entries: readonly unknown[]; isBatch: boolean } | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return { entries: Array.isArray(parsed) ? parsed : [parsed], isBatch: Array.isArray(parsed) }
  } catch {
    return undefined
  }
}

function member(entry: unknown, name: string): unknown {
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? Reflect.get(entry, name) : undefined
}

/** Requires that an answer is a well-formed response of JSON-RPC 2.0. */
function assertResponse(answer: unknown): void {
  assert.equal(member(answer, 'jsonrpc'), '2.0')
  const keys = Object.keys(answer as object)
  assert.ok(keys.includes('id'))
  assert.ok(keys.includes('result') !== keys.includes('error'), 'a response has a result or an error')
  if (!keys.includes('error')) return
  const error = member(answer, 'error')
  assert.ok(CODES.has(Number(member(error, 'code'))), JSON.stringify(error))
  assert.equal(typeof member(error, 'message'), 'string')
}

export const rpc: Subject = {
  name: 'rpc',
  properties: [
    property('a body is read as JSON.parse reads it, or refused', fc.oneof(valueText, body), async (text) => {
      const request = new Request(
        createEnviron({ method: 'POST', headers: [['Content-Type', 'application/json']], body: text }),
      )
      let expected: unknown
      let isJson = true
      try {
        expected = JSON.parse(text)
      } catch {
        isJson = false
      }
      try {
        const read = await request.json()
        assert.ok(isJson, 'JSON.parse refuses this')
        assert.deepEqual(read, expected)
      } catch (error) {
        assert.ok(error instanceof HTTPException && error.status === 400, String(error))
        assert.ok(!isJson || text.includes('__proto__') || /\\u00/.test(text), 'JSON.parse accepts this')
      }
    }),
    property(
      'a value is the same after a call, by every face',
      fc.record({ value: valueText, id }),
      async ({ value, id }) => {
        const expected: Json = JSON.parse(value)
        const call = await post(
          '/echo',
          `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"echo","params":[${value}]}`,
        )
        assert.deepEqual(JSON.parse(call.text), JSON.parse(JSON.stringify({ jsonrpc: '2.0', result: expected, id })))
        const plain = await post('/echo/echo', `{"value":${value}}`)
        assert.deepEqual(JSON.parse(plain.text), expected)
      },
    ),
    property('each call of JSON-RPC has exactly one response with its id, and nothing else has', body, async (text) => {
      const { status, text: answer } = await post('/echo', text)
      if (text === '') {
        assert.equal(status, 411)
        return
      }
      const calls = callsIn(text)
      if (answer === '') {
        assert.equal(status, 204)
        return assert.ok(
          calls?.entries.every((entry) => member(entry, 'method') !== undefined && member(entry, 'id') === undefined),
        )
      }
      const answers: unknown = JSON.parse(answer)
      for (const each of Array.isArray(answers) ? answers : [answers]) assertResponse(each)
      if (calls === undefined) return assert.equal(member(member(answers, 'error'), 'code'), -32700)
      if (!calls.isBatch || calls.entries.length === 0 || !Array.isArray(answers))
        return assert.ok(!Array.isArray(answers))
      const ids = answers.map((each) => JSON.stringify(member(each, 'id')))
      const asked = calls.entries.flatMap((entry) => {
        const id = member(entry, 'id')
        const isCall = member(entry, 'jsonrpc') === '2.0' && typeof member(entry, 'method') === 'string'
        return isCall && (typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= MAX))
          ? JSON.stringify(id)
          : []
      })
      for (const id of asked) assert.ok(ids.includes(id), `no response to ${id}`)
      assert.ok(ids.length <= calls.entries.length)
    }),
    property(
      'MCP answers every request with its id, and accepts notifications',
      fc.record({ body, version: fc.constantFrom(null, '2025-03-26', '2025-06-18', '2025-11-25', 'x') }),
      async ({ body: text, version }) => {
        const headers: HeaderPair[] = version === null ? [] : [['MCP-Protocol-Version', version]]
        const { status, text: answer } = await post('/echo/mcp', text, headers)
        if (text === '') {
          assert.ok(status === 411 || version === 'x')
          return
        }
        if (answer === '') return assert.equal(status, 202)
        const answers: unknown = JSON.parse(answer)
        for (const each of Array.isArray(answers) ? answers : [answers]) assertResponse(each)
        const calls = callsIn(text)
        if (calls === undefined || version === 'x') return assert.equal(status, 400)
        if (calls.isBatch) return
        const [entry] = calls.entries
        const id = member(entry, 'id')
        const isId = typeof id === 'string' || Number.isSafeInteger(id)
        if (member(entry, 'jsonrpc') === '2.0') assert.deepEqual(member(answers, 'id'), isId ? id : null)
      },
    ),
  ],
}
