import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { decodeCall, encodeResponse, type Struct, XMLRPCClient } from 'propylon/xmlrpc'
import { listen, listenRaw, mirror, socketPath } from './servers.ts'

type Mirror = { mirror(value: unknown): Struct }

describe('the URL of a unix socket', () => {
  for (const [form, path] of [
    ['unix:SOCKET:/RPC2', '/RPC2'],
    ['unix:SOCKET', '/RPC2'],
    ['unix://SOCKET:/a/b?c=d', '/a/b?c=d'],
    ['http+unix://ENCODED/other', '/other'],
    ['http+unix://ENCODED', '/RPC2'],
  ] as const) {
    it(`can be ${form}`, async (context) => {
      const socket = socketPath(context)
      await listen(context, mirror, socket)
      const url = form.replace('SOCKET', socket).replace('ENCODED', encodeURIComponent(socket))
      const seen = await new XMLRPCClient<Mirror>(url).mirror('grüße')
      assert.deepEqual([seen.param, seen.path, seen.host], ['grüße', path, 'localhost'])
    })
  }

  it('can have a user and a password, which no message has', async (context) => {
    const socket = socketPath(context)
    await listen(context, mirror, socket)
    const client = new XMLRPCClient<Mirror>(`http+unix://me:secret@${encodeURIComponent(socket)}/`)
    assert.equal((await client.mirror(1)).authorization, `Basic ${btoa('me:secret')}`)
    assert.doesNotMatch(client.url, /secret/)
  })

  it('can have escaped characters', async (context) => {
    const socket = `${socketPath(context)} ü`
    await listen(context, mirror, socket)
    const url = `unix:${encodeURI(socket)}:/RPC2`
    assert.equal((await new XMLRPCClient<Mirror>(url).mirror(1)).param, 1)
  })

  it('is decompressed if the server compresses unasked', async (context) => {
    const { gzipSync } = await import('node:zlib')
    const { url } = await listen(
      context,
      (_request, response) => {
        response.setHeader('content-encoding', 'gzip').end(gzipSync(encodeResponse('small')))
      },
      socketPath(context),
    )
    assert.equal(await new XMLRPCClient(url).call('a'), 'small')
  })

  it('is refused with its cause if it is not compressed as it says', async (context) => {
    const { url } = await listen(
      context,
      (_request, response) => response.setHeader('content-encoding', 'gzip').end(encodeResponse('small')),
      socketPath(context),
    )
    await assert.rejects(new XMLRPCClient(url).call('a'), {
      message: `${url}: the connection failed: incorrect header check (Z_DATA_ERROR)`,
    })
  })

  it('has the limit of the response', async (context) => {
    const { url } = await listen(
      context,
      (_request, response) => response.end('x'.repeat(10_000)),
      socketPath(context),
    )
    const client = new XMLRPCClient(url, { maxResponseLength: 5000 })
    await assert.rejects(client.call('a'), /longer than 5000 bytes/)
  })
})

describe('an invalid URL', () => {
  for (const [url, message] of [
    ['unix:', /names no socket/],
    ['unix:/', /names no socket/],
    ['unix:/run/app.sock:path', /names no socket/],
    ['unix://host/run/app.sock', /names no socket/],
    ['http+unix://', /names no socket/],
    ['scgi:', /names no socket/],
    ['scgi://localhost/RPC2', /has no port/],
    ['ftp://localhost/', /scheme ftp:/],
  ] as const) {
    it(`is refused: ${url}`, () => {
      assert.throws(() => new XMLRPCClient(url), { name: 'TypeError', message })
    })
  }

  it('is refused with the option fetch unless it is http or https', () => {
    assert.throws(() => new XMLRPCClient('unix:/run/app.sock', { fetch }), /option fetch is for http:/)
  })
})

/** Starts the server on the first port that is free. */
async function listenOnOneOf(
  context: TestContext,
  [port, ...others]: readonly number[],
): ReturnType<typeof listen> {
  try {
    return await listen(context, mirror, port)
  } catch (error) {
    if (others.length === 0) throw error
    return listenOnOneOf(context, others)
  }
}

describe('a port that fetch refuses', () => {
  it('is reached by node:http', async (context) => {
    const { url } = await listenOnOneOf(context, [6666, 6667, 6668, 6669, 6697, 5060, 5061, 10080])
    await assert.rejects(fetch(url), { cause: new Error('bad port') })
    assert.equal((await new XMLRPCClient<Mirror>(url).mirror(5)).host, new URL(url).host)
  })
})

/** Reads SCGI requests and responds to each with what the function returns for its fields and its body. */
function scgi(answer: (fields: Record<string, string>, body: Buffer) => string | Buffer[]) {
  return (socket: Socket) => {
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.subarray(0, colon))
      if (colon < 0 || received.length <= end) return
      assert.equal(received[end], ','.charCodeAt(0))
      const pairs = received
        .subarray(colon + 1, end)
        .toString()
        .split('\0')
      const fields: Record<string, string> = {}
      for (let i = 0; i + 1 < pairs.length; i += 2) fields[pairs[i] ?? ''] = pairs[i + 1] ?? ''
      const body = received.subarray(end + 1)
      assert.equal(pairs[0], 'CONTENT_LENGTH')
      if (body.length < Number(fields.CONTENT_LENGTH)) return
      const made = answer(fields, body)
      for (const part of typeof made === 'string' ? [made] : made) socket.write(part)
      socket.end()
    })
  }
}

