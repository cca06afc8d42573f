import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { Redis } from 'ioredis'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { decorate } from 'propylon/decorators'
import { type LimitOptions, limit, type RateLimiter } from 'propylon/middleware'
import { TestApp } from 'propylon/testing'
import { createEnviron, lint, run, type WSGIApplication } from 'propylon/wsgi'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { createClient } from 'redis'
import * as v from 'valibot'
import { transports } from '../../wsgi/transports.ts'

const hello: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['hello']
}

interface Sent {
  readonly address?: string
  readonly path?: string
  readonly accept?: string
  readonly errors?: string[]
}

async function send(app: WSGIApplication, { address, path, accept, errors }: Sent = {}) {
  const environ = createEnviron({
    url: path ?? '/',
    remoteAddr: address ?? '10.0.0.1',
    headers: accept === undefined ? [] : [['Accept', accept]],
    ...(errors === undefined ? {} : { errors: { write: (text: string) => void errors.push(text), flush() {} } }),
  })
  const result = await run(app, environ)
  const headers = Object.fromEntries(result.headers.map(([name, value]) => [name.toLowerCase(), value]))
  return { status: Number(result.status.slice(0, 3)), headers, text: await result.text() }
}

async function statuses(app: WSGIApplication, ...requests: Sent[]): Promise<number[]> {
  const found: number[] = []
  for (const request of requests) found.push((await send(app, request)).status)
  return found
}

/** Replaces the monotonic clock by one that the test advances. */
function clock(t: TestContext) {
  let seconds = 1000
  t.mock.method(performance, 'now', () => seconds * 1000)
  return (more: number) => {
    seconds += more
  }
}

for (const transport of transports) {
  it(`limit answers 429 beyond the limit, ${transport.name}`, async () => {
    const app = limit({ max: 2, window: 60 })(hello)
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await transport.request(app))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 429],
    )
    const rates = answers.map(({ header }) => header('ratelimit')?.replace(/t=\d+$/, 't=…'))
    assert.deepEqual(rates, ['"default";r=1;t=…', '"default";r=0;t=…', '"default";r=0;t=…'])
    for (const { header } of answers) assert.equal(header('ratelimit-policy'), '"default";q=2;w=60')
    assert.match(answers[2]?.header('retry-after') ?? '', /^\d+$/)
    assert.equal(answers[0]?.header('retry-after'), undefined)
  })
}

