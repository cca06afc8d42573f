/** Schemas whose descriptions once promised other values than the application takes and sends. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import { type ArgumentDeclarations, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body, list, optional } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'
import { z } from 'zod'

const logged: string[] = []

function appOf(schema: StandardSchemaV1, given: unknown = {}) {
  class FormsController extends WSGIController {
    static args: ArgumentDeclarations = { create: { fields: body(schema, { lists: ['pair'] }) } }
    static results = { create: v.any(), show: schema }
    create(fields: unknown) {
      return { fields }
    }
    show() {
      return given
    }
  }
  return new FrameworkApp({
    map: new Mapper()
      .connect('/forms', { controller: 'forms', action: 'create', conditions: { method: 'POST' } })
      .connect('/show', { controller: 'forms', action: 'show' }),
    controllers: { forms: FormsController },
    logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
    openapi: { title: 'Forms', version: '1' },
  })
}

async function contentOf(schema: StandardSchemaV1) {
  const { paths, components } = JSON.parse(JSON.stringify(await appOf(schema).openapi()))
  const { content } = paths['/forms'].post.requestBody
  const { $ref = '' } = content['application/json'].schema
  return { content, schema: components.schemas[$ref.split('/').at(-1)] ?? content['application/json'].schema }
}

describe('the description of a body', () => {
  const text = { type: 'string' }
  const members: [what: string, schema: StandardSchemaV1, expected: object][] = [
    ['v.required()', v.required(v.partial(v.object({ a: v.string() }))), text],
    ['v.required() of a key', v.required(v.object({ a: v.optional(v.string(), 'x') }), ['a']), text],
    ['v.nonNullable()', v.object({ a: v.nonNullable(v.nullable(v.string())) }), text],
    ['v.nonNullish()', v.object({ a: v.nonNullish(v.nullish(v.string())) }), text],
    ['v.nonOptional()', v.object({ a: v.nonOptional(v.optional(v.picklist(['x']))) }), { enum: ['x'] }],
    ['z.coerce.date()', z.object({ a: z.coerce.date() }), { type: 'string', format: 'date-time' }],
  ]
  for (const [what, schema, expected] of members) {
    it(`has the values of ${what}`, async () => {
      const { properties, required } = (await contentOf(schema)).schema
      assert.deepEqual([properties.a, required], [{ ...properties.a, ...expected }, ['a']])
    })
  }

  const tuples: [library: string, texts: StandardSchemaV1, mixed: StandardSchemaV1][] = [
    [
      'Valibot',
      v.object({ pair: v.tuple([v.string(), v.string()]) }),
      v.object({ pair: v.tuple([v.string(), v.number()]) }),
    ],
    [
      'Zod',
      z.object({ pair: z.tuple([z.string(), z.string()]) }),
      z.object({ pair: z.tuple([z.string(), z.number()]) }),
    ],
    ['ArkType', type({ pair: ['string', 'string'] }), type({ pair: ['string', 'number'] })],
  ]
  for (const [library, texts, mixed] of tuples) {
    it(`has a tuple of ${library} as a form if a form can carry it`, async () => {
      const form = 'application/x-www-form-urlencoded'
      assert.deepEqual(Object.keys((await contentOf(texts)).content), ['application/json', form])
      assert.deepEqual(Object.keys((await contentOf(mixed)).content), ['application/json'])
      const headers = { 'Content-Type': form, Accept: 'application/json' }
      const sent = await new TestApp(appOf(texts)).post('/forms', 'pair=a&pair=b', { headers })
      assert.deepEqual(sent.json(), { fields: { pair: ['a', 'b'] } })
    })
  }

  it('may have a member of any type, which need not be a list', async () => {
    const schemas = [
      body(z.object({ a: z.any(), b: z.string() })),
      body(v.object({ a: v.any(), b: v.string() })),
      body(type({ a: 'unknown', b: 'string' })),
    ]
    for (const { schema } of schemas) {
      const sent = await new TestApp(appOf(schema)).postJson('/forms', { a: { deep: [1] }, b: 'x' })
      assert.deepEqual(sent.json(), { fields: { a: { deep: [1] }, b: 'x' } })
    }
  })
})

describe('the description of an argument that its schema converts', () => {
  const toNumber = v.pipe(v.string(), v.toNumber())
  for (const [what, schema] of [
    ['list()', list(toNumber)],
    ['optional()', optional(toNumber)],
    ['optional() of list()', optional(list(toNumber), [1])],
  ] as const) {
    it(`has the text that it takes, within ${what}`, async () => {
      class FindController extends WSGIController {
        static args = { index: { id: schema } }
        static results = { index: v.any() }
        index(id: unknown) {
          return { id }
        }
      }
      const app = new FrameworkApp({
        map: new Mapper().connect('/find', { controller: 'find', action: 'index' }),
        controllers: { find: FindController },
        openapi: { title: 'Find', version: '1' },
      })
      const { paths } = JSON.parse(JSON.stringify(await app.openapi()))
      const { items, ...own } = paths['/find'].get.parameters[0].schema
      assert.equal((items ?? own).type, 'string')
    })
  }
})

describe('a result with a function', () => {
  const schemas: [what: string, schema: StandardSchemaV1][] = [
    ['z.any()', z.object({ a: z.any(), b: z.number() })],
    ['v.unknown()', v.object({ a: v.unknown(), b: v.number() })],
    ['an undeclared key of ArkType', type({ b: 'number' })],
  ]
  for (const [what, schema] of schemas) {
    it(`is not sent without it: ${what}`, async () => {
      logged.length = 0
      const client = new TestApp(appOf(schema, { a: () => 1, b: 2 }), { errors: 'page' })
      const headers = { Accept: 'application/json' }
      await client.get('/show', { headers, status: 500 })
      assert.match(logged.join(), /a: JSON cannot express/)
    })
  }
})
