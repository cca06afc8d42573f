/**
 * The property of described bodies: a value that the published schema accepts arrives at the action as its schema returns
 * it, by JSON, forms, tools and the generated client. The limits of every body are the exceptions: they are 400.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type } from 'arktype'
import fc from 'fast-check'
import { type ArgumentDeclarations, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body, bool, int, optional } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'
import { z } from 'zod'
import { load } from '../rpc/client/generated.ts'

type Options = NonNullable<Parameters<typeof body>[1]>

const schemas: Readonly<Record<string, readonly [schema: StandardSchemaV1, options?: Options]>> = {
  'Valibot, texts': [v.object({ text: v.string(), tags: v.array(v.string()) }), { lists: ['tags'] }],
  'Valibot, optional members': [
    v.object({ text: v.optional(v.string()), nothing: v.nullable(v.string()), count: v.nullish(v.number()) }),
  ],
  'Valibot, checked': [
    v.object({ text: v.pipe(v.string(), v.trim(), v.minLength(1)), kind: v.picklist(['a', 'b,c']) }),
  ],
  'Valibot, deep': [v.object({ text: v.string(), inner: v.object({ count: v.number(), list: v.array(v.number()) }) })],
  'Valibot, a record': [v.record(v.string(), v.union([v.string(), v.number()]))],
  'Valibot, any member': [v.object({ text: v.string(), any: v.any() })],
  'Valibot, strict': [v.strictObject({ text: v.string() })],
  'Valibot, a list': [v.array(v.object({ text: v.string() }))],
  'Valibot, text': [v.string()],
  'Valibot, a number or null': [v.nullable(v.number())],
  'Valibot, texts of forms': [
    v.object({ text: v.string(), count: v.pipe(v.number(), v.integer()), flag: v.boolean() }),
    { texts: { count: int, flag: optional(bool, false) } },
  ],
  'Zod, texts': [z.object({ text: z.string().min(1), tags: z.array(z.string()) }), { lists: ['tags'] }],
  'Zod, optional members': [
    z.object({ text: z.string().optional(), nothing: z.string().nullable(), count: z.number().default(3) }),
  ],
  'Zod, coerced': [z.object({ count: z.coerce.number(), text: z.string() })],
  'Zod, alternatives': [
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), text: z.string() }),
      z.object({ kind: z.literal('b'), count: z.number() }),
    ]),
  ],
  'Zod, a record': [z.record(z.string(), z.string())],
  'Zod, loose': [z.looseObject({ text: z.string() })],
  'Zod, formats': [z.object({ text: z.email().or(z.iso.date()), id: z.uuid().optional() })],
  'Zod, a tuple': [z.object({ tags: z.tuple([z.string(), z.string()]) }), { lists: ['tags'] }],
  'ArkType, texts': [type({ text: 'string', 'tags?': 'string[]' }), { lists: ['tags'] }],
  'ArkType, alternatives': [type({ text: 'string | number', kind: "'a' | 'b,c'" })],
  'ArkType, numbers': [type({ count: 'number', 'list?': 'number[]' })],
  'ArkType, closed': [type({ '+': 'reject', text: 'string > 0' })],
}

const ajv = addFormats.default(new Ajv2020({ strict: false }))

const texts = fc.oneof(
  fc.constantFrom('', 'a', 'b,c', ' ', ' x ', '5', 'true', 'null', '+', '%2C', 'a&b=c', '\r\n', '\n', 'é😀', '<&>'),
  fc.constantFrom('a@b.example', '2026-02-28', '0190163d-8694-739b-aea5-966c26f8ad91', '\ufeff'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)
const scalars = fc.oneof(
  texts,
  fc.constantFrom(1e-7, 1e21, 0, 5, 0.5, true, false, null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const lists = fc.array(scalars, { maxLength: 3 })
const deep = fc.record({ count: scalars, list: lists }, { requiredKeys: [] })
/** Fields of the schemas, and others. */
const records = fc.record(
  {
    text: scalars,
    tags: lists,
    nothing: scalars,
    count: scalars,
    kind: fc.oneof(fc.constantFrom('a', 'b', 'b,c'), scalars),
    inner: deep,
    list: lists,
    any: fc.jsonValue(),
    flag: scalars,
    id: scalars,
    constructor: scalars,
    'x-0.y': texts,
  },
  { requiredKeys: [], noNullPrototype: true },
)
const values = fc.oneof(
  { weight: 6, arbitrary: records },
  { weight: 3, arbitrary: fc.dictionary(fc.constantFrom('text', 'kind', 'tags', 'toString'), texts) },
  {
    weight: 2,
    arbitrary: fc.record({ text: texts, kind: fc.constant('a'), tags: fc.array(texts, { maxLength: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ text: texts, count: fc.double({ noNaN: true }), inner: deep, flag: fc.boolean() }),
  },
  scalars,
  fc.array(fc.record({ text: texts }), { maxLength: 2 }),
)

/** What the action received. Nothing if it did not run. */
let received: { readonly value: unknown } | undefined

function appOf(schema: StandardSchemaV1, options: Options | undefined) {
  class ValuesController extends WSGIController {
    static args: ArgumentDeclarations = { create: { value: body(schema, ...(options ? [options] : [])) } }
    static results = { create: v.any() }
    static tools = ['create']
    create(value: unknown) {
      received = { value }
      return {}
    }
  }
  return new FrameworkApp({
    map: new Mapper().connect('/values', {
      controller: 'values',
      action: 'create',
      conditions: { method: 'POST' },
    }),
    controllers: { values: ValuesController },
    logger: { info() {}, warn() {}, error() {} },
    openapi: { title: 'Values', version: '1' },
    mcp: {},
  })
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * Returns a value as a form gives it to its schema: with the texts that the option `texts` converts. A list that the form
 * lacks is empty, and FormData of the platform writes line breaks as browsers do.
 */
async function formValue(way: string, sent: unknown, { lists = [], texts = {} }: Options = {}) {
  const whole = { ...Object.fromEntries(lists.map((name) => [name, []])), ...Object(sent) }
  const withBreaks = (_: string, member: unknown) =>
    typeof member === 'string' ? member.replace(/\r\n|\r|\n/g, '\r\n') : member
  const fields = way === 'multipart form' ? JSON.parse(JSON.stringify(whole, withBreaks)) : whole
  for (const [name, schema] of Object.entries(texts)) {
    const result = await schema['~standard'].validate(fields[name])
    assert.equal(result.issues, undefined)
    if (result.issues === undefined) fields[name] = result.value
  }
  return fields
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Returns the fields of a form. Undefined for a value that no form can have: other values than texts and lists of them. */
function fieldsOf(value: unknown, lists: readonly string[]): [name: string, text: string][] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const fields: [string, string][] = []
  for (const [name, field] of Object.entries(value)) {
    if (Array.isArray(field) !== lists.includes(name)) return undefined
    for (const text of [field].flat()) {
      if (typeof text !== 'string') return undefined
      fields.push([name, text])
    }
  }
  return fields
}

describe('a body that a published schema accepts', () => {
  for (const [name, [schema, options]] of Object.entries(schemas)) {
    it(`arrives as its schema returns it: ${name}`, async () => {
      const app = appOf(schema, options)
      const client = new TestApp(app)
      const document = JSON.parse(JSON.stringify(await app.openapi()))
      const { content } = document.paths['/values'].post.requestBody
      const compiled = (described: object | undefined) =>
        described && ajv.compile({ ...described, components: document.components })
      const [asJson, asForm] = ['application/json', FORM].map((each) => compiled(content[each]?.schema))
      const { createClient } = await load(document)
      const fetch = (url: string, init: RequestInit) => app.fetch(new Request(url, init))
      const api = Object(createClient({ baseUrl: 'http://localhost', fetch }))
      const call = (method: string, params: object) =>
        client.postJson('/mcp', { jsonrpc: '2.0', id: 1, method, params })
      const [tool] = Object((await call('tools/list', {})).json()).result.tools
      const asTool = ajv.compile(tool.inputSchema)
      const given = { headers: { Accept: 'application/json' } }
      const sendForm = (value: unknown) => {
        const fields = fieldsOf(value, options?.lists ?? [])
        return fields && client.post('/values', new URLSearchParams(fields), given)
      }
      const sendParts = (value: unknown) => {
        const fields = fieldsOf(value, options?.lists ?? [])
        const form = new FormData()
        for (const [field, text] of fields ?? []) form.append(field, text)
        return fields && fetch('http://localhost/values', { method: 'POST', body: form, ...given })
      }
      const validate = async (value: unknown) => {
        const result = await schema['~standard'].validate(value)
        return result.issues === undefined ? plain(result.value) : 'refused'
      }
      type Way = readonly [string, ValidateFunction | undefined, (value: unknown) => Promise<unknown> | undefined]
      const ways: Way[] = [
        ['JSON', asJson, (value) => client.postJson('/values', value, given)],
        ['form', asForm, sendForm],
        ['multipart form', asForm, sendParts],
        ['client', asJson, (value) => api.values.create({ value })],
      ]
      await fc.assert(
        fc.asyncProperty(values, async (value) => {
          const sent = JSON.parse(JSON.stringify(value))
          for (const [way, accepts, send] of ways) {
            if (accepts?.(sent) !== true) continue
            received = undefined
            const answering = send(sent)
            if (answering === undefined) continue
            const answer = await answering.catch((error: unknown) => error)
            const what = `${way}: ${Object(answer).text ?? String(answer)}`
            const isForm = way.endsWith('form')
            const expected = await validate(isForm ? await formValue(way, sent, options) : sent)
            assert.deepEqual(received && plain(Object(received).value), expected, what)
          }
          const args = { value: sent }
          if (asTool(args)) {
            received = undefined
            const { text } = await call('tools/call', { name: tool.name, arguments: args })
            assert.deepEqual(received && plain(Object(received).value), await validate(sent), `tool: ${text}`)
          }
        }),
        { numRuns: 150 },
      )
    })
  }
})

describe('a limit of every body, whatever its schema accepts', () => {
  const client = new TestApp(appOf(v.any(), undefined))
  const limits: readonly (readonly [what: string, type: string, sent: string, detail: RegExp])[] = [
    ['NUL in JSON', 'application/json', '{"text":"a\\u0000"}', /text: must not contain the character NUL/],
    ['NUL deep in JSON', 'application/json', '{"a":[{"b":"\\u0000"}]}', /a: must not contain the character NUL/],
    ['NUL in a form', FORM, 'text=%00', /text: must not contain the character NUL/],
    ['a number beyond the range', 'application/json', '{"count":1e400}', /count: /],
    ['the key __proto__', 'application/json', '{"a":{"__proto__":{}}}', /__proto__/],
    ['depth', 'application/json', `${'['.repeat(500)}${']'.repeat(500)}`, /levels|deep/],
  ]
  for (const [what, type, sent, detail] of limits) {
    it(`is 400 with its reason: ${what}`, async () => {
      received = undefined
      const headers = { 'Content-Type': type, Accept: 'application/json' }
      const response = await client.post('/values', sent, { headers, status: 400 })
      assert.match(Object(response.json()).detail, detail)
      assert.equal(received, undefined)
    })
  }
})
