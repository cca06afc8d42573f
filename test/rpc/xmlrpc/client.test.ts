import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import {
  type Call,
  decodeCall,
  double,
  type Encodable,
  encodeResponse,
  Fault,
  type Fetch,
  faultStruct,
  XMLRPCClient,
  type XMLRPCClientOptions,
  XMLRPCEncodeError,
  XMLRPCProtocolError,
  XMLRPCTransportError,
} from 'propylon/xmlrpc'

interface Api {
  test: {
    (loud: boolean): string
    battingOrder(position: number): string
    echo(value: Encodable): Encodable
  }
  add(a: number, b: number): Promise<number>
}

interface Sent {
  readonly url: string
  readonly init: RequestInit
  readonly call: Call
}

/** A `fetch` that responds with the result of the function and records the requests. */
function fetchOf(answer: (call: Call) => Encodable | Fault | Response): { sent: Sent[]; fetch: Fetch } {
  const sent: Sent[] = []
  return {
    sent,
    fetch: async (url, init) => {
      const call = decodeCall(init.body as Uint8Array)
      sent.push({ url, init, call })
      const made = answer(call)
      if (made instanceof Response) return made
      return new Response(encodeResponse(made, { allowNil: true }), {
        headers: { 'content-type': 'text/xml' },
      })
    },
  }
}

const URL = 'http://server.test/RPC2'

function clientOf(answer: (call: Call) => Encodable | Fault | Response, options: XMLRPCClientOptions = {}) {
  const { fetch, sent } = fetchOf(answer)
  return { client: new XMLRPCClient<Api>(URL, { fetch, ...options }), sent }
}

describe('a client', () => {
  it('calls a method by its name', async () => {
    const { client, sent } = clientOf(({ params }) => params.length)
    assert.equal(await client.call('any name.at-all'.replace(' ', '-'), 1, 'a'), 2)
    assert.deepEqual(sent[0]?.call, {
      methodName: 'any-name.at-all',
      params: [1, 'a'],
      types: ['int', 'string'],
    })
  })

  it('calls a method by properties, one for each part of the name', async () => {
    const { client, sent } = clientOf(({ methodName }) => methodName)
    assert.equal(await client.test.battingOrder(4), 'test.battingOrder')
    assert.equal(await client.test(true), 'test')
    await client.add(1, 2)
    assert.deepEqual(
      sent.map(({ call }) => [call.methodName, call.params]),
      [
        ['test.battingOrder', [4]],
        ['test', [true]],
        ['add', [1, 2]],
      ],
    )
    // @ts-expect-error the position is a number
    await client.test.battingOrder('4')
    // @ts-expect-error there is no such method
    await client.test.nothing()
  })

  it('calls any name without a description of the server', async () => {
    const { fetch, sent } = fetchOf(() => true)
    const client = new XMLRPCClient(URL, { fetch })
    const value = await client.a?.b?.constructor?.(1)
    assert.equal(value, true)
    assert.equal(sent[0]?.call.methodName, 'a.b.constructor')
  })

  it('sends no call when it is awaited, printed or written as JSON', async () => {
    const { client, sent } = clientOf(() => 'called')
    assert.equal((await client).url, URL)
    const namespace = await client.test
    assert.equal(typeof namespace, 'function')
    assert.equal(JSON.stringify({ client: client.test }), '{}')
    assert.equal(JSON.stringify(client), JSON.stringify({ url: URL }))
    assert.equal(String(client), `XMLRPCClient ${URL}`)
    assert.equal(`${client.test}`, '[remote method test]')
    assert.equal(Reflect.get(client, 'then'), undefined)
    assert.equal(sent.length, 0)
  })

  it('is an instance of XMLRPCClient', () => {
    assert.ok(clientOf(() => 1).client instanceof XMLRPCClient)
  })

  it('sends UTF-8 with the headers of its options', async () => {
    const { client, sent } = clientOf(() => 1, { headers: { 'X-A': 'b', 'User-Agent': 'me' } })
    await client.test.echo('ü')
    const { init, url } = sent[0] as Sent
    const headers = new Headers(init.headers)
    assert.equal(url, URL)
    assert.equal(init.method, 'POST')
    assert.ok(init.body instanceof Uint8Array)
    assert.equal(headers.get('content-type'), 'text/xml')
    assert.equal(headers.get('x-a'), 'b')
    assert.equal(headers.get('user-agent'), 'me')
    assert.equal(headers.get('authorization'), null)
  })

  it('encodes and decodes with its options', async () => {
    const options = { allowNil: true, i8: true, doubles: 'wrapped' } as const
    const { client, sent } = clientOf(() => double(2), options)
    assert.deepEqual(await client.call('a', null, 5n), double(2))
    assert.deepEqual(sent[0]?.call.types, ['nil', 'i8'])
    await assert.rejects(clientOf(() => 1).client.call('a', null), XMLRPCEncodeError)
  })

  it('throws a fault of the server', async () => {
    const { client } = clientOf(() => new Fault(26, 'No more stock.'))
    await assert.rejects(client.test.battingOrder(1), new Fault(26, 'No more stock.'))
  })
})

