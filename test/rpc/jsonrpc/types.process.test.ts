import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { FrameworkApp, Mapper } from 'propylon'
import { callSignature, generateServiceTypes, JSONRPCClient, RPCController } from 'propylon/rpc'
import { generateTypes, introspect, XMLRPCClient } from 'propylon/xmlrpc'
import { z } from 'zod'

const article = z.object({ sku: z.string(), count: z.number().nullable() })
const state = z.enum(['open', 'closed'])

class StockController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json', 'openapi', 'openrpc']
  static override signatures = {
    stock_find: [callSignature('struct', 'string'), callSignature('struct', 'string', 'int')],
    stock_state: [callSignature(state)],
    stock_store: [callSignature('boolean', article)],
  }

  /**
   * Finds an article.
   *
   * @param sku its number
   * @param limit how many
   */
  stock_find(sku: string, limit = 5) {
    return { sku, limit, parts: [{ name: 'lamp' }] }
  }

  stock_state() {
    return 'open'
  }

  stock_store(stored: z.infer<typeof article>) {
    return stored.sku !== ''
  }
}

const map = new Mapper()
map.rpc('stock', '/stock')
const app = new FrameworkApp({ map, controllers: { stock: StockController } })
const options = { fetch: (url: string, init: RequestInit) => app.fetch(new Request(url, init)) }

async function documentAt(path: string): Promise<unknown> {
  return (await app.fetch(new Request(`http://test/stock/${path}`))).json()
}

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

describe('the types of a service', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(import.meta.dirname, 'generated-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('are the same from its OpenRPC and its OpenAPI document', async () => {
    const [openrpc, openapi] = await Promise.all([documentAt('openrpc.json'), documentAt('openapi.json')])
    const [first, ...types] = generateServiceTypes(openrpc).split('\n')
    assert.match(first ?? '', /OpenRPC/)
    assert.deepEqual(generateServiceTypes(openapi).split('\n').slice(1), types)
    const discovered = await new JSONRPCClient('http://test/stock', options).call('rpc.discover')
    assert.equal(generateServiceTypes(discovered), [first, ...types].join('\n'))
  })

  it('check the calls of the clients of both protocols', async () => {
    const methods = await introspect(new XMLRPCClient('http://test/stock', options))
    await writeFile(join(folder, 'xmlrpc.ts'), generateTypes(methods))
    await writeFile(join(folder, 'jsonrpc.ts'), generateServiceTypes(await documentAt('openrpc.json')))
    const use = (name: string, calls: string) => `
      export async function use${name}(client: ${name}Client<${name}>) {${calls}}
      import type { Api as ${name} } from './${name.toLowerCase()}.ts'
      import type { ${name}Client } from 'propylon/${name === 'XMLRPC' ? 'xmlrpc' : 'rpc'}'`
    await writeFile(join(folder, 'use.ts'), use('XMLRPC', CALLS) + use('JSONRPC', CALLS + SCHEMA_CALLS))
    const config = { extends: join(import.meta.dirname, '../../../tsconfig.json'), include: ['*.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
    await promisify(execFile)(tsc, ['--noEmit', '-p', folder])
  })
})
