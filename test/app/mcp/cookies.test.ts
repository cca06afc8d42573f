/** Cookies of calls, which clients receive as they do by HTTP. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, eventStream, FrameworkApp, Mapper, redirect, WSGIController } from 'propylon'
import { TestApp } from 'propylon/testing'

class VisitsController extends WSGIController {
  static tools = ['read', 'leave', 'taken', 'fails', 'slow']
  static resources = ['read', 'taken']
  static prompts = { ask: 'ask' }

  __before__(action: string) {
    this.response.setCookie('visit', action)
  }

  read() {
    return { read: true }
  }

  leave() {
    redirect('/visits')
  }

  taken() {
    abort(409, 'It is taken.')
  }

  fails() {
    this.response.status = 409
    return 'It is taken.'
  }

  slow() {
    return eventStream(events())
  }

  ask() {
    return {}
  }
}

async function* events() {
  yield { event: 'progress', data: { progress: 1 } }
  yield { data: 'done' }
}

const client = () =>
  new TestApp(
    new FrameworkApp({
      map: new Mapper().connect('/visits/{action}', { controller: 'visits' }),
      controllers: { visits: VisitsController },
      templates: { ask: 'Ask.' },
      mcp: {},
    }),
    { errors: 'page' },
  )

const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })

async function cookiesOf(sent: unknown): Promise<string[]> {
  const headers = { Accept: 'application/json, text/event-stream' }
  const response = await client().postJson('/mcp', sent, { headers })
  return response.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '')
}

async function cookiesByHTTP(action: string): Promise<string[]> {
  const response = await client().get(`/visits/${action}`, { status: ['2xx', '3xx', '4xx'] })
  return response.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '')
}

describe('cookies of a call', () => {
  for (const action of VisitsController.tools) {
    it(`are sent with the answer of the tool ${action} as by HTTP`, async () => {
      const sent = await cookiesOf(message('tools/call', { name: `visits_${action}` }))
      assert.deepEqual(sent, await cookiesByHTTP(action))
    })
  }

  it('are sent with a stream', async () => {
    const params = { name: 'visits_slow', _meta: { progressToken: 1 } }
    assert.deepEqual(await cookiesOf(message('tools/call', params)), ['visit=slow'])
  })

  it('are sent with resources and prompts', async () => {
    const read = (uri: string) => message('resources/read', { uri })
    assert.deepEqual(await cookiesOf(read('http://localhost/visits/read')), ['visit=read'])
    assert.deepEqual(await cookiesOf(read('http://localhost/visits/taken')), await cookiesByHTTP('taken'))
    assert.deepEqual(await cookiesOf(message('prompts/get', { name: 'visits_ask' })), ['visit=ask'])
  })

  it('are sent with the answers of a batch', async () => {
    const batch = ['read', 'fails'].map((name) => message('tools/call', { name: `visits_${name}` }))
    assert.deepEqual(await cookiesOf(batch), ['visit=read', 'visit=fails'])
  })
})
