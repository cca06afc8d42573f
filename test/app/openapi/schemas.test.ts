import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import * as v from 'valibot'
import { z } from 'zod'
import { type Document, documentOf, Mapper, operationIn } from './documents.ts'

/** Returns a document of actions with these results. */
async function documentWith(results: Readonly<Record<string, StandardSchemaV1>>): Promise<Document> {
  class ThingsController extends WSGIController {
    static results: Readonly<Record<string, StandardSchemaV1>> = results
  }
  const map = new Mapper()
  for (const name of Object.keys(results)) {
    Object.defineProperty(ThingsController.prototype, name, { value: () => ({}) })
    map.connect(`/${name}`, { controller: 'things', action: name })
  }
  return documentOf(map, { things: ThingsController })
}

function resultOf(document: Document, action: string): unknown {
  const { content } = operationIn(document, `things_${action}`).responses[200] ?? {}
  return Object(content)['application/json'].schema
}

/** Returns the names of the components without the problem document. */
function namesIn(document: Document): string[] {
  return Object.keys(document.components.schemas).filter((name) => name !== 'Problem')
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

interface Tree {
  name: string
  children: Tree[]
}

describe('the schemas of a document', () => {
  it('are components if they are objects with a title', async () => {
    const document = await documentWith({
      one: v.pipe(v.object({ a: v.string() }), v.title('First thing')),
      two: z.object({ b: z.object({ c: z.int() }).meta({ title: 'Inner' }) }),
    })
    assert.deepEqual(namesIn(document), ['FirstThing', 'Inner'])
    assert.deepEqual(resultOf(document, 'one'), reference('FirstThing'))
    assert.deepEqual(Object(resultOf(document, 'two')).properties.b, reference('Inner'))
  })

  it('are components if they are objects that are used twice', async () => {
    const address = z.object({ city: z.string() })
    const document = await documentWith({
      one: z.object({ home: address, work: address }),
      two: z.object({ name: z.string() }),
      three: z.array(z.object({ name: z.string() })),
    })
    assert.deepEqual(namesIn(document), ['ThingsOneHome', 'ThingsTwo'])
    assert.deepEqual(Object(resultOf(document, 'one')).properties, {
      home: reference('ThingsOneHome'),
      work: reference('ThingsOneHome'),
    })
    assert.deepEqual(resultOf(document, 'three'), { type: 'array', items: reference('ThingsTwo') })
  })

  it('stay in place if a component that has them is used twice', async () => {
    const outer = z.object({ inner: z.object({ a: z.string() }) })
    const document = await documentWith({ one: outer, two: outer })
    assert.deepEqual(namesIn(document), ['ThingsOne'])
  })

  it('share a component if they are equal, also of several libraries', async () => {
    const document = await documentWith({
      one: v.pipe(v.strictObject({ a: v.string() }), v.title('Same')),
      two: z.object({ a: z.string() }).meta({ title: 'Same' }),
    })
    assert.deepEqual(namesIn(document), ['Same'])
  })

  it('have unique names', async () => {
    const document = await documentWith({
      one: z.object({ a: z.string() }).meta({ title: 'Same' }),
      two: z.object({ b: z.string() }).meta({ title: 'Same' }),
      three: z.object({ c: z.string() }).meta({ title: 'Problem' }),
    })
    assert.deepEqual(namesIn(document), ['Problem2', 'Same', 'Same2'])
  })

  const zodTree: z.ZodType<Tree> = z.object({
    name: z.string(),
    get children() {
      return z.array(zodTree)
    },
  })
  const valibotTree: v.GenericSchema<Tree> = v.object({
    name: v.string(),
    children: v.array(v.lazy(() => valibotTree)),
  })
  const named: z.ZodType<Tree> = z
    .object({
      name: z.string(),
      get children() {
        return z.array(named)
      },
    })
    .meta({ id: 'TreeOfZod' })
  const trees: [string, StandardSchemaV1, string[]][] = [
    ['Zod', zodTree, ['ThingsOne']],
    ['Valibot', valibotTree, ['ThingsOne']],
    ['Zod, with an identifier', named, ['TreeOfZod']],
    ['Zod, in another schema', z.object({ tree: named, more: z.array(named) }), ['TreeOfZod']],
  ]
  for (const [what, schema, names] of trees) {
    it(`can be recursive: ${what}`, async () => {
      const document = await documentWith({ one: schema, two: schema })
      const others = namesIn(document).filter((name) => name !== 'ThingsOne' || names.includes(name))
      assert.deepEqual(others, names)
      const ajv = new Ajv2020({ strict: false, validateFormats: false })
      ajv.addSchema({ ...document, $id: 'https://document.example/' })
      const check = ajv.getSchema(`https://document.example/#/components/schemas/${names[0]}`)
      assert.ok(check?.({ name: 'a', children: [{ name: 'b', children: [] }] }))
      assert.ok(!check?.({ name: 'a', children: [{}] }))
    })
  }

  const texts: [StandardSchemaV1, boolean][] = [
    [v.string(), true],
    [v.nullable(v.string()), true],
    [z.union([z.number(), z.enum(['all', 'none'])]), true],
    [v.picklist([1, 2]), false],
    [v.array(v.string()), false],
    [v.object({ a: v.string() }), false],
  ]
  for (const [index, [schema, allowsText]] of texts.entries()) {
    it(`are of HTML too if text fits them: ${index}`, async () => {
      const responses = operationIn(await documentWith({ one: schema }), 'things_one').responses
      assert.deepEqual(
        Object.keys(Object(responses[200]).content),
        allowsText ? ['application/json', 'text/html'] : ['application/json'],
      )
    })
  }

  it('have items if they are arrays', async () => {
    const document = await documentWith({ one: v.looseTuple([]) })
    assert.deepEqual(Object(resultOf(document, 'one')).items, {})
  })

  it('are those of hand-written schemas if these have a converter', async () => {
    const plain: StandardSchemaV1 = {
      '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) },
    }
    const jsonSchema = { input: () => ({}), output: () => ({ type: 'string', minLength: 1 }) }
    const described: StandardSchemaV1 = { '~standard': { ...plain['~standard'], ...{ jsonSchema } } }
    const document = await documentWith({ one: plain, two: described })
    assert.deepEqual(resultOf(document, 'one'), {})
    assert.deepEqual(resultOf(document, 'two'), { type: 'string', minLength: 1 })
  })

  it('describe the values that are sent', async () => {
    const text = v.pipe(v.string(), v.trim(), v.minLength(2))
    const document = await documentWith({
      one: z.object({ at: z.date(), big: z.bigint() }),
      two: v.object({
        at: v.date(),
        length: v.pipe(
          v.string(),
          v.transform((value) => value.length),
        ),
        text,
        count: v.pipe(v.string(), v.toNumber(), v.integer()),
        day: v.pipe(v.string(), v.toDate()),
      }),
    })
    const date = { type: 'string', format: 'date-time' }
    assert.deepEqual(Object(resultOf(document, 'one')).properties, { at: date, big: {} })
    assert.deepEqual(Object(resultOf(document, 'two')).properties, {
      at: date,
      length: {},
      text: { type: 'string', minLength: 2 },
      count: { type: 'integer' },
      day: date,
    })
  })

  it('have every member that a default supplies', async () => {
    const document = await documentWith({
      one: z.object({ days: z.number().default(14), note: z.string().optional() }),
      two: v.object({
        days: v.optional(v.number(), 14),
        hours: v.pipe(v.nullish(v.number(), null), v.title('Hours')),
        note: v.optional(v.string()),
      }),
    })
    assert.deepEqual(Object(resultOf(document, 'one')).required, ['days'])
    assert.deepEqual(Object(resultOf(document, 'two')).required, ['days', 'hours'])
  })
})

describe('the body of a recursive schema', () => {
  interface Node {
    name: string
    next?: Node | undefined
    tags?: string[] | undefined
  }
  const zodTree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.lazy(() => z.array(zodTree)) })
  const valibotTree: v.GenericSchema<Tree> = v.object({
    name: v.string(),
    children: v.array(v.lazy(() => valibotTree)),
  })
  const zodNode: z.ZodType<Node> = z.object({
    name: z.string(),
    get next() {
      return zodNode.optional()
    },
    tags: z.array(z.string()).optional(),
  })
  const valibotNode: v.GenericSchema<Node> = v.object({
    name: v.string(),
    next: v.optional(v.lazy(() => valibotNode)),
    tags: v.optional(v.array(v.string())),
  })
  const endless: z.ZodType<unknown> = z.lazy(() => z.union([endless, z.array(endless)]))

  async function contentOf(schema: StandardSchemaV1): Promise<Record<string, { schema: unknown }>> {
    class TreesController extends WSGIController {
      static args = { create: { tree: body(schema) } }
      static results = { create: v.any() }
      create(tree: unknown) {
        return { tree }
      }
    }
    const map = new Mapper().connect('/trees', {
      controller: 'trees',
      action: 'create',
      conditions: { method: ['POST'] },
    })
    const document = await documentOf(map, { trees: TreesController })
    return { ...operationIn(document, 'trees_create').requestBody?.content }
  }

  const trees: [string, StandardSchemaV1][] = [
    ['z.lazy', zodTree],
    ['z.lazy with a title', zodTree.meta({ title: 'Tree' })],
    ['v.lazy', valibotTree],
    ['v.lazy with a title', v.pipe(valibotTree, v.title('Tree'))],
    ['z.lazy of alternatives', z.union([zodTree, z.object({ trees: z.array(zodTree) })])],
    ['z.lazy without an end', endless],
  ]
  for (const [kind, schema] of trees) {
    it(`is JSON only if a required field takes no text: ${kind}`, async () => {
      assert.deepEqual(Object.keys(await contentOf(schema)), ['application/json'])
    })
  }

  for (const [kind, schema] of [
    ['zod', zodNode],
    ['valibot', valibotNode],
  ] as const) {
    it(`is a form without the fields that take no text: ${kind}`, async () => {
      const content = await contentOf(schema)
      assert.deepEqual(Object.keys(content), ['application/json', 'application/x-www-form-urlencoded'])
      const form = Object(content['application/x-www-form-urlencoded']?.schema)
      assert.deepEqual(Object.keys(form.properties), ['name', 'tags'])
    })
  }
})
