/** Writes modules that the framework generates, and others that use them. */
import { join } from 'node:path'
import fc from 'fast-check'
import { generateServiceTypes } from 'propylon/rpc'
import { generateTypes, introspect, XMLRPCClient } from 'propylon/xmlrpc'
import { ROOT } from '../docs/blocks.ts'
import { write } from '../docs/layout.ts'
import { documentAt, options } from '../rpc/jsonrpc/stock-service.ts'
import { anySchema } from '../rpc/service-types/any-schema.ts'
import { api, hostile, stock } from '../rpc/service-types/documents.ts'
import { hostile as hostileMethods, methods } from '../rpc/xmlrpc/methods.ts'

const XMLRPC_USE = `
  import { DateTime, double, type Value, XMLRPCClient } from 'propylon/xmlrpc'
  import type { Api } from './api.ts'
  import type { Hostile } from './hostile.ts'
  const client = new XMLRPCClient<Api>('http://x.test/')
  const other = new XMLRPCClient<Hostile>('http://x.test/')
  export async function use(date: DateTime) {
    const name: string = await client.test.battingOrder(4)
    const truth: boolean = await client.test()
    await client.test.greet('a')
    await client.test.greet('a', 'b')
    const n: number = await client.scale(double(2), new Uint8Array(), date, { a: 1 }, 5n)
    await client.any(1, 'a', [null])
    await client['odd type']({})
    const processes = await client.list()
    const first: unknown = processes[0]?.name
    const state = (await client.state()).state
    const text: string = typeof state === 'string' ? state : ''
    const day: number = state instanceof DateTime ? state.day : 0
    const result = await client.any()
    const deep: unknown = result?.a?.[0]?.b?.length
    for (const each of Array.isArray(result) ? result : []) if (each === 'x' || each === 5) await client.any(each)
    const value: Value = result
    await client.any(result, processes, await client.state())
    // @ts-expect-error the result may be nil
    result.name
    // @ts-expect-error a member of an unknown type is not text
    const wrong: string = processes[0]?.name
    // @ts-expect-error a member of an unknown type has no methods
    state.trim()
    // @ts-expect-error an unknown result is not a number
    result + 1
    // @ts-expect-error an unknown result is not an array
    for (const each of result) each
    // @ts-expect-error a plain 2 would go out as an int
    await client.scale(2, new Uint8Array(), date, {}, 5n)
    // @ts-expect-error the position is a number
    await client.test.battingOrder('4')
    // @ts-expect-error there is no signature with three parameters
    await client.test.greet('a', 'b', 'c')
    // @ts-expect-error there is no such method
    await client.test.nothing()
    await other.über.größe('a')
    return [name, truth, n, first, text, day, deep, value, wrong]
  }
`

const SERVICE_USE = `
  import type { Api } from './api.ts'
  import type { Stock } from './stock.ts'
  import type { JSONRPCClient } from 'propylon/rpc'
  export async function use(stock: JSONRPCClient<Stock>, api: JSONRPCClient<Api>) {
    const article = await stock.stock.find('x')
    const sku: string = article.sku
    const part: string | undefined = article.parts?.[0]?.sku
    const any = await stock.stock.any()
    const name = any?.articles?.[0]?.name
    const text: string = typeof name === 'string' ? name : ''
    const n: number = await api.stock.find('x', 5)
    // @ts-expect-error a member of an unknown type is not text
    const wrong: string = any?.name
    // @ts-expect-error the number is text
    await stock.stock.find(5)
    // @ts-expect-error the number is required
    await api.stock.find()
    // @ts-expect-error there is no such method
    await stock.stock.nothing()
    return [sku, part, text, n, wrong]
  }
`

/** Calls that the types of every face allow. */
const CALLS = `
  const found = await client.stock.find('A1')
  const sku: unknown = found.sku
  await client.stock.find('A1', 5)
  // @ts-expect-error the number of an article is text
  await client.stock.find(5)
  // @ts-expect-error there is no such method
  await client.stock.nothing()
  console.log(sku)
`

/** Calls that need the types of the schemas. */
const SCHEMA_CALLS = `
  const state: 'open' | 'closed' = await client.stock.state()
  const stored: boolean = await client.stock.store({ sku: 'A1', count: null })
  // @ts-expect-error the count is missing
  await client.stock.store({ sku: 'A1' })
  console.log(state, stored)
`

/** Writes the types of methods that introspection describes. */
export function writeMethods(folder: string): void {
  write(folder, 'api.ts', generateTypes(methods, { module: join(ROOT, 'src/rpc/xmlrpc/index.ts') }))
  write(folder, 'hostile.ts', generateTypes(hostileMethods, { name: 'Hostile' }))
  write(folder, 'use.ts', XMLRPC_USE)
}

/** Writes the types of documents. */
export function writeDocuments(folder: string): void {
  write(folder, 'stock.ts', generateServiceTypes(stock, { name: 'Stock' }))
  write(folder, 'api.ts', generateServiceTypes(api))
  write(folder, 'hostile.ts', generateServiceTypes(hostile))
  write(folder, 'use.ts', SERVICE_USE)
}

/** Writes the types of a document with random schemas. */
export function writeSchemas(folder: string): void {
  const samples = fc.sample(anySchema, { numRuns: 300, seed: 5 })
  const document = {
    openrpc: '1',
    methods: samples.map((schema, i) => ({
      name: `m.${i}`,
      params: [{ name: 'value', schema }],
      result: { name: 'result', schema },
    })),
    components: { schemas: Object.fromEntries(samples.map((schema, i) => [`s${i}`, schema])) },
  }
  write(folder, 'any.ts', generateServiceTypes(document))
}

/** Writes the types of one service for the clients of both protocols. */
export async function writeService(folder: string): Promise<void> {
  const methods = await introspect(new XMLRPCClient('http://test/stock', options))
  write(folder, 'xmlrpc.ts', generateTypes(methods))
  write(folder, 'jsonrpc.ts', generateServiceTypes(await documentAt('openapi.json')))
  const use = (name: string, calls: string) => `
    export async function use${name}(client: ${name}Client<${name}>) {${calls}}
    import type { Api as ${name} } from './${name.toLowerCase()}.ts'
    import type { ${name}Client } from 'propylon/${name === 'XMLRPC' ? 'xmlrpc' : 'rpc'}'`
  write(folder, 'use.ts', use('XMLRPC', CALLS) + use('JSONRPC', CALLS + SCHEMA_CALLS))
}

/** Writes a mapper of a thousand routes and resources. */
export function writeRoutes(folder: string): void {
  const numbers = Array.from({ length: 500 }, (_, index) => index)
  write(
    folder,
    'routes.ts',
    `import { Mapper } from 'propylon/routing'
const map = new Mapper()
${numbers.map((n) => `  .connect('route${n}', '/s${n}/{id:\\\\d{1,9}}{.format}', { controller: 'x', action: 'y' })`).join('\n')}
${numbers.map((n) => `  .resource('item${n}', 'items${n}', { member: { mark: 'POST' } })`).join('\n')}
map.url('route0', { id: 1 }) + map.url('mark_item499', { id: 1 })
// @ts-expect-error the id is missing
map.url('edit_item0')
`,
  )
}
