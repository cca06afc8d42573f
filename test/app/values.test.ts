/**
 * The property of described arguments: a value that the published schema accepts arrives at the action as it is, by the path, the
 * query, a tool, a resource and the generated client. Bodies are in described-values.test.ts.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type } from 'arktype'
import fc from 'fast-check'
import { type ArgumentDeclarations, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { bool, int, intBetween, isoDate, list, number, optional, slug, string, uuid } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'
import { z } from 'zod'
import { load } from '../rpc/client/generated.ts'

const schemas = {
  string,
  int,
  intBetween: intBetween(1, 9),
  number,
  bool,
  uuid,
  slug,
  isoDate,
  optionalString: optional(string),
  optionalInt: optional(int, 1),
  optionalUuid: optional(uuid),
  listOfStrings: list(string),
  listOfNumbers: list(number),
  listOfDates: list(isoDate),
  optionalListOfStrings: optional(list(string)),
  valibotText: v.string(),
  valibotPicklist: v.picklist(['a', 'b,c']),
  valibotEmail: optional(v.pipe(v.string(), v.email())),
  valibotNumber: v.number(),
  valibotNumbers: v.picklist([5, 0.5]),
  zodText: z.string(),
  zodNumber: z.coerce.number(),
  zodShort: list(z.string().max(3)),
  zodBoolean: z.coerce.boolean(),
  zodIntegers: list(z.int()),
  arkNumber: optional(type('number')),
  arkText: type('string'),
  arkShort: optional(type('string <= 3')),
}

const ajv = addFormats.default(new Ajv2020({ strict: false }))

/** Values of which each schema accepts some. */
const texts = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '..',
    'new',
    'a.json',
    'a,b',
    ',',
    '%2C',
    '+',
    ' ',
    'a&b=c',
    'a/../b',
    'a/./',
    '/a//b',
    '7;edit',
    'null',
    '5',
    '\0',
    'é',
    '\ufeff',
    '\ufeffa',
    '\r\n',
    'toString',
    '__proto__',
  ),
  fc.string({ unit: fc.constantFrom(...'aé漢😀 /\\%?#&=+;.:,@"<>'), maxLength: 6 }),
)
const values = fc.oneof(
  texts,
  fc.constantFrom(1e-7, 1e21, 0, 5, 0.5, true, false, null),
  fc.constantFrom(
    '2026-02-28',
    '2026-02-30',
    'urn:uuid:0190163d-8694-739b-aea5-966c26f8ad91',
    'tea-time',
    'a@b.example',
  ),
  fc.constantFrom('0190163d-8694-739b-aea5-966c26f8ad91', '0190163D-8694-739B-AEA5-966C26F8AD91'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(fc.oneof(texts, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant('2026-02-28')), {
    maxLength: 3,
  }),
)

/** Returns a value as JSON. Dates of `isoDate` have no time. */
function plain(value: unknown): unknown {
  const dates = (_: string, each: unknown) =>
    typeof each === 'string' ? each.replace(/^(\d{4}-\d\d-\d\d)T00:00:00.000Z$/, '$1') : each
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value), dates)
}

/** What the action received. Nothing if it did not run. */
let received: { readonly value: unknown } | undefined

function appOf(schema: (typeof schemas)[keyof typeof schemas]) {
  class ValuesController extends WSGIController {
    static args: ArgumentDeclarations = {
      query: { value: schema },
      path: { value: schema },
      rest: { value: schema },
      show: { id: schema },
    }
    static results = { query: v.any(), path: v.any(), rest: v.any(), show: v.any() }
    static tools = ['query', 'path', 'rest', 'show']
    static resources = ['query', 'path']
    query(value: unknown) {
      received = { value }
      return {}
    }
    path(value: unknown) {
      received = { value }
      return {}
    }
    rest(value: unknown) {
      received = { value }
      return {}
    }
    show(id: unknown) {
      received = { value: id }
      return {}
    }
  }
  return new FrameworkApp({
    map: new Mapper()
      .connect('/query', { controller: 'values', action: 'query' })
      .connect('/path/{value}', { controller: 'values', action: 'path' })
      .connect('/rest/{value:.*}', { controller: 'values', action: 'rest' })
      .resource('value', 'values'),
    controllers: { values: ValuesController },
    logger: { info() {}, warn() {}, error() {} },
    openapi: { title: 'Values', version: '1' },
    mcp: {},
  })
}

const encode = (value: unknown) => [value].flat().map((each) => encodeURIComponent(String(each)))

/** Returns the parts of a URL by simple and by form expansion with and without `explode` (RFC 6570). */
const simple = (value: unknown) => encode(value).join(',')
const exploded = (value: unknown) =>
  encode(value)
    .map((each) => `value=${each}`)
    .join('&')

