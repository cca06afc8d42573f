import assert from 'node:assert/strict'
import { stripTypeScriptTypes } from 'node:module'
import { describe, it } from 'node:test'
import { generateServiceTypes } from 'propylon/rpc'
import { api, hostile, stock } from './documents.ts'

/** Returns an OpenRPC document with one method, whose parameter and result have schemas. */
function documentOf(parameter: unknown, result: unknown = parameter, components: object = {}): object {
  return {
    openrpc: '1.3.2',
    info: { title: 'Test', version: '1.0.0' },
    methods: [
      {
        name: 'm',
        params: [{ name: 'value', required: true, schema: parameter }],
        result: { name: 'result', schema: result },
      },
    ],
    components,
  }
}

/** Returns the call signature of the only method, and what follows the interface. */
function typesOf(document: object): string {
  const text = generateServiceTypes(document)
  return text
    .slice(text.indexOf('  m(') + 3)
    .replace('\n}\n', '')
    .trim()
}

describe('generateServiceTypes', () => {
  it('generates an interface from OpenRPC', () => {
    assert.equal(
      generateServiceTypes(stock, { name: 'Stock', source: 'http://x.test/' }),
      `// The methods of http://x.test/, from its OpenRPC document.
import type { JSONResult } from 'propylon/rpc'

export interface Stock {
  stock: {
    /**
     * Finds an article.
     *
     * @param sku its number
     */
    find(sku: string, limit?: number): Promise<Article>
    any(): Promise<JSONResult>
  }
}

export type Article = { sku: string; count?: number | null; parts?: Article[] }

// Available through callNamed() only:
// named

// Available through call() only:
// call
`,
    )
  })

  it('generates an interface from OpenAPI', () => {
    assert.equal(
      generateServiceTypes(api),
      `// The methods of a service, from its OpenAPI document.
import type { JSONResult } from 'propylon/rpc'

export interface Api {
  stock: {
    /**
     * Finds an article.
     *
     * @param sku its number
     */
    find(sku: string, limit?: number): Promise<number>
  }
  ping(): Promise<JSONResult>
}

// Not called by POST with a JSON object:
// GET /pets/{id}
// POST /pets/{id}
// POST /upload
// POST /needs-header
`,
    )
  })

  it('generates only the procedures whose names begin with a prefix', () => {
    const types = generateServiceTypes(stock, { only: 'stock.a' })
    assert.match(types, / any\(/)
    assert.doesNotMatch(types, /find|Article/)
  })

  const schemas: [what: string, schema: unknown, type: string][] = [
    ['any value', {}, '(value: unknown): Promise<JSONResult>'],
    ['true', true, '(value: unknown): Promise<JSONResult>'],
    ['false', false, '(value: never): Promise<never>'],
    ['nothing', undefined, '(value: unknown): Promise<JSONResult>'],
    ['text with a format', { type: 'string', format: 'date-time' }, '(value: string): Promise<string>'],
    ['alternatives of types', { type: ['string', 'null'] }, '(value: string | null): Promise<string | null>'],
    ['nullable', { type: 'string', nullable: true }, '(value: string | null): Promise<string | null>'],
    ['an array', { type: 'array', items: { type: 'integer' } }, '(value: number[]): Promise<number[]>'],
    ['an array of any', { type: 'array' }, '(value: unknown[]): Promise<JSONResult[]>'],
    [
      'an array of alternatives',
      { items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      '(value: (string | null)[]): Promise<(string | null)[]>',
    ],
    [
      'a closed tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 1 },
      '(value: [string, number?]): Promise<[string, number?]>',
    ],
    [
      'an open tuple of draft 7',
      { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } },
      '(value: [string?, ...number[]]): Promise<[string?, ...number[]]>',
    ],
    [
      'a tuple without a type, of any further elements',
      { prefixItems: [{ type: 'string' }], minItems: 1 },
      '(value: [string, ...unknown[]]): Promise<[string, ...JSONResult[]]>',
    ],
    [
      'a tuple without elements',
      { type: 'array', prefixItems: [] },
      '(value: unknown[]): Promise<JSONResult[]>',
    ],
    [
      'an object',
      { properties: { a: { type: 'string' }, 'b c': {} }, required: ['a'] },
      "(value: { a: string; 'b c'?: unknown }): Promise<{ a: string; 'b c'?: JSONResult }>",
    ],
    [
      'an object with any members',
      { type: 'object' },
      '(value: { [member: string]: unknown }): Promise<{ [member: string]: JSONResult }>',
    ],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'number' } },
      '(value: { [member: string]: number }): Promise<{ [member: string]: number }>',
    ],
    [
      'an object without members',
      { type: 'object', properties: {}, additionalProperties: false },
      '(value: { [member: string]: never }): Promise<{ [member: string]: never }>',
    ],
    [
      'an object with further members',
      { properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: { type: 'number' } },
      '(value: { a: string; [member: string]: unknown }): Promise<{ a: string; [member: string]: unknown }>',
    ],
    [
      'an enumeration',
      { enum: ['a', "it's", -1, 1e21, true, null] },
      "(value: 'a' | 'it\\u0027s' | -1 | 1e+21 | true | null): Promise<'a' | 'it\\u0027s' | -1 | 1e+21 | true | null>",
    ],
    ['a constant', { const: 'a' }, "(value: 'a'): Promise<'a'>"],
    ['an enumeration of objects', { enum: [{}] }, '(value: unknown): Promise<JSONResult>'],
    [
      'all of several',
      { allOf: [{ properties: { a: {} } }, { anyOf: [{ properties: { b: {} } }, { type: 'null' }] }] },
      '(value: { a?: unknown } & ({ b?: unknown } | null)): Promise<{ a?: JSONResult } & ({ b?: JSONResult } | null)>',
    ],
    ['one of several', { oneOf: [{ type: 'string' }, {}] }, '(value: unknown): Promise<JSONResult>'],
    ['an unknown type', { type: 'file' }, '(value: unknown): Promise<JSONResult>'],
    ['a reference elsewhere', { $ref: 'http://x.test/a.json' }, '(value: unknown): Promise<JSONResult>'],
    ['a reference to nothing', { $ref: '#/nothing/%zz' }, '(value: unknown): Promise<JSONResult>'],
    ['a reference to a prototype', { $ref: '#/constructor/name' }, '(value: unknown): Promise<JSONResult>'],
    ['a list in place of a schema', [], '(value: unknown): Promise<JSONResult>'],
  ]
  for (const [what, schema, type] of schemas) {
    it(`converts a schema of ${what}`, () => {
      const [call = ''] = typesOf(documentOf(schema)).split('\n')
      assert.equal(call, type)
    })
  }

  const references: [what: string, definitions: object, declarations: string[]][] = [
    ['itself', { a: { $ref: '#/components/schemas/a' } }, ['export type A = JSONResult']],
    [
      'itself, in a union',
      { a: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/a' }] } },
      ['export type A = JSONResult'],
    ],
    [
      'itself, in an array',
      { a: { anyOf: [{ type: 'string' }, { items: { $ref: '#/components/schemas/a' } }] } },
      ['export type A = string | A[]'],
    ],
    [
      'itself, through another',
      { a: { $ref: '#/components/schemas/b' }, b: { allOf: [{ $ref: '#/components/schemas/a' }] } },
      ['export type A = B', 'export type B = JSONResult'],
    ],
    [
      'itself, as a member',
      { a: { type: 'object', additionalProperties: { $ref: '#/components/schemas/a' } } },
      ['export type A = { [member: string]: A }'],
    ],
  ]
  for (const [what, definitions, declarations] of references) {
    it(`breaks circles that TypeScript refuses: a type that refers to ${what}`, () => {
      const document = documentOf(
        { type: 'string' },
        { $ref: '#/components/schemas/a' },
        { schemas: definitions },
      )
      const types = generateServiceTypes(document).match(/^export type .*$/gm) ?? []
      assert.deepEqual(types, declarations)
    })
  }

  it('converts types that a long chain of references leads to', () => {
    const link = (i: number) => ({ properties: { next: { $ref: `#/components/schemas/s${i + 1}` } } })
    const chain = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`s${i}`, link(i)]))
    const schemas = { ...chain, s100: { type: 'string' } }
    const types = generateServiceTypes(documentOf({}, { $ref: '#/components/schemas/s0' }, { schemas }))
    assert.match(types, /^export type S99 = { next\?: S100 }$/m)
    assert.match(types, /^export type S100 = string$/m)
  })

  it('converts 20,000 types of the same name', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [`s${i}`, { a: { type: 'string' } }]),
    )
    const anyOf = Object.keys(schemas).map((name) => ({ $ref: `#/components/schemas/${name}/a` }))
    assert.match(
      generateServiceTypes(documentOf({}, { anyOf }, { schemas })),
      /^export type A20000 = string$/m,
    )
  })

  it('gives types with the same name different ones', () => {
    const document = documentOf(
      { anyOf: [{ $ref: '#/components/schemas/a' }, { $ref: '#/components/schemas/api' }] },
      { anyOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/a' }] },
      { schemas: { a: { type: 'string' }, A: { type: 'number' }, api: { type: 'boolean' } } },
    )
    assert.match(typesOf(document), /^\(value: AInput \| ApiInput\): Promise<A \| A2>/)
  })

  for (const [name, type] of [
    ['promise', 'Promise2'],
    ['jSONResult', 'JSONResult2'],
    ['api', 'Api2'],
    ['stock item', 'StockItem'],
  ] as const) {
    it(`gives a type called ${name} the name ${type}`, () => {
      const schemas = { [name]: { type: 'string' } }
      const document = documentOf({}, { $ref: `#/components/schemas/${name}` }, { schemas })
      assert.match(typesOf(document), new RegExp(`: Promise<${type}>\nexport type ${type} = string$`))
    })
  }

  const parameters: [name: string, identifier: string][] = [
    ['  -first name!', 'first_name'],
    ['a - b--', 'a_b'],
    ['2nd', '_2nd'],
    ['class', 'class_'],
    ['日本', 'p1'],
    ['__', 'p1'],
    ['x'.repeat(70), 'x'.repeat(60)],
  ]
  for (const [name, identifier] of parameters) {
    it(`calls the parameter ${JSON.stringify(name)} ${identifier}`, () => {
      const methods = [{ name: 'm', params: [{ name, required: true, schema: { type: 'string' } }] }]
      assert.match(typesOf({ openrpc: '1.3.2', methods }), new RegExp(`^\\(${identifier}: string\\)`))
    })
  }

  it('lists operations that are not called by POST, with and without parameters in their paths', () => {
    const types = generateServiceTypes({ openapi: '3.0.3', paths: { '/health': { get: {}, put: {} } } })
    assert.match(
      types,
      /\n\/\/ Not called by POST with a JSON object:\n\/\/ GET \/health\n\/\/ PUT \/health\n$/,
    )
  })

  for (const document of [undefined, null, 5, [], {}, { openapi: 3 }, { swagger: '2.0' }]) {
    it(`refuses ${JSON.stringify(document)}, which is no document`, () => {
      assert.throws(() => generateServiceTypes(document), /neither OpenRPC nor OpenAPI 3/)
    })
  }

  for (const name of ['', '1a', 'a b', 'class', 'JSONResult']) {
    it(`refuses ${JSON.stringify(name)} as the name of the interface`, () => {
      assert.throws(() => generateServiceTypes(stock, { name }), TypeError)
    })
  }

  for (const document of [
    { openrpc: '1', methods: 5 },
    {
      openrpc: '1',
      methods: [5, {}, { name: 5 }, { $ref: '#/methods/3' }, { name: 'a', params: 5, result: [] }],
    },
    { openrpc: '1', servers: [5] },
    { openapi: '3', paths: [] },
    {
      openapi: '3',
      paths: { '/a': 5, '/b': { post: 5 }, '/%zz': { post: {} }, '/c': { post: { responses: 5 } } },
    },
  ]) {
    it(`reads the broken document ${JSON.stringify(document)}`, () => {
      assert.match(generateServiceTypes(document), /^export interface Api \{/m)
    })
  }
})

describe('generated service types', () => {
  it('have no code of a hostile document', () => {
    const js = stripTypeScriptTypes(generateServiceTypes(hostile))
    assert.equal(js.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|export/g, '').trim(), '')
  })
})