const cgi = (
  body: string,
  head = `Status: 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`,
): string => `${head}Content-Type: text/xml\r\n\r\n${body}`

describe('an SCGI server', () => {
  it('receives the call with its fields, over TCP', async (context) => {
    let seen: Record<string, string> = {}
    const port = await listenRaw(
      context,
      scgi((fields, body) => {
        seen = fields
        return cgi(encodeResponse(decodeCall(body).params[0] ?? ''))
      }),
    )
    const client = new XMLRPCClient(`scgi://me:secret@127.0.0.1:${port}/RPC2?x=1`, {
      headers: { 'X-A': 'b' },
    })
    const text = 'ü'.repeat(50_000)
    assert.equal(await client.call('echo', text), text)
    assert.equal(seen.SCGI, '1')
    assert.equal(seen.REQUEST_METHOD, 'POST')
    assert.equal(seen.REQUEST_URI, '/RPC2?x=1')
    assert.equal(seen.CONTENT_TYPE, 'text/xml')
    assert.equal(seen.HTTP_X_A, 'b')
    assert.equal(seen.HTTP_AUTHORIZATION, `Basic ${btoa('me:secret')}`)
  })

  it('can listen on a unix socket', async (context) => {
    const path = socketPath(context)
    const paths: string[] = []
    const answer = scgi((fields) => {
      paths.push(fields.REQUEST_URI ?? '')
      return cgi(encodeResponse(1))
    })
    await listenRaw(context, answer, path)
    await new XMLRPCClient(`scgi://${path}`).call('a')
    await new XMLRPCClient(`scgi://${path}:/other`).call('a')
    assert.deepEqual(paths, ['/RPC2', '/other'])
  })

  const document = encodeResponse('x')
  for (const [form, response] of [
    ['line feeds alone', `Status: 200 OK\nContent-Type: text/xml\n\n${document}`],
    ['no status', `Content-Type: text/xml\r\n\r\n${document}`],
    ['no length', cgi(document, 'Status: 200 OK\r\n')],
    ['bytes after its length', `${cgi(document)} more`],
    ['single bytes', [...Buffer.from(cgi(document))].map((byte) => Buffer.from([byte]))],
  ] as const) {
    it(`may respond with ${form}`, async (context) => {
      const port = await listenRaw(
        context,
        scgi(() => response as string | Buffer[]),
      )
      assert.equal(await new XMLRPCClient(`scgi://127.0.0.1:${port}/`).call('a'), 'x')
    })
  }

  for (const [form, response, message] of [
    ['a body that is cut short', cgi(document).slice(0, -5), /the response ended 5 bytes before its end/],
    ['nothing', '', /closed the connection before the head/],
    ['half a head', 'Status: 200 OK\r\nConte', /closed the connection before the head/],
    ['an endless head', 'x'.repeat(70_000), /the head of the response is longer/],
    ['a malformed line', 'no colon\r\n\r\n', /malformed line "no colon"/],
    ['a malformed status', 'Status: fine\r\n\r\n', /the status is "fine"/],
    ['a malformed length', 'Content-Length: -1\r\n\r\n', /Content-Length is "-1"/],
    ['another status', 'Status: 404 Not Found\r\n\r\n', /the HTTP status is 404/],
  ] as const) {
    it(`is refused if it responds with ${form}`, async (context) => {
      const port = await listenRaw(
        context,
        scgi(() => response),
      )
      await assert.rejects(new XMLRPCClient(`scgi://127.0.0.1:${port}/`).call('a'), (error) => {
        assert.ok(error instanceof Error)
        assert.equal(error.name, 'XMLRPCTransportError')
        assert.match(error.message, message)
        return true
      })
    })
  }
})

describe('a server that never responds', () => {
  for (const scheme of ['unix', 'scgi']) {
    it(`fails the call after the time limit: ${scheme}`, async (context) => {
      const path = socketPath(context)
      await listenRaw(context, () => {}, path)
      const client = new XMLRPCClient(`${scheme}:${path}`, { timeout: 1 })
      await assert.rejects(client.call('a'), /XMLRPCTransportError: .*no response within 1 ms/)
    })

    it(`fails the call with the reason of the signal: ${scheme}`, async (context) => {
      const path = socketPath(context)
      const controller = new AbortController()
      const reason = new Error('enough')
      await listenRaw(context, () => controller.abort(reason), path)
      const client = new XMLRPCClient(`${scheme}:${path}`, { signal: controller.signal })
      await assert.rejects(client.call('a'), reason)
      await assert.rejects(client.call('a'), reason)
    })
  }
})