describe('user and password in the URL', () => {
  it('are sent in the Authorization header only', async () => {
    const { fetch, sent } = fetchOf(() => new Response('no', { status: 401 }))
    const client = new XMLRPCClient('http://us%3Aer:p%C3%A4ss@server.test/RPC2', { fetch })
    assert.equal(client.url, URL)
    await assert.rejects(client.call('a'), (error) => {
      assert.ok(error instanceof XMLRPCTransportError)
      assert.doesNotMatch(`${error.message} ${error.stack}`, /p%C3%A4ss|päss/)
      return true
    })
    assert.equal(sent[0]?.url, URL)
    const { authorization } = Object.fromEntries(new Headers(sent[0]?.init.headers))
    assert.equal(authorization, `Basic ${Buffer.from('us:er:päss').toString('base64')}`)
  })

  it('are replaced by an Authorization header of the caller', async () => {
    const { fetch, sent } = fetchOf(() => 1)
    await new XMLRPCClient('http://a:b@server.test/', { fetch, headers: { Authorization: 'Bearer x' } }).call('a')
    assert.equal(new Headers(sent[0]?.init.headers).get('authorization'), 'Bearer x')
  })

  it('are removed from the location of a redirect', async () => {
    const headers = { location: 'https://a:secret@other.test/RPC2' }
    const { client } = clientOf(() => new Response(null, { status: 301, headers }))
    await assert.rejects(client.call('a'), /status is 301, a redirect to https:\/\/other\.test\/RPC2$/)
  })
})

describe('a failed call', () => {
  const xml = { 'content-type': 'text/xml' }

  it('throws a transport error with status and body if the status is not 200', async () => {
    const { client } = clientOf(() => new Response('<html>gone</html>', { status: 502 }))
    await assert.rejects(client.call('a'), (error) => {
      assert.ok(error instanceof XMLRPCTransportError)
      assert.equal(error.status, 502)
      assert.equal(error.body, '<html>gone</html>')
      assert.match(error.message, /^http:\/\/server\.test\/RPC2: the HTTP status is 502$/)
      return true
    })
  })

  it('throws the fault if it has another status', async () => {
    const body = encodeResponse(new Fault(1, 'x'))
    const { client } = clientOf(() => new Response(body, { status: 500, headers: xml }))
    await assert.rejects(client.call('a'), new Fault(1, 'x'))
  })

  it('throws a transport error for a value, and for a fault that is not sent as XML, with another status', async () => {
    for (const [body, headers] of [
      [encodeResponse(1), xml],
      [encodeResponse(new Fault(1, 'x')), { 'content-type': 'text/html' }],
    ] as const) {
      const { client } = clientOf(() => new Response(body, { status: 500, headers }))
      await assert.rejects(client.call('a'), XMLRPCTransportError)
    }
  })

  it('throws a protocol error with the body if the response is not XML-RPC', async () => {
    for (const body of ['<html>hello</html>', '', 'Hello', encodeResponse(1).slice(0, -5)]) {
      const { client } = clientOf(() => new Response(body, { headers: xml }))
      await assert.rejects(client.call('a'), (error) => {
        assert.ok(error instanceof XMLRPCProtocolError)
        assert.equal(error.body, body)
        assert.ok(error.cause instanceof Error)
        return true
      })
    }
  })

  it('refuses a maximum length that is not a number, which would not limit the response', () => {
    const options = { maxResponseLength: Number.NaN }
    assert.throws(() => new XMLRPCClient('http://localhost/', options), /RangeError: .*maxResponseLength is NaN/)
  })

  it('throws a protocol error if the response is too long, and does not read the rest', async () => {
    let pulled = 0
    const body = new ReadableStream({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(1000))
      },
    })
    const { client } = clientOf(() => new Response(body, { headers: xml }), { maxResponseLength: 5000 })
    await assert.rejects(client.call('a'), /XMLRPCProtocolError: the response is longer than 5000 bytes/)
    assert.ok(pulled < 10)
  })

  it('throws a transport error with its cause if the connection fails', async () => {
    const cause = new TypeError('fetch failed')
    const client = new XMLRPCClient(URL, { fetch: () => Promise.reject(cause) })
    await assert.rejects(client.call('a'), (error) => {
      assert.ok(error instanceof XMLRPCTransportError)
      assert.equal(error.cause, cause)
      assert.equal(error.status, undefined)
      return true
    })
  })

  const never: Fetch = (_url, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
    })

  it('throws a transport error after its time limit', async () => {
    const keep = setInterval(() => {}, 1000)
    try {
      await assert.rejects(
        new XMLRPCClient(URL, { fetch: never, timeout: 1 }).call('a'),
        /XMLRPCTransportError: http:\/\/server\.test\/RPC2: no response within 1 ms/,
      )
    } finally {
      clearInterval(keep)
    }
  })

  it('accepts a time limit that is not an integer', async () => {
    const { fetch } = fetchOf(() => 1)
    assert.equal(await new XMLRPCClient(URL, { fetch, timeout: 59_999.5 }).call('a'), 1)
  })

  it('throws the reason of its signal', async () => {
    const controller = new AbortController()
    const calling = new XMLRPCClient(URL, { fetch: never, signal: controller.signal }).call('a')
    const reason = new Error('enough')
    controller.abort(reason)
    await assert.rejects(calling, reason)
  })

  it('throws a TypeError if the URL is invalid or has another scheme', () => {
    assert.throws(() => new XMLRPCClient('nowhere'), TypeError)
    assert.throws(() => new XMLRPCClient('file:///etc/passwd'), TypeError)
  })
})

