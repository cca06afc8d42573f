import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { beforeEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { RPCController } from 'propylon/rpc'
import { encodeCall } from 'propylon/xmlrpc'
import { serving } from '../../wsgi/node/raw.ts'
import { RPCService } from './service.ts'

const SIZE = 1000

/** More than half of the answers of all batches. */
const PAGE = 'x'.repeat(65 * 2 ** 20)

let ran: string[] = []

class StockController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'mcp']
  static override multicall = true
  static override batchBytes = 10 * SIZE

  page(name: string) {
    ran.push(name)
    return 'x'.repeat(SIZE)
  }
  small(name: string) {
    ran.push(name)
    return name
  }
  busy() {
    const end = performance.now() + 6
    while (performance.now() < end);
    return turns
  }
}

let turns = 0

const service = new RPCService(StockController)
const FIELDS: Record<string, [name: string, value: string][]> = {
  jsonrpc: [['Content-Type', 'application/json']],
  mcp: [
    ['Content-Type', 'application/json'],
    ['MCP-Protocol-Version', '2025-03-26'],
  ],
  xmlrpc: [['Content-Type', 'text/xml']],
}

type Call = readonly [method: string, param: string]

/** The bodies of a batch, by face. */
const bodies: Record<string, (calls: readonly Call[]) => string> = {
  jsonrpc: (calls) =>
    JSON.stringify(
      calls.map(([method, param], id) => ({
        jsonrpc: '2.0',
        id,
        method,
        params: method === 'busy' ? [] : [param],
      })),
    ),
  mcp: (calls) =>
    JSON.stringify(
      calls.map(([name, param], id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: name === 'busy' ? {} : { name: param } },
      })),
    ),
  xmlrpc: (calls) =>
    encodeCall('system.multicall', [
      calls.map(([methodName, param]) => ({ methodName, params: methodName === 'busy' ? [] : [param] })),
    ]),
}

async function send(face: string, body: string): Promise<string> {
  const response = await service.send('POST', face === 'mcp' ? '/stock/mcp' : '/stock', body, FIELDS[face])
  assert.equal(response.status, 200)
  return response.text()
}

const TOO_LONG =
  /The answers of the batch exceed 10000 bytes, or the answers of all batches 134217728\. Send fewer calls at a time\./g
const pages = (count: number) => Array.from({ length: count }, (_, at): Call => ['page', `page ${at}`])

beforeEach(() => {
  ran = []
})

