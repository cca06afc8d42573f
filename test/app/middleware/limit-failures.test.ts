import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { Redis } from 'ioredis'
import { abort, FrameworkApp, HTTPTooManyRequests, Mapper, WSGIController } from 'propylon'
import {
  basicAuth,
  clientAddress,
  type FailureCounter,
  type FailureLimitOptions,
  limitFailures,
} from 'propylon/middleware'
import { TestApp } from 'propylon/testing'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { createClient } from 'redis'
import { Connection, serving } from '../../wsgi/node/raw.ts'

const fails = () => undefined
const succeeds = () => 'joe'

/** Returns the results of attempts one after the other: what the check returned, or the status that refused it. */
async function attempts(
  attempt: (check: () => string | undefined) => Promise<string | undefined>,
  ...checks: (() => string | undefined)[]
): Promise<(string | number | undefined)[]> {
  const results = []
  for (const check of checks) results.push(await attempt(check).catch(statusOf))
  return results
}

function statusOf(error: unknown): number {
  if (error instanceof HTTPTooManyRequests) return error.status
  throw error
}

/** Replaces the monotonic clock by one that the test advances. */
function clock(t: TestContext) {
  let seconds = 1000
  t.mock.method(performance, 'now', () => seconds * 1000)
  return (more: number) => {
    seconds += more
  }
}

