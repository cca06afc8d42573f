/** Tests of what every face shares: hooks, sessions, logs, traces, failures and their data. */
import assert from 'node:assert/strict'
import { tracingChannel } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import { abort, Response as PropylonResponse } from 'propylon'
import { requestLog } from 'propylon/middleware'
import { Fault, JSONRPCError, RPCController } from 'propylon/rpc'
import type { HeaderPair } from 'propylon/wsgi'
import { encodeCall } from 'propylon/xmlrpc'
import { CALL_FACES, type Outcome, RPCService } from './service.ts'

const ALL = ['xmlrpc', 'jsonrpc', 'json']
let events: string[] = []

class HookedController extends RPCController {
  static faces = ALL
  static override multicall = true
  user: string | undefined

  async __before__(action: string, methodName: string, params: unknown, controller: string) {
    events.push(`before ${controller} ${action} ${methodName} ${JSON.stringify(params)}`)
    await Promise.resolve()
    this.user = 'joe'
    if (action === 'refused') throw new JSONRPCError(9, 'refused')
    if (action === 'forbidden') abort(403)
    if (action === 'broken') throw new Error('broken')
    this.response.headers.set('X-Before', 'yes')
  }
  __after__(action: string, error?: unknown) {
    events.push(`after ${action} ${error instanceof Error ? error.message : 'well'}`)
  }
  who_am(name: string) {
    events.push('method')
    return `${name} ${this.user}`
  }
  count() {
    this.session.set('n', 1)
    return true
  }
  fails() {
    throw new Error('oh no')
  }
  unsendable() {
    return Number.NaN
  }
  refused() {
    events.push('method')
    return 1
  }
  forbidden() {
    events.push('method')
    return 1
  }
  broken() {
    events.push('method')
    return 1
  }
}
const service = new RPCService(HookedController)

/** Changes the response of each call after it is made. */
class ChangedController extends RPCController {
  static faces = ALL

  __after__(action: string) {
    const { status, body, headers } = this.response
    events.push(`${action} ${status} ${String(body).slice(0, 30)} ${headers.get('content-type')}`)
    this.response.status = 290
  }
  name() {
    return 'Ann'
  }
  refused() {
    throw new JSONRPCError(9, 'refused')
  }
  forbidden() {
    abort(403)
  }
}
const changed = new RPCService(ChangedController)