describe('multicall', () => {
  it('returns a value or a fault for each call', async () => {
    const { client, sent } = clientOf(() => [[1], faultStruct(new Fault(4, 'x')), [[]]])
    const results = await client.multicall([['a', 1], { methodName: 'b', params: ['c'] }, { methodName: 'd' }])
    assert.deepEqual(results, [1, new Fault(4, 'x'), []])
    assert.equal(sent[0]?.call.methodName, 'system.multicall')
    assert.equal(
      JSON.stringify(sent[0]?.call.params),
      '[[{"methodName":"a","params":[1]},{"methodName":"b","params":["c"]},{"methodName":"d","params":[]}]]',
    )
  })

  for (const [bare, expected] of [
    [1, 1],
    [[[1, 2]], [1, 2]],
    [
      [1, 2],
      [1, 2],
    ],
    ['text', 'text'],
  ] as [Encodable, Encodable][]) {
    it(`accepts results without an array, as of supervisord: ${JSON.stringify(bare)}`, async () => {
      assert.deepEqual(await clientOf(() => [bare]).client.multicall([['a']]), [expected])
    })
  }

  for (const answer of [[], 'no', [{ faultCode: 'a', faultString: 'b' }]] as Encodable[]) {
    it(`throws a protocol error if the response is ${JSON.stringify(answer)}`, async () => {
      await assert.rejects(clientOf(() => answer).client.multicall([['a']]), XMLRPCProtocolError)
    })
  }
})

describe('introspection', () => {
  it('returns names, signatures and help', async () => {
    const answers: Record<string, Encodable> = {
      'system.listMethods': ['a', 'b'],
      'system.methodSignature': [['string', 'int']],
      'system.methodHelp': 'Helps.',
    }
    const { client, sent } = clientOf(({ methodName }) => answers[methodName] ?? '')
    assert.deepEqual(await client.listMethods(), ['a', 'b'])
    assert.deepEqual(await client.methodSignature('a'), [['string', 'int']])
    assert.equal(await client.methodHelp('a'), 'Helps.')
    assert.deepEqual(sent[1]?.call.params, ['a'])
  })

  it('returns null for each form of "no signature"', async () => {
    for (const none of ['undef', 'signatures not supported', '', 0, []]) {
      assert.equal(await clientOf(() => none).client.methodSignature('a'), null)
    }
  })

  it('accepts one signature without a list, as of supervisord', async () => {
    assert.deepEqual(await clientOf(() => ['string', 'int']).client.methodSignature('a'), [['string', 'int']])
  })

  it('throws a protocol error if the result is something else', async () => {
    await assert.rejects(clientOf(() => [1]).client.listMethods(), XMLRPCProtocolError)
    await assert.rejects(clientOf(() => [[1]]).client.methodSignature('a'), XMLRPCProtocolError)
    await assert.rejects(clientOf(() => 1).client.methodHelp('a'), XMLRPCProtocolError)
  })
})

describe('a client over a socket', () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { params } = decodeCall(Buffer.concat(chunks))
      const body = encodeResponse([...params, request.headers['content-length'] ?? 'none'])
      response.writeHead(200, { 'content-type': 'text/xml' }).end(body)
    })
  })
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  after(() => server.close())

  it('uses the fetch of the platform', async () => {
    const { port } = server.address() as AddressInfo
    const client = new XMLRPCClient<{ echo(text: string): [string, string] }>(`http://127.0.0.1:${port}/`)
    const [text, length] = await client.echo('grüße')
    assert.equal(text, 'grüße')
    assert.match(length, /^\d+$/)
  })
})
