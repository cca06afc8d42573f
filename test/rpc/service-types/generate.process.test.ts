import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { generateServiceTypes } from 'propylon/rpc'
import { anySchema } from './any-schema.ts'
import { api, hostile, stock } from './documents.ts'

describe('generated service types', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(import.meta.dirname, 'generated-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('compile, and check the calls of a client', async () => {
    const use = `
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
      }`
    await writeFile(join(folder, 'stock.ts'), generateServiceTypes(stock, { name: 'Stock' }))
    await writeFile(join(folder, 'api.ts'), generateServiceTypes(api))
    await writeFile(join(folder, 'hostile.ts'), generateServiceTypes(hostile))
    await writeFile(join(folder, 'use.ts'), use)
    await compile(folder)
  })

  it('compile for any schemas', async () => {
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
    await writeFile(join(folder, 'any.ts'), generateServiceTypes(document))
    await compile(folder)
  })
})

async function compile(folder: string): Promise<void> {
  const config = { extends: join(import.meta.dirname, '../../../tsconfig.json'), include: ['*.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
  await promisify(execFile)(tsc, ['--noEmit', '-p', folder])
}