for (const face of ['jsonrpc', 'mcp', 'xmlrpc']) {
  describe(`a batch by ${face}`, () => {
    const body = (calls: readonly Call[]) => bodies[face]?.(calls) ?? ''

    it('has answers of batchBytes at most: further calls fail without being run', async () => {
      const text = await send(face, body([...pages(20), ['small', 'last']]))
      const failures = text.match(TOO_LONG) ?? []
      // The call whose answer does not fit has run.
      assert.equal(failures.length, 21 - (ran.length - 1))
      assert.ok(ran.length >= 8 && ran.length <= 10, `${ran.length} calls were run`)
      assert.ok(!ran.includes('last'))
      assert.ok(text.length < 10 * SIZE + 21 * 300, `${text.length} bytes`)
    })

    it('is answered as a whole below that', async () => {
      assert.doesNotMatch(await send(face, body(pages(7))), TOO_LONG)
      assert.equal(ran.length, 7)
    })

    for (const [name, limit] of [
      ['batchBytes', Number.NaN],
      ['batchBytes', -1],
      ['batchLimit', Number.NaN],
    ] as const) {
      it(`fails without being run if ${name} is ${limit}`, async (test) => {
        class WrongController extends StockController {}
        Reflect.defineProperty(WrongController, name, { value: limit })
        const wrong = new RPCService(WrongController)
        // The adapter writes errors that the application does not answer to the console.
        const log = (message: string) => void wrong.logged.push(message)
        test.mock.method(console, 'error', log)
        const path = face === 'mcp' ? '/stock/mcp' : '/stock'
        const response = await wrong.send('POST', path, body(pages(1)), FIELDS[face])
        assert.match(await response.text(), /-32603|^500 Internal Server Error/)
        const message = `RangeError: WrongController.${name} is ${limit}. Give a number, 0 or above.`
        assert.ok(wrong.logged.join('\n').includes(message), wrong.logged.join('\n'))
        assert.deepEqual(ran, [])
      })
    }

    it('lets other requests run between calls that take time', async () => {
      turns = 0
      let isOver = false
      const answer = send(face, body(Array.from({ length: 5 }, (): Call => ['busy', '']))).finally(() => {
        isOver = true
      })
      while (!isOver) {
        await turn()
        turns += 1
      }
      const text = await answer
      const seen = [...text.matchAll(/(?:"result":|"text":"|<int>)(\d+)/g)].map((match) => match[1])
      assert.equal(seen.length, 5, text)
      assert.equal(new Set(seen).size, 5, `the turns of the event loop are ${seen.join()}`)
    })
  })
}

describe('many batches', () => {
  it('let other requests run after the calls of one of them', async () => {
    turns = 0
    let running = 4
    const calls = bodies.jsonrpc?.(Array.from({ length: 3 }, (): Call => ['busy', ''])) ?? ''
    const answers = Promise.all(
      Array.from({ length: running }, () => send('jsonrpc', calls).finally(() => (running -= 1))),
    )
    while (running > 0) {
      await turn()
      turns += 1
    }
    const seen = (await answers).flatMap((text) => [...text.matchAll(/"result":(\d+)/g)].map(([, at]) => at))
    assert.equal(seen.length, 12)
    assert.equal(new Set(seen).size, 12, `the turns of the event loop are ${seen.join()}`)
  })

  it('have answers of 128 MiB in all at most, until they are answered', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    class LargeController extends RPCController {
      static faces = ['jsonrpc']
      static override batchBytes = 2 ** 30
      page() {
        return PAGE
      }
      wait() {
        return promise
      }
    }
    const large = new RPCService(LargeController)
    const batch = async (...methods: string[]) => {
      const body = JSON.stringify(methods.map((method) => ({ jsonrpc: '2.0', id: 1, method })))
      return (await large.send('POST', '/stock', body, FIELDS.jsonrpc)).text()
    }
    const first = batch('page', 'wait')
    await turn()
    await turn()
    assert.match(await batch('page'), /the answers of all batches 134217728/)
    resolve('done')
    assert.ok((await first).length > PAGE.length)
    assert.ok((await batch('page')).length > PAGE.length)
  })
})

describe('a batch whose client reads nothing', () => {
  class PageController extends StockController {
    static override batchBytes = 2 * PAGE.length
    override page(name: string) {
      return name + PAGE
    }
  }
  const { app } = new RPCService(PageController)

  const text = bodies.jsonrpc?.([['page', '']]) ?? ''
  const lengthOf = async (url: URL | string) => {
    const init = { method: 'POST', headers: FIELDS.jsonrpc ?? [], body: text }
    return (await (await fetch(new URL('/stock', url), init)).arrayBuffer()).byteLength
  }

  it('is cut when all batches would take too many bytes', async () => {
    await serving(app, async ({ url, port }) => {
      const client = net.connect(port, '127.0.0.1')
      client.write(
        `POST /stock HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      )
      await once(client, 'data')
      client.pause()
      assert.ok((await lengthOf(url)) > PAGE.length)
      let received = 0
      client.on('error', () => {}).on('data', (chunk: Buffer) => (received += chunk.length))
      client.resume()
      await once(client, 'close')
      assert.ok(received < PAGE.length)
    })
  })
})

describe('a batch of JSON-RPC', () => {
  it('runs notifications also when no further answer fits', async () => {
    const notification = { jsonrpc: '2.0', method: 'small', params: ['notified'] }
    const calls: unknown[] = JSON.parse(bodies.jsonrpc?.(pages(20)) ?? '')
    await send('jsonrpc', JSON.stringify([...calls, notification]))
    assert.equal(ran.at(-1), 'notified')
  })

  it('counts failures', async () => {
    const unknown = { jsonrpc: '2.0', id: 'd'.repeat(SIZE), method: 'none' }
    const text = await send('jsonrpc', JSON.stringify(Array.from({ length: 20 }, () => unknown)))
    assert.ok((text.match(TOO_LONG) ?? []).length > 10, text)
  })

  it('has errors with the code -32005 for calls beyond batchBytes', async () => {
    const answers = JSON.parse(await send('jsonrpc', bodies.jsonrpc?.(pages(12)) ?? ''))
    assert.equal(answers.length, 12)
    assert.deepEqual(answers.at(-1), {
      jsonrpc: '2.0',
      error: {
        code: -32005,
        message:
          'The answers of the batch exceed 10000 bytes, or the answers of all batches 134217728. Send fewer calls at a time.',
      },
      id: 11,
    })
  })
})

describe('a single call', () => {
  it('is not bounded by batchBytes', async () => {
    class LongController extends RPCController {
      static override batchBytes = 10
      page() {
        return 'x'.repeat(SIZE)
      }
    }
    const long = new RPCService(LongController)
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'page' })
    const response = await long.send('POST', '/stock', call, FIELDS.jsonrpc)
    assert.equal(JSON.parse(await response.text()).result.length, SIZE)
  })
})