describe('a value that a published schema accepts', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    it(`arrives as it is: ${name}`, async () => {
      const app = appOf(schema)
      const client = new TestApp(app)
      const document = await app.openapi()
      const { paths } = JSON.parse(JSON.stringify(document))
      const { createClient } = await load(document)
      const api = Object(
        createClient({
          baseUrl: 'http://localhost',
          fetch: (url, init) => app.fetch(new Request(url, init)),
        }),
      )
      const call = (method: string, params: object) =>
        client.postJson('/mcp', { jsonrpc: '2.0', id: 1, method, params })
      const tools = Object((await call('tools/list', {})).json()).result.tools
      const parameter = (path: string) => ajv.compile(paths[path].get.parameters[0].schema)
      const argument = (tool: string, argument: string) =>
        ajv.compile(tools.find((each: { name: string }) => each.name === tool).inputSchema.properties[argument])
      const get = (path: string) =>
        client.get(path, { headers: { Accept: 'application/json' }, status: [200, 400, 404] })
      const read = (path: string) => call('resources/read', { uri: `http://localhost${path}` })
      const use = (tool: string, args: object) => call('tools/call', { name: `values_${tool}`, arguments: args })
      const [inPath, inMember, inQuery] = ['/path/{value}', '/values/{id}', '/query'].map(parameter)
      const ways: [way: string, accepts: ValidateFunction | undefined, send: (value: unknown) => Promise<unknown>][] = [
        ['path', inPath, (value) => get(`/path/${simple(value)}`)],
        ['member', inMember, (value) => get(`/values/${simple(value)}`)],
        ['query', inQuery, (value) => get(`/query?${exploded(value)}`)],
        ['resource', inPath, (value) => read(`/path/${simple(value)}`)],
        ['resource with a query', inQuery, (value) => read(`/query?value=${simple(value)}`)],
        ['client, path', inPath, (value) => api.values.path({ value })],
        ['client, member', inMember, (value) => api.values.show({ id: value })],
        ['client, query', inQuery, (value) => api.values.query({ value })],
        ['tool, path', argument('values_path', 'value'), (value) => use('path', { value })],
        ['tool, rest of the path', argument('values_rest', 'value'), (value) => use('rest', { value })],
        ['tool, member', argument('values_show', 'id'), (value) => use('show', { id: value })],
        ['tool, query', argument('values_query', 'value'), (value) => use('query', { value })],
      ]
      await fc.assert(
        fc.asyncProperty(values, async (value) => {
          for (const [way, accepts, send] of ways) {
            if (accepts?.(value) !== true) continue
            received = undefined
            const answer = await send(value).catch((error: unknown) => error)
            const what = `${way}: ${Object(answer).text ?? String(answer)}`
            assert.deepEqual(received && plain(Object(received).value), plain(Object.is(value, -0) ? 0 : value), what)
          }
        }),
        { numRuns: 150 },
      )
    })
  }
})

describe('a list in a path', () => {
  class TagsController extends WSGIController {
    static args = { show: { some: list(string), others: optional(list(string)) } }
    show(some: readonly string[], others?: readonly string[]) {
      return { some, others }
    }
  }
  const inner = new FrameworkApp({
    map: new Mapper().connect('/of/{some}', { controller: 'tags', action: 'show' }),
    controllers: { tags: TagsController },
  })
  const client = new TestApp(
    new FrameworkApp({
      map: new Mapper()
        .connect('/{some}/and/{others}', { controller: 'tags', action: 'show' })
        .connect('/{some}/by/{name}', { controller: 'tags', action: 'show' })
        .connect('/{some}/in/{path_info:.*}', { controller: 'tags', action: 'show' })
        .connect('/app/{some}/{path_info:.*}', { controller: 'mounted' }),
      controllers: { tags: TagsController, mounted: inner },
    }),
  )
  for (const [path, some, others] of [
    ['/a%2Cb/and/a,b', ['a,b'], ['a', 'b']],
    ['/a,b/and/a%2Cb', ['a', 'b'], ['a,b']],
    ['/a%2cb,%C3%A9%2F,/by/xa,b', ['a,b', 'é/', '']],
    ['/a%2Cb/in/the/mount', ['a,b']],
    ['/app/a%2Cb/of/a,b', ['a', 'b']],
    ['/app/a,b/of/a%2Cb', ['a,b']],
  ] as const) {
    it(`is split at the commas that are not encoded: ${path}`, async () => {
      const response = await client.get(path)
      assert.deepEqual(JSON.parse(response.text), { some, ...(others && { others }) })
    })
  }
})