describe('limitFailures', () => {
  it('refuses all attempts after too many failures, successful ones too', async () => {
    const failures = limitFailures({ max: 2, window: 60 })
    const results = await attempts(
      (check) => failures.attempt({ name: 'joe' }, check),
      ...[fails, succeeds, succeeds, succeeds, fails, succeeds],
    )
    assert.deepEqual(results, [undefined, 'joe', 'joe', 'joe', undefined, 429])
  })

  it('does not run the check of a refused attempt', async () => {
    const failures = limitFailures({ max: 1, window: 60 })
    await failures.attempt({ name: 'joe' }, fails)
    let runs = 0
    await assert.rejects(
      failures.attempt({ name: 'joe' }, () => {
        runs += 1
      }),
      HTTPTooManyRequests,
    )
    assert.equal(runs, 0)
  })

  it('refuses an attempt if one of its values has too many failures', async () => {
    const failures = limitFailures({ max: 1, window: 60 })
    await failures.attempt({ name: 'joe', address: '10.0.0.1' }, fails)
    const keys = [
      { name: 'joe', address: '10.0.0.2' },
      { name: 'ann', address: '10.0.0.1' },
      { name: 'ann', address: '10.0.0.2' },
    ]
    const results = await Promise.all(keys.map((key) => failures.attempt(key, succeeds).catch(statusOf)))
    assert.deepEqual(results, [429, 429, 'joe'])
  })

  it('counts the kinds of values apart', async () => {
    const failures = limitFailures({ max: 1, window: 60 })
    await failures.attempt({ name: '10.0.0.1' }, fails)
    assert.equal(await failures.attempt({ address: '10.0.0.1' }, succeeds), 'joe')
  })

  it('counts long values apart', async () => {
    const failures = limitFailures({ max: 1, window: 60 })
    await failures.attempt({ name: `${'x'.repeat(1000)}1` }, fails)
    assert.equal(await failures.attempt({ name: `${'x'.repeat(1000)}2` }, succeeds), 'joe')
  })

  it('begins a new window after the old one', async (t) => {
    const pass = clock(t)
    const failures = limitFailures({ max: 1, window: 60 })
    await failures.attempt({ name: 'joe' }, fails)
    pass(59.5)
    const refused = await failures.attempt({ name: 'joe' }, succeeds).catch((error) => error)
    assert.equal(refused.headers.get('retry-after'), '1')
    pass(0.5)
    assert.equal(await failures.attempt({ name: 'joe' }, succeeds), 'joe')
  })

  it('gives the longest time to wait', async (t) => {
    const pass = clock(t)
    const failures = limitFailures({ max: 1, window: 60 })
    await failures.attempt({ name: 'joe' }, fails)
    pass(20)
    await failures.attempt({ address: '10.0.0.1' }, fails)
    const keys = { name: 'joe', address: '10.0.0.1' }
    const refused = await failures.attempt(keys, succeeds).catch((error) => error)
    assert.equal(refused.headers.get('retry-after'), '60')
  })

  const results: [title: string, check: () => unknown, isFailure: boolean][] = [
    ['undefined', () => undefined, true],
    ['null', () => Promise.resolve(null), true],
    ['false', () => Promise.resolve(false), true],
    ['an exception 401', () => abort(401), true],
    ['an exception 400', async () => abort(400), true],
    ['true', () => true, false],
    ['an object', () => ({}), false],
    ['0', () => 0, false],
    ['an exception 503', () => abort(503), false],
    ['an error', () => Promise.reject(new Error('no database')), false],
  ]
  for (const [title, check, isFailure] of results) {
    it(`counts ${title} as ${isFailure ? 'a failure' : 'none'}`, async () => {
      const failures = limitFailures({ max: 1, window: 60 })
      await failures.attempt({ name: 'joe' }, check).catch(() => {})
      const next = await failures.attempt({ name: 'joe' }, succeeds).catch(statusOf)
      assert.equal(next, isFailure ? 429 : 'joe')
    })
  }

  it('allows parallel requests no more failures', async () => {
    const failures = limitFailures({ max: 3, window: 60 })
    let runs = 0
    const check = async () => {
      runs += 1
      await new Promise(setImmediate)
      return false
    }
    const all = Array.from({ length: 50 }, (_, at) =>
      failures.attempt({ name: 'joe', address: `10.0.0.${at}` }, check).catch(statusOf),
    )
    const statuses = await Promise.all(all)
    assert.equal(runs, 3)
    assert.deepEqual(statuses, [false, false, false, ...Array(47).fill(429)])
  })

  it('lets parallel requests succeed, however many', async () => {
    const failures = limitFailures({ max: 2, window: 60 })
    let running = 0
    const check = async () => {
      running += 1
      assert.ok(running <= 2)
      await new Promise(setImmediate)
      running -= 1
      return true
    }
    const all = Array.from({ length: 50 }, (_, at) =>
      failures.attempt({ name: `user ${at % 3}`, address: '10.0.0.1' }, check),
    )
    assert.deepEqual(new Set(await Promise.all(all)), new Set([true]))
  })

  it('does not let an attempt for one value hold up those for another', async () => {
    const failures = limitFailures({ max: 1, window: 60 })
    const slow = Promise.withResolvers<true>()
    const held = failures.attempt({ name: 'joe', address: '10.0.0.1' }, () => slow.promise)
    const quick = Promise.withResolvers<true>()
    const first = failures.attempt({ name: 'ann', address: '10.0.0.2' }, () => quick.promise)
    // Waits for ann first, then for joe.
    const both = failures.attempt({ name: 'ann', address: '10.0.0.1' }, succeeds)
    const last = failures.attempt({ name: 'ann', address: '10.0.0.3' }, succeeds)
    quick.resolve(true)
    assert.deepEqual(await Promise.all([first, last]), [true, 'joe'])
    slow.resolve(true)
    assert.deepEqual(await Promise.all([held, both]), [true, 'joe'])
  })

  it('lets 50 attempts wait for a value, and refuses further ones', async () => {
    const failures = limitFailures({ max: 10, window: 60 })
    const gate = Promise.withResolvers<true>()
    const all = Array.from({ length: 60 }, (_, at) =>
      failures.attempt({ name: `user ${at}`, address: '10.0.0.1' }, () => gate.promise),
    )
    await new Promise(setImmediate)
    const more = failures.attempt({ name: 'joe', address: '10.0.0.1' }, succeeds)
    const refused = await more.catch((error) => error)
    assert.equal(statusOf(refused), 429)
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.equal(await failures.attempt({ name: 'joe', address: '10.0.0.2' }, succeeds), 'joe')
    gate.resolve(true)
    assert.deepEqual(new Set(await Promise.all(all)), new Set([true]))
    assert.equal(await failures.attempt({ name: 'joe', address: '10.0.0.1' }, succeeds), 'joe')
  })

  it('ends the wait of an attempt whose client leaves, and lets the others run', async () => {
    const failures = limitFailures({ max: 1, window: 60 })
    const gate = Promise.withResolvers<true>()
    const running = failures.attempt({ name: 'joe' }, () => gate.promise)
    const leaving = new AbortController()
    let runs = 0
    const check = () => {
      runs += 1
      return true
    }
    const left = Array.from({ length: 50 }, () => failures.attempt({ name: 'joe' }, check, leaving))
    await new Promise(setImmediate)
    const reason = new Error('The client has left.')
    leaving.abort(reason)
    for (const attempt of left) await assert.rejects(attempt, reason)
    await assert.rejects(failures.attempt({ name: 'joe' }, check, leaving), reason)
    const next = failures.attempt({ name: 'joe' }, succeeds, { signal: new AbortController().signal })
    gate.resolve(true)
    assert.deepEqual(await Promise.all([running, next]), [true, 'joe'])
    assert.equal(runs, 0)
  })

  it('passes on the place of an attempt whose client leaves when its turn comes', async () => {
    const reads: (() => void)[] = []
    const store = (): FailureCounter => ({
      get: () => new Promise((resolve) => reads.push(() => resolve(null))),
      penalty: async () => ({ consumedPoints: 0, msBeforeNext: 0 }),
    })
    const failures = limitFailures({ max: 1, window: 60, name: 'login', store })
    const leaving = new AbortController()
    const gate = Promise.withResolvers<true>()
    const turn = async () => {
      await new Promise(setImmediate)
      for (const read of reads.splice(0)) read()
      await new Promise(setImmediate)
    }
    const first = failures.attempt({ name: 'joe' }, () => gate.promise)
    await turn()
    const second = failures.attempt({ name: 'joe' }, succeeds, leaving)
    const third = failures.attempt({ name: 'joe' }, succeeds)
    await turn()
    gate.resolve(true)
    await first
    // The second one asks the store again.
    leaving.abort(new Error('The client has left.'))
    const refused = assert.rejects(second, /has left/)
    await turn()
    await refused
    await turn()
    assert.equal(await third, 'joe')
  })

  it('counts with a store that processes share', async () => {
    const shared = new RateLimiterMemory({ points: 3, duration: 60 })
    const [one, two] = [0, 1].map(() => limitFailures({ max: 3, window: 60, name: 'login', store: () => shared }))
    assert.ok(one && two)
    for (const failures of [one, two, one]) await failures.attempt({ name: 'joe' }, fails)
    for (const failures of [one, two]) {
      const refused = await failures.attempt({ name: 'joe' }, succeeds).catch((error) => error)
      assert.equal(statusOf(refused), 429)
      assert.match(refused.headers.get('retry-after'), /^([1-5]?\d|60)$/)
    }
  })

  it('gives the store its name and its limits', () => {
    const given: object[] = []
    const store = (rule: object) => {
      given.push(rule)
      return new RateLimiterMemory({ points: 1, duration: 1 })
    }
    limitFailures({ max: 3, window: 60, name: 'login', store })
    assert.deepEqual(given, [{ keyPrefix: 'login', points: 3, duration: 60 }])
  })

  it('counts in memory while the store fails, and logs the failure once', async (t) => {
    const log = t.mock.method(console, 'error', () => {})
    const broken = () => Promise.reject(new Error('no connection'))
    const store = (): FailureCounter => ({ get: broken, penalty: broken })
    const failures = limitFailures({ max: 2, window: 60, name: 'login', store })
    const results = await attempts(
      (check) => failures.attempt({ name: 'joe' }, check),
      ...[fails, succeeds, fails, succeeds],
    )
    assert.deepEqual(results, [undefined, 'joe', undefined, 429])
    assert.equal(log.mock.callCount(), 1)
    assert.match(
      String(log.mock.calls[0]?.arguments[0]),
      /store of limit "login" fails.*counts for itself.*no connection/s,
    )
  })

  const refused: [options: object, message: RegExp][] = [
    [{}, /^TypeError: limitFailures\(\) requires the option max\. Pass a whole number/],
    [{ max: 1, window: 0 }, /window is 0/],
    [{ max: 1, window: 1, key: fails }, /no option "key"/],
    [{ max: 1, window: 1, store: () => {} }, /requires a name with store/],
  ]
  for (const [options, message] of refused) {
    it(`refuses the options ${JSON.stringify(options)}`, () => {
      assert.throws(() => Reflect.apply(limitFailures, undefined, [options]), message)
    })
  }

  const wrongCalls: [title: string, call: unknown[], message: RegExp][] = [
    ['no key', [{}, fails], /requires a key/],
    ['keys without their kinds', ['joe', fails], /the keys are "joe"\. Pass them by kind/],
    ['a key that is no text', [{ name: 7 }, fails], /the key name is 7\. Pass text/],
    ['a check that is no function', [{ name: 'joe' }, true], /the check is true\. Pass a function/],
  ]
  for (const [title, call, message] of wrongCalls) {
    it(`refuses ${title}`, async () => {
      const failures = limitFailures({ max: 1, window: 60 })
      await assert.rejects(Reflect.apply(failures.attempt, failures, call), message)
    })
  }
})