describe('hooks', () => {
  for (const face of CALL_FACES) {
    const params = face === 'xmlrpc' || face === 'jsonrpc' ? '["Ann"]' : '{"name":"Ann"}'

    it(`run around a call by ${face}, with the method, the name and the parameters`, async () => {
      events = []
      assert.deepEqual(await service.call(face, 'who.am', { name: 'Ann' }), { result: 'Ann joe' })
      assert.deepEqual(events, [`before stock who_am who.am ${params}`, 'method', 'after who_am well'])
    })

    const ends: readonly [name: string, outcome: Outcome, after: string | undefined][] = [
      ['refused', { code: 9, text: 'refused' }, undefined],
      ['forbidden', { status: 403, location: null }, undefined],
      ['broken', { refused: 'unexpected' }, undefined],
      ['fails', { refused: 'unexpected' }, 'after fails oh no'],
    ]
    for (const [name, outcome, after] of ends) {
      it(`end a call by ${face} as ${name}`, async () => {
        events = []
        assert.deepEqual(await service.call(face, name), outcome)
        assert.ok(!events.includes('method'))
        assert.equal(events[1], after)
      })
    }

    it(`have the error of a result that cannot be sent by ${face}`, async () => {
      events = []
      assert.deepEqual(await service.call(face, 'unsendable'), { refused: 'unexpected' })
      assert.match(events[1] ?? '', /^after unsendable .*NaN/)
    })
  }

  const responses: readonly [name: string, face: string, seen: RegExp][] = [
    ['name', 'json', /^name 200 "Ann" application\/json$/],
    ['name', 'jsonrpc', /^name 200 \{"jsonrpc":"2\.0","result":.* application\/json$/],
    ['name', 'xmlrpc', /^name 200 <\?xml .* text\/xml; charset=utf-8$/s],
    ['refused', 'json', /^refused 422 \{"type".* application\/problem\+json$/],
    ['refused', 'jsonrpc', /^refused 200 \{"jsonrpc":"2\.0","error":.* application\/json$/],
    ['refused', 'xmlrpc', /^refused 200 <\?xml .* text\/xml; charset=utf-8$/s],
    ['forbidden', 'json', /^forbidden 403 /],
    ['forbidden', 'jsonrpc', /^forbidden 403 /],
    ['forbidden', 'xmlrpc', /^forbidden 403 /],
  ]
  for (const [name, face, seen] of responses) {
    it(`see and change the response of ${name} by ${face} in __after__`, async () => {
      events = []
      const response =
        face === 'json'
          ? await changed.post(`/stock/${name}`, '{}')
          : face === 'jsonrpc'
            ? await changed.postMessage(name, [])
            : await changed.post('/stock', encodeCall(name, []), 'text/xml')
      assert.match(events[0] ?? '', seen)
      assert.equal(response.status, 290)
    })
  }

  it('set headers of results and failures', async () => {
    for (const name of ['who.am', 'fails']) {
      const response = await service.post(`/stock/${name}`, name === 'fails' ? '{}' : '{"name":"x"}')
      assert.equal(response.headers.get('x-before'), 'yes', name)
    }
  })

  it('run before the page', async () => {
    events = []
    await service.send('GET', '/stock')
    assert.deepEqual(events, ['before stock index undefined undefined', 'after index well'])
  })
})

describe('a hook that throws a failure with a code', () => {
  class RefusingController extends RPCController {
    static faces = [...ALL, 'mcp', 'openapi']
    __before__() {
      const code = Number(this.request.headers.get('x-code'))
      throw this.request.headers.has('x-fault') ? new Fault(code, 'not you') : new JSONRPCError(code, 'not you')
    }
  }
  const refusing = new RPCService(RefusingController)
  for (const path of ['/stock', '/stock/openapi.json']) {
    it(`answers a GET of ${path} by HTTP`, async () => {
      const cases: readonly [code: string, status: number][] = [
        ['403', 403],
        ['26', 422],
        ['200', 422],
      ]
      for (const [code, status] of cases) {
        for (const more of [[], [['X-Fault', 'yes']]] as HeaderPair[][]) {
          const response = await refusing.send('GET', path, undefined, [['X-Code', code], ...more])
          assert.equal(response.status, status)
          assert.match(await response.text(), /not you/)
        }
      }
      assert.deepEqual(refusing.logged, [])
    })
  }
})

describe('a session', () => {
  it('is saved by plain JSON and JSON-RPC', async () => {
    for (const response of [await service.post('/stock/count', '{}'), await service.postMessage('count', [])]) {
      assert.equal(response.status, 200)
      assert.ok(response.headers.get('set-cookie'))
    }
  })
})

describe('an unexpected error', () => {
  for (const [face, place] of [
    ['xmlrpc', 'POST /stock'],
    ['jsonrpc', 'POST /stock'],
    ['json', 'POST /stock/fails'],
  ] as const) {
    it(`is logged with the name of the method, and shown in debug mode only (${face})`, async () => {
      for (const debug of [false, true]) {
        const failing = new RPCService(HookedController, { debug })
        const body = face === 'xmlrpc' ? '<methodCall><methodName>fails</methodName></methodCall>' : '{}'
        const response =
          face === 'jsonrpc'
            ? await failing.postMessage('fails', [])
            : await failing.post(
                face === 'json' ? '/stock/fails' : '/stock',
                body,
                face === 'json' ? 'application/json' : 'text/xml',
              )
        assert.equal((await response.text()).includes('oh no'), debug)
        const errors = failing.logged.filter((line) => line.includes('oh no'))
        assert.equal(errors.length, 1)
        assert.ok(errors[0]?.startsWith(`${place} ("fails")\n`), errors[0])
      }
    })
  }
})

describe('a failure with a code', () => {
  class FailingController extends RPCController {
    static faces = ALL
    with_data() {
      throw new JSONRPCError(26, 'no more', { since: new Date(0), left: 2n })
    }
    large_code() {
      throw new JSONRPCError(2 ** 40, 'large')
    }
    not_found() {
      throw new Fault(404, 'no such article')
    }
    conflict() {
      abort(409, 'taken')
    }
    teapot() {
      return new PropylonResponse('tea', { status: 418 })
    }
    unsendable_data() {
      throw new JSONRPCError(26, 'no more', Number.NaN)
    }
  }
  const failing = new RPCService(FailingController)

  it('has its data in JSON', async () => {
    const data = { since: '1970-01-01T00:00:00Z', left: 2 }
    assert.deepEqual(await failing.call('jsonrpc', 'with.data'), { code: 26, text: 'no more', data })
    assert.deepEqual(await failing.call('json', 'with.data'), { code: 26, text: 'no more', data })
    assert.deepEqual(await failing.call('xmlrpc', 'with.data'), { code: 26, text: 'no more' })
  })

  it('that does not fit 32 bits is -32500 on XML-RPC', async () => {
    assert.deepEqual(await failing.call('xmlrpc', 'large.code'), { code: -32500, text: 'large' })
    assert.deepEqual(await failing.call('jsonrpc', 'large.code'), { code: 2 ** 40, text: 'large' })
  })

  it('has the status 422 in plain JSON, or its code if that is a status', async () => {
    assert.equal((await failing.post('/stock/with.data', '{}')).status, 422)
    const response = await failing.post('/stock/not.found', '{}')
    assert.equal(response.status, 404)
    assert.equal(JSON.parse(await response.text()).code, 404)
  })

  it('with data that cannot be sent is an unexpected error', async () => {
    for (const face of ['jsonrpc', 'json'] as const) {
      assert.deepEqual(await failing.call(face, 'unsendable.data'), { refused: 'unexpected' })
    }
  })

  it('by HTTP has its status, and is a problem document in plain JSON', async () => {
    for (const response of [await failing.post('/stock/conflict', '{}'), await failing.postMessage('conflict', [])]) {
      assert.equal(response.status, 409)
    }
    const problem = await failing.post('/stock/conflict', '{}')
    assert.equal(problem.headers.get('content-type'), 'application/problem+json')
    assert.equal((await failing.post('/stock/teapot', '{}')).status, 418)
    assert.equal((await failing.postMessage('teapot', [])).status, 418)
  })

  it('by HTTP is -32000 in a batch of JSON-RPC', async () => {
    const batch = JSON.stringify(['conflict', 'teapot'].map((method, id) => ({ jsonrpc: '2.0', method, id })))
    const answers = JSON.parse(await (await failing.post('/stock', batch)).text())
    assert.deepEqual(
      answers.map(({ error }: { error: unknown }) => error),
      [
        { code: -32000, message: '409 Conflict: taken' },
        { code: -32000, message: 'The method answered by HTTP.' },
      ],
    )
  })
})

/** Sends requests and returns the actions in the log of requests and in the tracing channels. */
async function labelsOf(send: (from: RPCService) => Promise<unknown>): Promise<{ log: unknown[]; traces: string[] }> {
  const log: unknown[] = []
  const logged = new RPCService(HookedController, {
    middleware: [requestLog({ write: (line) => log.push(JSON.parse(line).action) })],
  })
  const traces: string[] = []
  const stops = ['request', 'action'].map((stage) => {
    const note = (message: unknown) => {
      const { action } = message as { action?: string }
      traces.push(`${stage} ${action ?? '-'}`)
    }
    const channel = tracingChannel(`propylon.${stage}`)
    const ignore = () => {}
    const listeners = { start: ignore, end: ignore, asyncStart: ignore, asyncEnd: ignore, error: ignore }
    // The actions of this class return at once, the request ends later.
    const noting = { ...listeners, [stage === 'action' ? 'end' : 'asyncEnd']: note }
    channel.subscribe(noting)
    return () => channel.unsubscribe(noting)
  })
  try {
    await send(logged)
  } finally {
    for (const stop of stops) stop()
  }
  return { log, traces }
}

describe('logs and traces', () => {
  for (const face of CALL_FACES) {
    it(`name the method of a call by ${face}`, async () => {
      const labels = await labelsOf((from) => from.call(face, 'who.am', { name: 'x' }))
      assert.deepEqual(labels, { log: ['who_am'], traces: ['action who_am', 'request who_am'] })
    })

    it(`never have a name that is unknown (${face})`, async () => {
      const { log, traces } = await labelsOf((from) => from.call(face, 'made.up'))
      assert.deepEqual(log, [face === 'json' ? null : 'index'])
      assert.doesNotMatch(traces.join(), /made/)
    })
  }

  it('name index for the page and for a batch, whose calls have traces of their own', async () => {
    assert.deepEqual((await labelsOf((from) => from.send('GET', '/stock'))).log, ['index'])
    const batch = JSON.stringify(['count', 'refused'].map((method, id) => ({ jsonrpc: '2.0', method, id })))
    const { log, traces } = await labelsOf((from) => from.post('/stock', batch))
    assert.deepEqual(log, ['index'])
    assert.equal(traces[0], 'action count')
  })
})
