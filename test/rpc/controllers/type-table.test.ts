import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { int as integer } from 'propylon/converters'
import * as v from 'valibot'
import { z } from 'zod'
import { addSchema, alternatives } from '../../../src/http/converters/alternatives.ts'
import {
  type Direction,
  type JSONSchema,
  jsonSchemaOf as jsonSchemaOfSchema,
} from '../../../src/http/converters/json-schema.ts'
import { SchemaComponents } from '../../../src/http/converters/schema-components.ts'
import { type DeclaredType, describing, schemaOf } from '../../../src/rpc/controllers/type-table.ts'

/** Returns the JSON Schema of a declared type. */
function jsonSchemaOf(type: DeclaredType, direction: Direction): JSONSchema {
  return jsonSchemaOfSchema(schemaOf(type, direction), direction)
}

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
  { type: integer, fits: [12], others: ['12', 0.5] },
  { type: z.date(), fits: ['2026-01-31T12:00:00Z'], others: [0, null] },
  { type: v.instance(Uint8Array), fits: ['AQID'], others: [[1, 2, 3]] },
  { type: z.bigint(), fits: [1, '9223372036854775807'], others: [0.5, true] },
  { type: v.pipe(v.string(), v.minLength(2)), fits: ['ab'], others: ['a', 1] },
]

function withJsonSchema(jsonSchema: unknown): StandardSchemaV1 {
  const properties = {
    version: 1 as const,
    vendor: 'own',
    validate: (value: unknown) => ({ value }),
    jsonSchema,
  }
  return { '~standard': properties }
}

describe('the schema of a declared type', () => {
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
    ['has no JSON Schema', withJsonSchema(undefined)],
    ['cannot express its type as a JSON Schema', z.custom()],
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

/** Returns schemas as a document has them, each with its name. */
function documentWith(...schemas: readonly JSONSchema[]): { written: JSONSchema[]; $defs: object } {
  const components = new SchemaComponents({ base: '#/$defs/', isEager: false })
  const written = schemas.map((schema, index) => components.add(schema, `Value${index}`, 'input'))
  return { $defs: components.finish(), written }
}

describe('alternatives', () => {
  const tables: [readonly JSONSchema[], JSONSchema][] = [
    [[], {}],
    [[{ type: 'string' }], { type: 'string' }],
    [[{ type: 'string' }, { type: 'string' }], { type: 'string' }],
    [[{ type: 'string' }, { type: 'null' }, { type: 'string' }], { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ]
  for (const [schemas, union] of tables) {
    it(`of ${JSON.stringify(schemas)} is ${JSON.stringify(union)}`, () => {
      for (const description of ['', 'text']) {
        const components = new SchemaComponents({ base: '#/$defs/' })
        const schema = alternatives(schemas.map(describing))
        const written = addSchema(components, schema, { name: 'A', direction: 'input', description })
        components.finish()
        assert.deepEqual(written, description === '' ? union : { ...union, description })
      }
    })
  }
})

describe('SchemaComponents', () => {
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
    ['a recursive schema', node, { name: 'a', children: [{ name: 'b', children: [] }] }, { name: 'a', children: [{}] }],
    [
      'a schema with definitions',
      z.object({ home: address, work: address }),
      { home: { city: 'a' }, work: { city: 'b' } },
      { home: { city: 'a' }, work: { city: 1 } },
    ],
  ]
  for (const [what, type, right, wrong] of shapes) {
    it(`keeps the references of ${what}`, () => {
      const { written, $defs } = documentWith(jsonSchemaOf(type, 'input'))
      const check = ajv.compile({ type: 'object', properties: { 'a/b c': written[0] }, $defs })
      assert.equal(Object.keys($defs).length, 1)
      assert.ok(check({ 'a/b c': right }))
      assert.ok(!check({ 'a/b c': wrong }))
    })
  }

  it('keeps definitions of the same name apart', () => {
    const schemas = ['string', 'number'].map((type) => ({ $ref: '#/$defs/A', $defs: { A: { type } } }))
    const { written, $defs } = documentWith(...schemas, ...schemas)
    assert.deepEqual(written, [
      { $ref: '#/$defs/A' },
      { $ref: '#/$defs/A2' },
      { $ref: '#/$defs/A' },
      { $ref: '#/$defs/A2' },
    ])
    assert.deepEqual($defs, { A: { type: 'string' }, A2: { type: 'number' } })
  })

  it('follows references to any place of a schema', () => {
    const schema = {
      type: 'object',
      properties: { 'a/b': { type: 'string' }, c: { $ref: '#/properties/a~1b', description: 'text' } },
    }
    const { written, $defs } = documentWith(schema)
    assert.deepEqual(written[0]?.properties, {
      'a/b': { type: 'string' },
      c: { $ref: '#/$defs/Value0C', description: 'text' },
    })
    assert.deepEqual($defs, { Value0C: { type: 'string' } })
  })

  const unchanged: [string, JSONSchema][] = [
    ['data', { const: { $ref: '#/a' }, enum: [{ $ref: '#' }], default: { $ref: '#' }, examples: [{ $ref: '#' }] }],
    ['references to other documents', { $ref: 'https://schemas.example/a.json#/b' }],
    ['schemas with an identifier', { $id: 'https://schemas.example/a', items: { $ref: '#' } }],
    ['properties called $ref', { properties: { $ref: { type: 'string' } } }],
  ]
  for (const [what, schema] of unchanged) {
    it(`does not change ${what}`, () => {
      assert.deepEqual(documentWith(schema), { written: [schema], $defs: {} })
    })
  }

  it('allows any value where a reference has no target', () => {
    assert.deepEqual(documentWith({ items: { $ref: '#/$defs/none' } }), {
      written: [{ items: {} }],
      $defs: {},
    })
  })

  it('changes references below properties that have the name of a keyword', () => {
    const schema = { properties: { default: { $ref: '#/$defs/a' } }, $defs: { a: {} } }
    assert.deepEqual(documentWith(schema).written, [{ properties: { default: { $ref: '#/$defs/A' } } }])
  })
})
