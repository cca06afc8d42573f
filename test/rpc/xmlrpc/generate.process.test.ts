import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { generateTypes } from 'propylon/xmlrpc'
import { hostile, methods } from './methods.ts'

describe('generateTypes', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(import.meta.dirname, 'generated-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('generates types that compile and that check the calls of a client', async () => {
    const use = `
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
      }`
    const source = join(import.meta.dirname, '../../../src/rpc/xmlrpc/index.ts')
    const options = { module: source }
    await writeFile(join(folder, 'api.ts'), generateTypes(methods, options))
    await writeFile(join(folder, 'hostile.ts'), generateTypes(hostile, { ...options, name: 'Hostile' }))
    await writeFile(join(folder, 'use.ts'), use)
    const config = { extends: join(import.meta.dirname, '../../../tsconfig.json'), include: ['*.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
    await promisify(execFile)(tsc, ['--noEmit', '-p', folder])
  })
})
