import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Redis } from 'ioredis'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { cached, decorate, redisCache } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'
import { createClient } from 'redis'

const url = process.env.PROPYLON_TEST_REDIS
const skip = url === undefined && 'needs PROPYLON_TEST_REDIS'
const prefix = `test-${randomBytes(6).toString('hex')}:`

/** An application with a store of its own, as a process has it. */
function processWith(store: ReturnType<typeof redisCache>) {
  const state = { runs: 0, logged: [] as string[] }
  class PricesController extends WSGIController {
    index() {
      state.runs += 1
      return `run ${state.runs}`
    }
    bytes() {
      state.runs += 1
      return new Uint8Array([0, 255, state.runs])
    }
    varying() {
      state.runs += 1
      this.response.headers.set('Vary', 'Accept-Language')
      return `${this.request.header('accept-language')} ${state.runs}`
    }
    static {
      const decorators = [cached({ expires: 60, store, key: () => 'shared' })]
      decorate(this, {
        index: decorators,
        bytes: decorators,
        varying: decorators,
      })
    }
  }
  const app = new FrameworkApp({
    map: new Mapper().connect('/{action}/{id}', { controller: 'prices' }),
    controllers: { prices: PricesController },
    logger: { info() {}, warn() {}, error: (text) => void state.logged.push(text) },
  })
  return { client: new TestApp(app), state }
}

const clients = {
  async redis() {
    const client = await createClient({ url: url ?? '' })
      .on('error', () => {})
      .connect()
    return { client, close: () => client.destroy() }
  },
  async ioredis() {
    const client = new Redis(url ?? '')
    return { client, close: () => client.disconnect() }
  },
}

for (const [kind, open] of Object.entries(clients)) {
  describe(`redisCache() with a client of ${kind}`, { skip }, () => {
    const opened: Awaited<ReturnType<typeof open>>[] = []
    before(async () => {
      for (let n = 0; n < 2; n++) opened.push(await open())
    })
    after(() => {
      for (const { close } of opened) close()
    })

    /** Two processes that share what they cache. */
    const pair = () => {
      const shared = `${prefix}${randomBytes(4).toString('hex')}:`
      const stores = opened.map(({ client }) => redisCache(client, { prefix: shared }))
      const [one, two] = stores.map((store) => processWith(store))
      assert.ok(one && two)
      return { one, two }
    }

    it('shares a response, with its headers and its status', async () => {
      const { one, two } = pair()
      const first = await one.client.get('/index/1')
      const second = await two.client.get('/index/1')
      assert.deepEqual([second.text, second.contentType], ['run 1', first.contentType])
      assert.deepEqual([one.state.runs, two.state.runs], [1, 0])
    })

    it('keeps bytes as they are', async () => {
      const { one, two } = pair()
      await one.client.get('/bytes/1')
      assert.deepEqual([...(await two.client.get('/bytes/1')).body], [0, 255, 1])
    })

    it('stores a response for each value of the fields in Vary', async () => {
      const { one, two } = pair()
      const ask = ({ client }: typeof one, language: string) =>
        client.get('/varying/1', { headers: { 'accept-language': language } }).then(({ text }) => text)
      assert.equal(await ask(one, 'de'), 'de 1')
      assert.equal(await ask(two, 'en'), 'en 1')
      assert.equal(await ask(two, 'de'), 'de 1')
      assert.equal(await ask(one, 'en'), 'en 1')
    })

    it('does not store a response that is too large', async () => {
      const store = redisCache(opened[0]?.client ?? assert.fail(), { prefix: `${prefix}large:`, bytes: 100 })
      await store.set('a', { status: '200 OK', headers: [], body: 'x'.repeat(100) }, 60)
      assert.equal(await store.get('a'), undefined)
    })
  })
}

describe('redisCache()', () => {
  it('runs the action and logs the error if Redis fails', async () => {
    const fail = async () => {
      throw new Error('connect ECONNREFUSED')
    }
    const { client, state } = processWith(redisCache({ get: fail, set: fail, del: fail }))
    assert.equal((await client.get('/index/1')).text, 'run 1')
    assert.equal((await client.get('/index/1')).text, 'run 2')
    assert.match(state.logged.join(), /The action runs instead\.\n.*ECONNREFUSED/)
  })

  it('refuses what is no client', () => {
    // @ts-expect-error a URL is no client
    assert.throws(() => redisCache('redis://localhost'), /redisCache\(\) got .* without get, set, del/)
    assert.throws(() => redisCache({ get: async () => null, set: async () => null, del: async () => 0 }, { bytes: 0 }))
  })
})
