import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, describe, it } from 'node:test'
import { FrameworkApp, XMLRPCController } from 'propylon'
import { type ServerHandle, serve } from 'propylon/node'
import { Mapper } from 'propylon/routing'
import { decodeResponse, encodeCall, Fault, type Value } from 'propylon/xmlrpc'
import { hostileCalls } from '../../xmlrpc/hostile-calls.ts'

class EchoController extends XMLRPCController {
  static override allowNil = true
  static override i8 = true
  test_echo(...values: Value[]) {
    return values[0] ?? ''
  }
}

interface Answer {
  readonly status: number
  readonly body: Uint8Array
}

describe('malformed, odd and hostile calls over HTTP', () => {
  const logged: string[] = []
  const log = (message: string) => void logged.push(message)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  let server: ServerHandle

  before(async () => {
    const app = new FrameworkApp({
      map: new Mapper().connect('/{controller}', { action: 'index' }),
      controllers: { echo: EchoController },
      logger: { info: log, warn: log, error: log },
    })
    server = await serve(app)
  })
  after(async () => {
    agent.destroy()
    await server.close()
  })

  function post(body: string | Uint8Array, contentType: string): Promise<Answer> {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const request = http.request(
      `${server.url}/echo`,
      {
        method: 'POST',
        agent,
        headers: {
          'Content-Length': bytes.length,
          ...(contentType !== '' && { 'Content-Type': contentType }),
        },
      },
      (response) => {
        const chunks: Uint8Array[] = []
        response.on('data', (chunk: Uint8Array) => chunks.push(chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    request.end(bytes)
    return promise
  }

  async function aGoodCallSucceeds(): Promise<void> {
    const { status, body } = await post(encodeCall('test.echo', ['still here']), 'text/xml')
    assert.equal(status, 200)
    assert.equal(decodeResponse(body), 'still here')
  }

  for (const { name, body, contentType = 'text/xml', expect } of hostileCalls) {
    it(`${expect === 'ok' ? 'answers' : 'refuses'} ${name}, and answers a valid call after it`, async () => {
      const answer = await post(body, contentType)
      if (body.length === 0) assert.equal(answer.status, 411)
      else if (body.length > EchoController.max_body_length) assert.equal(answer.status, 413)
      else if (expect === 'ok') {
        assert.equal(answer.status, 200)
        decodeResponse(answer.body)
      } else {
        assert.equal(answer.status, 200)
        assert.throws(
          () => decodeResponse(answer.body),
          (error) => error instanceof Fault && error.faultCode === expect,
        )
      }
      await aGoodCallSucceeds()
    })
  }

  it('are not logged, because they are not errors of the server', () => {
    assert.deepEqual(logged, [])
  })
})
