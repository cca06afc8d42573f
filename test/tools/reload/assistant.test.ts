/** Requests that the tools for assistants send. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { TestApp } from 'propylon/testing'
import { assistantTools } from '../../../src/tools/reload/assistant.ts'
import { ASSISTANT_PATH } from '../../../src/tools/reload/assistant-path.ts'

const ended: string[] = []
const started = new EventEmitter()

class StreamsController extends WSGIController {
  async *endless() {
    try {
      for (;;) yield 'x'.repeat(30_000)
    } finally {
      ended.push('endless')
    }
  }

  /** Sends a chunk and nothing more. */
  async *silent() {
    const { signal } = this.request
    yield 'begun'
    started.emit('silent')
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    ended.push('silent')
  }

  async hang() {
    const { signal } = this.request
    started.emit('hang')
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    ended.push('hang')
  }

  async *breaks() {
    yield 'begun'
    throw new Error('broken')
  }

  cookies() {
    this.response.setCookie('a', '1')
    this.response.setCookie('b', '2')
    return 'set'
  }
}

const app = new FrameworkApp({
  map: new Mapper().connect('/streams/{action}', { controller: 'streams' }),
  controllers: { streams: StreamsController },
  logger: { info() {}, warn() {}, error() {} },
})

async function call(name: string, args: object) {
  const tools = assistantTools(
    {
      root: '.',
      command: [],
      application: async () => app,
      lastError: () => undefined,
      fetch: (request) => app.fetch(request),
    },
    'key',
  )
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const headers = { Authorization: 'Bearer key' }
  const response = await new TestApp(tools).postJson(ASSISTANT_PATH, message, { headers })
  interface Result {
    readonly content: readonly { readonly text: string }[]
    readonly structuredContent: Readonly<Record<string, unknown>>
    readonly isError?: boolean
  }
  return response.json<{ result: Result }>().result
}

const send = (action: string) => call('send', { method: 'GET', path: `/streams/${action}` })

describe('a request of an assistant', () => {
  it('returns the beginning of a body without an end, and ends it', async () => {
    ended.length = 0
    const { structuredContent } = await send('endless')
    assert.equal(structuredContent.body, 'x'.repeat(100_000))
    assert.equal(structuredContent.isComplete, false)
    assert.deepEqual(ended, ['endless'])
  })

  it('returns the beginning of a body that takes too long', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const [sent] = [send('silent'), await once(started, 'silent')]
    // The chunk has been sent, and is read in a few turns.
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
    t.mock.timers.tick(10_000)
    const { structuredContent } = await sent
    assert.deepEqual([structuredContent.body, structuredContent.isComplete], ['begun', false])
  })

  it('fails if there is no response in time', async (t) => {
    ended.length = 0
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const [sent] = [send('hang'), await once(started, 'hang')]
    t.mock.timers.tick(10_000)
    const { content, isError } = await sent
    assert.equal(isError, true)
    assert.equal(content[0]?.text, 'The application has not answered within 10 seconds.')
    assert.deepEqual(ended, ['hang'])
  })

  it('returns the beginning of a body that breaks off', async () => {
    const { structuredContent } = await send('breaks')
    assert.deepEqual([structuredContent.body, structuredContent.isComplete], ['begun', false])
  })

  it('returns every cookie', async () => {
    const { headers } = (await send('cookies')).structuredContent
    assert.equal(Object(headers)['set-cookie'].length, 2)
  })
})

describe('the explanation of a path', () => {
  it('leaves the query out of the match', async () => {
    const { structuredContent } = await call('explain', { path: '/streams/endless?page=2' })
    assert.deepEqual(structuredContent.match, { controller: 'streams', action: 'endless' })
  })
})
