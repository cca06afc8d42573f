import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Returns the diagnostics of the compiler for a program. */
async function compile(directory: string, program: string): Promise<string> {
  await writeFile(join(directory, 'program.ts'), program)
  const config = { extends: '../../../../tsconfig.json', include: ['program.ts'] }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
  try {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, '--noEmit', '-p', directory], { encoding: 'utf8' })
    return ''
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  }
}

describe('the compiler', () => {
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(ROOT, 'test/http/sessions/.types-'))
  })
  after(() => rm(directory, { recursive: true }))

  for (const entry of ['propylon', 'propylon/sessions']) {
    it(`checks the values that SessionData of '${entry}' declares`, async () => {
      const program = `import { WSGIController } from 'propylon'
import { authenticationToken } from 'propylon/decorators'
import type {} from '${entry}'
interface Cart { readonly items: readonly string[] }
declare module '${entry}' {
  interface SessionData {
    user: string
    cart: Cart
  }
}
export class HomeController extends WSGIController {
  index() {
    const user: string | undefined = this.session.get('user')
    const cart: Cart | undefined = this.session.get('cart')
    this.session.set('user', 'ann').set('cart', { items: [] }).flash('notice', 'free')
    // @ts-expect-error misspelt
    this.session.get('usr')
    // @ts-expect-error another type
    this.session.set('user', 1)
    // @ts-expect-error misspelt
    this.session.delete('usr')
    return [user, cart, authenticationToken(this.session), this.session.get('_authentication_token')]
  }
}
`
      assert.equal(await compile(directory, program), '')
    })
  }

  it('allows every name and every JSON value if nothing is declared', async () => {
    const program = `import type { Session, SessionValue } from 'propylon'
export function use(session: Session): SessionValue | undefined {
  // @ts-expect-error not JSON
  session.set('born', new Date())
  // @ts-expect-error not JSON
  session.set('nick', undefined)
  return session.set('list', [1, { a: null }]).get('anything')
}
`
    assert.equal(await compile(directory, program), '')
  })

  it('accepts clients of redis, ioredis and Kysely of any type', async () => {
    const program = `import { Cluster, Redis } from 'ioredis'
import type { Kysely, Transaction } from 'kysely'
import { kyselyStore, redisStore } from 'propylon/sessions'
import { createClient, createClientPool, createCluster } from 'redis'
interface Tables { pages: { title: string; count: number } }
export const stores = [
  redisStore(createClient()),
  redisStore(createClientPool()),
  redisStore(createCluster({ rootNodes: [] })),
  redisStore(new Redis()),
  redisStore(new Cluster([])),
]
export const ofDatabase = (db: Kysely<Tables>, empty: Kysely<object>, transaction: Transaction<Tables>) => [
  kyselyStore(db),
  kyselyStore(empty),
  kyselyStore(transaction),
]
// @ts-expect-error no client
redisStore(new Map<string, string>())
// @ts-expect-error no database
kyselyStore({})
`
    assert.equal(await compile(directory, program), '')
  })
})