describe('limitFailures in an application', () => {
  const failures = limitFailures({ max: 2, window: 60 })
  const authenticate = (name: string, password: string, address: string) =>
    failures.attempt({ name, address }, () => (password === 'right' ? name : undefined))

  class LoginController extends WSGIController {
    async index() {
      const { query, environ } = this.request
      const user = await authenticate('joe', query.get('password') ?? '', clientAddress(environ))
      return user ?? abort(401)
    }
  }

  it('answers 429 with Retry-After from an action', async () => {
    const map = new Mapper().connect('/login', { controller: 'login', action: 'index' })
    const client = new TestApp(new FrameworkApp({ map, controllers: { login: LoginController } }), {
      environ: { REMOTE_ADDR: '10.0.1.1' },
    })
    for (const status of [401, 401]) await client.get('/login?password=wrong', { status })
    const response = await client.get('/login?password=right', { status: 429 })
    assert.match(response.headers.get('retry-after') ?? '', /^([1-5]?\d|60)$/)
  })

  it('does nothing for clients that have left while they waited', async () => {
    const gate = Promise.withResolvers<true>()
    const begun = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    let [arrived, runs, left] = [0, 0, 0]
    class WaitingController extends WSGIController {
      async index() {
        const { signal, environ } = this.request
        signal.addEventListener('abort', () => {
          if (++left === 40) gone.resolve()
        })
        if (++arrived === 40) begun.resolve()
        const check = () => {
          runs += 1
          return gate.promise
        }
        await failures.attempt({ address: clientAddress(environ) }, check, { signal })
        return 'done'
      }
    }
    const map = new Mapper().connect('/login', { controller: 'login', action: 'index' })
    const app = new FrameworkApp({ map, controllers: { login: WaitingController } })
    await serving(app, async ({ port }) => {
      const clients = Array.from({ length: 40 }, () => new Connection(port))
      for (const client of clients) client.say('GET /login HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await begun.promise
      for (const { socket } of clients) socket.destroy()
      await gone.promise
      gate.resolve(true)
      const last = new Connection(port)
      last.say('GET /login HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await last.hears('done')
      last.socket.destroy()
    })
    assert.equal(runs, 3)
  })

  it('answers 429 with Retry-After from basicAuth', async () => {
    const check = (user: string, password: string, environ: { REMOTE_ADDR?: string }) =>
      authenticate(user, password, String(environ.REMOTE_ADDR))
    const app = new FrameworkApp({
      map: new Mapper().connect('/', { controller: 'hello' }),
      controllers: {
        hello: (_environ, start_response) => {
          start_response('200 OK', [])
          return ['hello']
        },
      },
      middleware: [basicAuth(check)],
    })
    const client = new TestApp(app, { environ: { REMOTE_ADDR: '10.0.1.2' } })
    const send = (password: string, status: number) =>
      client.get('/', { headers: { authorization: `Basic ${btoa(`ann:${password}`)}` }, status })
    await send('right', 200)
    await send('wrong', 401)
    await send('wrong', 401)
    assert.ok(Number((await send('right', 429)).headers.get('retry-after')) > 0)
  })
})

const url = process.env.PROPYLON_TEST_REDIS
describe('limitFailures with Redis', { skip: url === undefined && 'PROPYLON_TEST_REDIS is not set' }, () => {
  const name = `propylon-test-${randomBytes(6).toString('hex')}`

  it('counts for several processes with ioredis', async () => {
    const clients = [new Redis(url ?? ''), new Redis(url ?? '')]
    try {
      await sharesCounts(
        `${name}-1`,
        clients.map((storeClient) => (rule) => new RateLimiterRedis({ storeClient, ...rule })),
      )
    } finally {
      for (const client of clients) client.disconnect()
    }
  })

  it('counts for several processes with node-redis', async () => {
    const clients = [createClient({ url: url ?? '' }), createClient({ url: url ?? '' })]
    for (const client of clients) await client.connect()
    try {
      await sharesCounts(
        `${name}-2`,
        clients.map((storeClient) => (rule) => new RateLimiterRedis({ storeClient, useRedisPackage: true, ...rule })),
      )
    } finally {
      for (const client of clients) client.destroy()
    }
  })

  async function sharesCounts(name: string, stores: NonNullable<FailureLimitOptions['store']>[]) {
    const [one, two] = stores.map((store) => limitFailures({ max: 2, window: 30, name, store }))
    assert.ok(one && two)
    await one.attempt({ name: 'joe' }, fails)
    await two.attempt({ name: 'joe' }, fails)
    for (const failures of [one, two]) {
      assert.equal(await failures.attempt({ name: 'joe' }, succeeds).catch(statusOf), 429)
      assert.equal(await failures.attempt({ name: 'ann' }, succeeds), 'joe')
    }
  }
})