describe('limit', () => {
  it('begins a new window after the old one', async (t) => {
    const pass = clock(t)
    const app = lint(limit({ max: 1, window: 10 })(hello))
    assert.equal((await send(app)).headers.ratelimit, '"default";r=0;t=10')
    pass(9.5)
    const refused = await send(app)
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1'])
    assert.match(refused.text, /Try again in 1 second\./)
    pass(0.5)
    assert.deepEqual(await statuses(app, {}, {}), [200, 429])
  })

  it('counts each address by itself', async () => {
    const app = limit({ max: 1, window: 60 })(hello)
    const [one, two] = [{ address: '10.0.0.1' }, { address: '10.0.0.2' }]
    assert.deepEqual(await statuses(app, one, two, one, two), [200, 200, 429, 429])
  })

  const pairs: [one: string, other: string, isSame: boolean][] = [
    ['2001:db8::1', '2001:db8:0:0:ffff::', true],
    ['2001:db8::1', '2001:db8:0:1::1', false],
    ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002::', true],
    ['::1', '::2', true],
    ['::1', '1::1', false],
    ['fe80::1%eth0', 'fe80::2%eth1', true],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
    ['not:an:address', 'not:an:address2', false],
    ['', '10.0.0.1', false],
  ]
  for (const [one, other, isSame] of pairs) {
    it(`counts ${one || 'an unknown address'} and ${other} ${isSame ? 'together' : 'apart'}`, async () => {
      const app = limit({ max: 1, window: 60 })(hello)
      assert.deepEqual(await statuses(app, { address: one }, { address: other }), [200, isSame ? 429 : 200])
    })
  }

  it('counts by the key of the environ, and not at all without one', async () => {
    const key: LimitOptions['key'] = ({ PATH_INFO }) => (PATH_INFO === '/free' ? undefined : PATH_INFO)
    const app = limit({ max: 1, window: 60, key })(hello)
    const paths = ['/a', '/b', '/a', '/free', '/free', `/${'x'.repeat(100)}1`, `/${'x'.repeat(100)}2`]
    const found = await statuses(app, ...paths.map((path) => ({ path })))
    assert.deepEqual(found, [200, 200, 429, 200, 200, 200, 200])
    assert.equal((await send(app, { path: '/free' })).headers.ratelimit, undefined)
  })

  for (const [what, key] of [
    ['a promise', Promise.resolve('joe')],
    ['a number', 7],
    ['an object', {}],
  ]) {
    it(`fails if the key is ${what}, instead of limiting nothing`, async () => {
      // Code without types can return anything.
      const app = limit({ max: 1, window: 60, key: () => key as string })(hello)
      await assert.rejects(send(app), /limit\(\): key returned .+ Return text, or undefined/)
    })
  }

  it('answers programs with a problem document and browsers with a page', async () => {
    const app = limit({ max: 1, window: 60 })(hello)
    await send(app)
    const problem = JSON.parse((await send(app, { accept: 'application/json' })).text)
    assert.deepEqual([problem.status, problem.title], [429, 'Too Many Requests'])
    assert.match((await send(app, { accept: 'text/html' })).text, /^<!doctype html>/)
  })

  it('combines with other limits', async () => {
    const app = lint(limit({ max: 10, window: 60, name: 'all' })(limit({ max: 1, window: 1, name: 'burst' })(hello)))
    const first = await run(app, createEnviron())
    const fields = first.headers.filter(([name]) => name === 'RateLimit').map(([, value]) => value)
    assert.deepEqual(
      fields.map((value) => value.replace(/;t=.*/, '')),
      ['"burst";r=0', '"all";r=9'],
    )
    await first.bytes()
  })

  it('forgets the oldest of more than 100,000 keys', async () => {
    const app = limit({ max: 1, window: 60, key: ({ PATH_INFO }) => PATH_INFO })(hello)
    const environ = createEnviron()
    const statusOf = (path: string) => {
      let seen = ''
      app({ ...environ, PATH_INFO: path }, (status) => {
        seen = status.slice(0, 3)
        return () => {}
      })
      return seen
    }
    assert.deepEqual([statusOf('/first'), statusOf('/first')], ['200', '429'])
    for (let i = 0; i < 99_999; i++) statusOf(`/${i}`)
    assert.equal(statusOf('/first'), '429')
    statusOf('/one-more')
    assert.equal(statusOf('/first'), '200')
  })

  it('allows requests while the store fails and logs the failure once', async () => {
    let works = false
    const store = (): RateLimiter => ({
      consume: async () => {
        if (works) return { remainingPoints: 4, msBeforeNext: 1000 }
        throw new Error('no connection')
      },
    })
    const errors: string[] = []
    const app = lint(limit({ max: 5, window: 60, name: 'site', store })(hello))
    assert.deepEqual(await statuses(app, { errors }, { errors }), [200, 200])
    assert.equal(errors.length, 1)
    assert.match(errors[0] ?? '', /The store of limit "site" fails.*allowed without a limit.*no connection/s)
    works = true
    assert.equal((await send(app, { errors })).headers.ratelimit, '"site";r=4;t=1')
    works = false
    await send(app, { errors })
    assert.equal(errors.length, 2)
  })

  it("refuses requests while the store fails with onFailure: 'refuse'", async () => {
    const store = (): RateLimiter => ({ consume: () => Promise.reject(new Error('no connection')) })
    const app = limit({ max: 5, window: 60, name: 'login', store, onFailure: 'refuse' })(hello)
    const { status, headers, text } = await send(app, { errors: [] })
    assert.deepEqual([status, headers['retry-after']], [503, '5'])
    assert.doesNotMatch(text, /connection/)
  })

  const refused: [options: object, message: RegExp][] = [
    [{}, /requires the option max/],
    [{ max: 1 }, /requires the option window/],
    [{ max: 0, window: 1 }, /max is 0. Pass a whole number of requests from 1/],
    [{ max: 1, window: 0.5 }, /window is 0.5. Pass a whole number of seconds from 1/],
    [{ max: 1, windows: 1 }, /no option "windows". Did you mean window\?/],
    [{ max: 1, window: 1, key: 'ip' }, /key is "ip". Pass a function/],
    [{ max: 1, window: 1, name: 'a"b' }, /name is "a\\"b"/],
    [{ max: 1, window: 1, store: () => {} }, /requires a name with store/],
    [{ max: 1, window: 1, onFailure: 'deny' }, /onFailure is "deny". Pass one of 'allow', 'refuse'/],
  ]
  for (const [options, message] of refused) {
    it(`refuses ${JSON.stringify(options)}`, () => {
      assert.throws(() => Reflect.apply(limit, undefined, [options]), message)
    })
  }
})

const url = process.env.PROPYLON_TEST_REDIS
describe('limit with Redis', { skip: url === undefined && 'PROPYLON_TEST_REDIS is not set' }, () => {
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

  async function sharesCounts(name: string, stores: NonNullable<LimitOptions['store']>[]) {
    const [one, two] = stores.map((store) => lint(limit({ max: 2, window: 30, name, store })(hello)))
    assert.ok(one !== undefined && two !== undefined)
    const answers = [await send(one), await send(two), await send(one), await send(two)]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 429, 429],
    )
    const rates = answers.map(({ headers }) => headers.ratelimit?.replace(/;t=(?:29|30)$/, ''))
    assert.deepEqual(rates, [`"${name}";r=1`, `"${name}";r=0`, `"${name}";r=0`, `"${name}";r=0`])
    assert.equal((await send(two, { address: '10.0.0.2' })).status, 200)
  }
})

