import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { int as integer } from 'propylon/converters'
import * as v from 'valibot'
import { z } from 'zod'
import {
  anyOf,
  type DeclaredType,
  embedded,
  type JSONSchema,
  jsonSchemaOf,
} from '../../../src/rpc/controllers/json-schema.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false })

const types: { type: DeclaredType; fits: readonly unknown[]; others: readonly unknown[] }[] = [
  { type: 'string', fits: ['', 'text'], others: [1, null, ['text']] },
  { type: 'int', fits: [0, -(2 ** 31), 2 ** 31 - 1], others: [2 ** 31, 0.5, '1'] },
  { type: 'i4', fits: [0], others: [2 ** 31] },
  {
    type: 'i8',
    fits: [2 ** 53 - 1, '9223372036854775807', '-1'],
    others: [2 ** 53, 0.5, 'one', '1.5', true],
  },
  { type: 'double', fits: [0, 0.5, 1e300], others: ['0.5', null] },
  { type: 'boolean', fits: [true, false], others: [0, 'true'] },
  { type: 'dateTime.iso8601', fits: ['2026-01-31T12:00:00Z'], others: [0, null] },
  { type: 'base64', fits: ['AQID'], others: [[1, 2, 3]] },
  { type: 'struct', fits: [{}, { a: 1 }], others: [[], 'a', null] },
  { type: 'array', fits: [[], [1, 'a', null]], others: [{}, 'a'] },
  { type: 'nil', fits: [null], others: [0, '', false] },
  { type: z.object({ name: z.string() }), fits: [{ name: 'a' }], others: [{}, { name: 1 }] },
  { type: z.iso.date(), fits: ['2026-01-31'], others: [1] },
  { type: integer, fits: ['12'], others: [] },
]

function withJsonSchema(jsonSchema: unknown): StandardSchemaV1 {
  const properties = { ...v.any()['~standard'], jsonSchema }
  return { '~standard': properties }
}

describe('jsonSchemaOf', () => {
  for (const { type, fits, others } of types) {
    const name = typeof type === 'string' ? type : `a schema of ${type['~standard'].vendor}`
    it(`describes ${name}`, () => {
      const check = ajv.compile(jsonSchemaOf(type, 'input'))
      for (const value of fits) assert.ok(check(value), `${JSON.stringify(value)} is refused`)
      for (const value of others) assert.ok(!check(value), `${JSON.stringify(value)} is allowed`)
    })
  }

  it('describes what a schema takes, and what it returns', () => {
    const length = z
      .string()
      .pipe(z.transform((text) => text.length))
      .pipe(z.number())
    assert.deepEqual(jsonSchemaOf(length, 'input'), { type: 'string' })
    assert.deepEqual(jsonSchemaOf(length, 'output'), { type: 'number' })
  })

  const anything: [string, DeclaredType][] = [
    ['has no JSON Schema', v.string()],
    ['cannot express its type as a JSON Schema', z.bigint()],
    ['returns something else', withJsonSchema({ input: () => 1 })],
    ['has another member of that name', withJsonSchema(1)],
  ] as const
  for (const [what, type] of anything) {
    it(`allows any value if a schema ${what}`, () => {
      assert.deepEqual(jsonSchemaOf(type, 'input'), {})
    })
  }

  it('omits the dialect of a schema', () => {
    assert.deepEqual(jsonSchemaOf(z.boolean(), 'input'), { type: 'boolean' })
  })
})

describe('anyOf', () => {
  const tables: [readonly JSONSchema[], JSONSchema][] = [
    [[], {}],
    [[{ type: 'string' }], { type: 'string' }],
    [[{ type: 'string' }, { type: 'string' }], { type: 'string' }],
    [
      [{ type: 'string' }, { type: 'null' }, { type: 'string' }],
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
  ]
  for (const [schemas, union] of tables) {
    it(`of ${JSON.stringify(schemas)} is ${JSON.stringify(union)}`, () => {
      assert.deepEqual(anyOf(schemas), union)
    })
  }
})

describe('embedded', () => {
  interface Node {
    name: string
    children: Node[]
  }
  const node: z.ZodType<Node> = z.object({
    name: z.string(),
    get children() {
      return z.array(node)
    },
  })
  const address = z.object({ city: z.string() }).meta({ id: 'Address' })
  const shapes: [string, z.ZodType, unknown, unknown][] = [
    [
      'a recursive schema',
      node,
      { name: 'a', children: [{ name: 'b', children: [] }] },
      { name: 'a', children: [{}] },
    ],
    [
      'a schema with definitions',
      z.object({ home: address, work: address }),
      { home: { city: 'a' }, work: { city: 'b' } },
      { home: { city: 'a' }, work: { city: 1 } },
    ],
  ]
  for (const [what, type, right, wrong] of shapes) {
    it(`keeps the references of ${what}`, () => {
      const property = embedded(jsonSchemaOf(type, 'input'), '/properties/a~1b%20c')
      const check = ajv.compile({ type: 'object', properties: { 'a/b c': property } })
      assert.ok(JSON.stringify(property).includes('"$ref":"#/properties/'))
      assert.ok(check({ 'a/b c': right }))
      assert.ok(!check({ 'a/b c': wrong }))
    })
  }

  const unchanged: [string, JSONSchema][] = [
    [
      'data',
      { const: { $ref: '#/a' }, enum: [{ $ref: '#' }], default: { $ref: '#' }, examples: [{ $ref: '#' }] },
    ],
    ['references to other documents', { $ref: 'https://schemas.example/a.json#/b' }],
    ['anchors', { $ref: '#a', $defs: { b: { $anchor: 'a' } } }],
    ['schemas with an identifier', { $id: 'https://schemas.example/a', items: { $ref: '#' } }],
    ['properties called $ref', { properties: { $ref: { type: 'string' } } }],
  ]
  for (const [what, schema] of unchanged) {
    it(`does not change ${what}`, () => {
      assert.deepEqual(embedded(schema, '/a'), schema)
    })
  }

  it('changes references below properties that have the name of a keyword', () => {
    const schema = { properties: { default: { $ref: '#/$defs/a' } }, $defs: { a: {} } }
    assert.deepEqual(embedded(schema, '/p'), {
      properties: { default: { $ref: '#/p/$defs/a' } },
      $defs: { a: {} },
    })
  })
})
