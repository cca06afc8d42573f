import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { type HealthOptions, health } from 'propylon/middleware'
import { serve } from 'propylon/node'
import { createEnviron, lint, run, type WSGIApplication } from 'propylon/wsgi'

const page: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['page']
}

async function send(app: WSGIApplication, url: string, method = 'GET', errors: string[] = []) {
  const stream = { write: (text: string) => void errors.push(text), flush() {} }
  const result = await run(lint(app), createEnviron({ url, method, errors: stream }))
  return `${result.status.slice(0, 3)} ${await result.text()}`
}

describe('health()', () => {
  const app = health()(page)
  for (const [url, method, expected] of [
    ['/healthz', 'GET', '200 ok'],
    ['/readyz', 'GET', '200 ready'],
    ['/readyz?x=1', 'GET', '200 ready'],
    ['/healthz', 'HEAD', '200 '],
    ['/healthz/', 'GET', '200 page'],
    ['/', 'POST', '200 page'],
  ] as const) {
    it(`answers ${method} ${url} with ${expected}`, async () => assert.equal(await send(app, url, method), expected))
  }

  it('allows GET and HEAD only', async () => assert.match(await send(app, '/readyz', 'POST'), /^405/))

  it('serves other paths instead', async () => {
    const own = health({ live: '/live', ready: '/ready' })(page)
    assert.deepEqual(await Promise.all(['/live', '/ready', '/healthz'].map((url) => send(own, url))), [
      '200 ok',
      '200 ready',
      '200 page',
    ])
  })

  it('is not ready while the check fails, and writes the reason once until it succeeds', async () => {
    let failure: Error | undefined = new Error('the database is gone')
    const failing = health({
      async check() {
        if (failure !== undefined) throw failure
      },
    })(page)
    const errors: string[] = []
    assert.equal(await send(failing, '/readyz', 'GET', errors), '503 not ready')
    assert.equal(await send(failing, '/readyz', 'GET', errors), '503 not ready')
    assert.equal(await send(failing, '/healthz', 'GET', errors), '200 ok')
    assert.equal(errors.length, 1)
    assert.match(errors[0] ?? '', /\/readyz is 503: Error: the database is gone/)
    failure = undefined
    assert.equal(await send(failing, '/readyz', 'GET', errors), '200 ready')
    failure = new Error('again')
    assert.equal(await send(failing, '/readyz', 'GET', errors), '503 not ready')
    assert.equal(errors.length, 2)
  })

  it('is not ready if the check throws or does not settle', async () => {
    const throwing = () => {
      throw new Error('no')
    }
    assert.equal(await send(health({ check: throwing })(page), '/readyz'), '503 not ready')
    const hanging = () => new Promise(() => {})
    assert.equal(await send(health({ check: hanging, timeout: 1 })(page), '/readyz'), '503 not ready')
  })

  it('is not ready from the moment that the shutdown begins', async (t) => {
    const app = new FrameworkApp({ map: new Mapper(), controllers: {}, middleware: [health()] })
    const server = await serve(app, { port: 0, signals: false })
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const closed = server.close({ delay: 500 })
    assert.equal((await fetch(`${server.url}/readyz`)).status, 503)
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
    t.mock.timers.tick(500)
    t.mock.timers.reset()
    await closed
  })

  for (const options of [{ live: 'healthz' }, { check: 1 }, { timeout: 0 }, { redy: '/x' }]) {
    it(`refuses ${JSON.stringify(options)}`, () => {
      assert.throws(() => health(options as HealthOptions), TypeError)
    })
  }
})
