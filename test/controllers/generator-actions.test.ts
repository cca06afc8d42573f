import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { abort, FrameworkApp, Mapper, Response, redirect, WSGIController } from 'propylon'
import { cached, decorate } from 'propylon/decorators'
import { serve } from 'propylon/node'
import { TestApp } from 'propylon/testing'

const steps: string[] = []

class ReportsController extends WSGIController {
  *lines() {
    this.response.contentType = 'text/csv'
    this.response.headers.set('X-Rows', '2')
    yield 'a\r\n'
    yield 'b\r\n'
  }
  async *later() {
    await null
    this.response.contentType = 'text/csv'
    this.session.set('seen', 'later')
    yield* ['a', 'b', 'c']
  }
  seen() {
    return String(this.session.get('seen'))
  }
  *missing() {
    if (this.request.path !== '') abort(404, 'There is no such report.')
    yield 'never'
  }
  async *elsewhere() {
    await null
    if (this.request.path !== '') redirect('/reports/lines', 303)
    yield 'never'
  }
  helper() {
    return this.#rows()
  }
  async helper_later() {
    await null
    return this.#rows()
  }
  *#rows() {
    this.response.status = 202
    yield 'row'
  }
  *nothing() {
    this.response.headers.set('X-Rows', '0')
    yield* []
  }
  *held() {
    try {
      yield 'one'
      yield 'two'
    } finally {
      steps.push('released')
    }
  }
  *replaced() {
    steps.push('begun')
    yield 'never'
  }
  __after__() {
    if (this.request.path.endsWith('replaced')) this.response.body = 'other'
  }
  wrapped() {
    return new Response(this.#rows(), { status: 201 })
  }
  *remembered() {
    this.response.contentType = 'text/csv'
    yield 'row'
  }
  *much() {
    try {
      this.session.set('much', 'x'.repeat(5000))
      yield 'one'
    } finally {
      steps.push('released')
    }
  }
  async *slow() {
    try {
      await setTimeout(50)
      yield 'one'
    } finally {
      steps.push('released')
    }
  }

  static {
    decorate(this, { remembered: [cached({ expires: 60 })] })
  }
}

const options = {
  map: new Mapper().connect('/reports/{action}', { controller: 'reports' }),
  controllers: { reports: ReportsController },
  session: { secret: 'a secret of more than thirty-two characters' },
}
const app = new FrameworkApp(options)

const get = (action: string) => new TestApp(app).get(`/reports/${action}`)

describe('a generator that an action returns', () => {
  const rows: [action: string, status: number, header: string, value: string | null, text: string][] = [
    ['lines', 200, 'content-type', 'text/csv; charset=utf-8', 'a\r\nb\r\n'],
    ['lines', 200, 'x-rows', '2', 'a\r\nb\r\n'],
    ['later', 200, 'content-type', 'text/csv; charset=utf-8', 'abc'],
    ['helper', 202, 'content-type', 'text/html; charset=utf-8', 'row'],
    ['helper_later', 202, 'content-type', 'text/html; charset=utf-8', 'row'],
    ['nothing', 200, 'x-rows', '0', ''],
    ['elsewhere', 303, 'location', '/reports/lines', ''],
    ['wrapped', 201, 'x-rows', null, 'row'],
    ['remembered', 200, 'content-type', 'text/csv; charset=utf-8', 'row'],
  ]
  for (const [action, status, header, value, text] of rows) {
    it(`may change the response until its first chunk: ${action}, ${header}`, async () => {
      const response = await get(action)
      assert.deepEqual([response.status, response.headers.get(header)], [status, value])
      if (status < 300) assert.equal(response.text, text)
    })
  }

  it('may abort until its first chunk', async () => {
    const response = await get('missing')
    assert.equal(response.status, 404)
    assert.match(response.text, /There is no such report/)
  })

  it('may change the session until its first chunk', async () => {
    const client = new TestApp(app)
    await client.get('/reports/later')
    assert.equal((await client.get('/reports/seen')).text, 'later')
  })

  it('does not run if __after__ replaces the body', async () => {
    steps.length = 0
    assert.equal((await get('replaced')).text, 'other')
    assert.deepEqual(steps, [])
  })

  it('runs its finally for HEAD too', async () => {
    steps.length = 0
    const server = await serve(app)
    try {
      const head = await fetch(`${server.url}/reports/held`, { method: 'HEAD' })
      assert.deepEqual([head.status, await head.text(), steps], [200, '', ['released']])
      assert.equal(await (await fetch(`${server.url}/reports/held`)).text(), 'onetwo')
      assert.deepEqual(steps, ['released', 'released'])
    } finally {
      await server.close()
    }
  })

  it('runs its finally if its session cannot be saved', async (context) => {
    steps.length = 0
    context.mock.method(console, 'error', () => {})
    assert.equal((await new TestApp(app, { errors: 'page' }).get('/reports/much')).status, 500)
    assert.deepEqual(steps, ['released'])
  })

  it('runs its finally if the time of the request has passed', async () => {
    steps.length = 0
    const impatient = new FrameworkApp({ ...options, requestTimeout: 10 })
    assert.equal((await new TestApp(impatient).get('/reports/slow')).status, 503)
    await setTimeout(100)
    assert.deepEqual(steps, ['released'])
  })
})