describe('limit as a decorator', () => {
  const limited = limit({ max: 2, window: 60, name: 'forms' })
  class FormsController extends WSGIController {
    static args = { create: { sent: body(v.object({ name: v.string() })) } }
    index() {
      return 'the form'
    }
    create(sent: { name: string }) {
      return sent.name
    }
    delete() {
      return 'deleted'
    }

    static {
      decorate(this, { create: [limited], delete: [limited] })
    }
  }
  const map = new Mapper()
  map.connect('/{controller}/{action}')
  const app = new FrameworkApp({ map, controllers: { forms: FormsController } })

  it('counts the requests of all its actions together, and of no other', async () => {
    const client = new TestApp(app)
    const first = await client.post('/forms/create', { name: 'Ann' }, { status: 200 })
    assert.equal(first.text, 'Ann')
    assert.match(first.headers.get('ratelimit') ?? '', /^"forms";r=1;t=\d+$/)
    await client.get('/forms/delete', { status: 200 })
    const refused = await client.post('/forms/create', { name: 'Ann' }, { status: 429 })
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    assert.match(refused.headers.get('ratelimit') ?? '', /^"forms";r=0;t=\d+$/)
    await client.get('/forms/delete', { status: 429 })
    assert.equal((await client.get('/forms/index', { status: 200 })).headers.get('ratelimit'), null)
  })

  it('does not count a form with wrong fields', async () => {
    const client = new TestApp(app, { environ: { REMOTE_ADDR: '10.0.0.9' } })
    for (let n = 0; n < 3; n++) await client.post('/forms/create', {}, { status: 400 })
    await client.post('/forms/create', { name: 'Ann' }, { status: 200 })
  })
})
