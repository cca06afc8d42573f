import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { serve } from 'propylon/node'
import { type Chunk, type Environ, lint, type WSGIApplication, type WSGIObject } from 'propylon/wsgi'
import { isHopByHop } from '../../../src/wsgi/response-head.ts'
import { Connection, exchange, serving } from './raw.ts'

const hello: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['Hello']
}

const HOST = 'Host: x\r\n'
const LAST = `${HOST}Connection: close\r\n`
const GET = `GET / HTTP/1.1\r\n${HOST}\r\n`
const GET_LAST = `GET / HTTP/1.1\r\n${LAST}\r\n`

describe('serve', () => {
  it('returns its URL', () =>
    serving(hello, async (server) => {
      assert.equal(server.url, `http://127.0.0.1:${server.port}`)
      assert.equal(await (await fetch(server.url)).text(), 'Hello')
    }))

  it('puts an IPv6 address of the URL in brackets', () =>
    serving(
      (environ, start_response) => {
        start_response('200 OK', [])
        return [`${environ.SERVER_NAME} ${environ.REMOTE_ADDR}`]
      },
      async (server) => {
        assert.equal(server.url, `http://[::1]:${server.port}`)
        assert.equal(await (await fetch(server.url)).text(), '[::1] ::1')
      },
      { host: '::1' },
    ))

  it('throws an error that names the port if it is in use', () =>
    serving(hello, async (server) => {
      await assert.rejects(serve(hello, { port: server.port }), {
        code: 'EADDRINUSE',
        message: `Cannot listen on port ${server.port} of 127.0.0.1: it is in use: stop the other server, or choose another port.`,
      })
    }))

  it('throws a TypeError for a value that is not an application', async () => {
    await assert.rejects(serve(JSON.parse('{}')), /An application is a function/)
  })

  it('does not start if its signal is aborted', async () => {
    await assert.rejects(serve(hello, { signal: AbortSignal.abort() }), { name: 'AbortError' })
  })

  it('closes when its signal is aborted', async () => {
    const controller = new AbortController()
    const server = await serve(hello, { signal: controller.signal })
    const closed = once(server.server, 'close')
    controller.abort()
    await closed
    await assert.rejects(fetch(server.url))
  })

  it('calls onHangup on SIGHUP until it is closed', async () => {
    let hangups = 0
    const app: WSGIObject & { onHangup(): void } = { wsgi: hello, onHangup: () => void hangups++ }
    const before = process.listenerCount('SIGHUP')
    const server = await serve(app)
    process.emit('SIGHUP')
    await server.close()
    assert.equal(hangups, 1)
    assert.equal(process.listenerCount('SIGHUP'), before)
  })

  it('sends the page of handleError, and passes later errors to reportError', async () => {
    const reported: unknown[] = []
    const app = {
      wsgi: (environ: Environ, start_response: Parameters<WSGIApplication>[1]) => {
        if (environ.PATH_INFO === '/early') throw new Error('early')
        start_response('200 OK', [])
        return (function* (): Generator<Chunk> {
          yield 'begun'
          throw new Error('late')
        })()
      },
      handleError:
        async (error: unknown): Promise<WSGIApplication> =>
        (_environ, start_response) => {
          start_response('503 Service Unavailable', [['Content-Type', 'text/plain']])
          return [`page for ${error instanceof Error ? error.message : ''}`]
        },
      reportError: (error: unknown) => void reported.push(error instanceof Error ? error.message : error),
    }
    await serving(app, async (server) => {
      const page = await fetch(`${server.url}/early`)
      assert.deepEqual([page.status, await page.text()], [503, 'page for early'])
      await assert.rejects(fetch(`${server.url}/late`).then((response) => response.text()))
      assert.deepEqual(reported, ['late'])
    })
  })

  it('sends a plain page if handleError fails', () =>
    serving(
      {
        wsgi: () => {
          throw new Error('first')
        },
        handleError: (): WSGIApplication => {
          throw new Error('second')
        },
      } as WSGIObject,
      async (server, log) => {
        const page = await fetch(server.url)
        assert.deepEqual([page.status, await page.text()], [500, '500 Internal Server Error\n'])
        assert.match(log.text, /second/)
      },
    ))

  it('logs the error of a plain application with its cause, and sends no details', () =>
    serving(
      () => {
        throw new Error('outer', { cause: new Error('inner') })
      },
      async (server, log) => {
        assert.equal(await (await fetch(server.url)).text(), '500 Internal Server Error\n')
        assert.match(log.text, /GET \/\nError: outer[\s\S]*Caused by: Error: inner/)
      },
    ))

  it('does not send a header value with a line break', () =>
    serving(
      (_environ, start_response) => {
        start_response('200 OK', [['X-Name', 'a\r\nSet-Cookie: evil=1']])
        return ['x']
      },
      async (server, log) => {
        const heard = await exchange(server.port, GET_LAST)
        assert.match(heard, /^HTTP\/1\.1 500 /)
        assert.doesNotMatch(heard, /evil/)
        assert.match(log.text, /X-Name contains a control character/)
      },
    ))

  it('throws an error with a fix for a header beyond Latin-1', () =>
    serving(
      (_environ, start_response) => {
        start_response('200 OK', [['Location', '/€']])
        return []
      },
      async (server, log) => {
        assert.match(await exchange(server.port, GET_LAST), /^HTTP\/1\.1 500 /)
        assert.match(log.text, /Location contains a character beyond Latin-1.*encodeURI\(\)/)
      },
    ))

  it('replaces line breaks and characters beyond Latin-1 in a reason phrase', () =>
    serving(
      (_environ, start_response) => {
        start_response('400 Bad Request -- a\r\nX: €', [])
        return []
      },
      async (server) => {
        assert.match(await exchange(server.port, GET_LAST), /^HTTP\/1\.1 400 Bad Request -- a X: \?\r\n/)
      },
    ))

  it('sends headers and reason in Latin-1 beside a body in UTF-8', () =>
    serving(
      (_environ, start_response) => {
        start_response('200 Gr\xfc\xdfe', [['X-Name', 'J\xfcrgen']])
        return ['ü']
      },
      async (server) => {
        const heard = await exchange(server.port, GET_LAST)
        assert.match(heard, /^HTTP\/1\.1 200 Gr\xfc\xdfe\r\nX-Name: J\xfcrgen\r\n/)
        assert.match(heard, /\r\n\r\n\xc3\xbc$/)
      },
    ))
})

describe('serve, framing', () => {
  const generator = (...chunks: Chunk[]): WSGIApplication =>
    lint((_environ, start_response) => {
      start_response('200 OK', [])
      return chunks.values()
    })

  it('sends a stream with chunked coding over HTTP/1.1', () =>
    serving(generator('ab', 'c'), async (server) => {
      assert.match(
        await exchange(server.port, GET_LAST),
        // Node 26 joins what is written at once.
        /Transfer-Encoding: chunked\r\n\r\n(?:2\r\nab\r\n1\r\nc|3\r\nabc)\r\n0\r\n\r\n$/,
      )
    }))

  it('closes the connection after a stream over HTTP/1.0', () =>
    serving(generator('ab', 'c'), async (server) => {
      assert.match(await exchange(server.port, 'GET / HTTP/1.0\r\n\r\n'), /Connection: close\r\n\r\nabc$/)
    }))

  it('keeps the connection over HTTP/1.0 if the length is known', () =>
    serving(hello, async (server) => {
      const client = new Connection(server.port)
      client.say('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
      await client.hears('Hello')
      client.say('GET / HTTP/1.0\r\n\r\n')
      await client.ends()
      assert.equal(client.heard.match(/Hello/g)?.length, 2)
    }))

  it('resets the connection for a body shorter than its Content-Length', () =>
    serving(
      (_environ, start_response) => {
        start_response('200 OK', [['Content-Length', '10']])
        return ['abc', 'de'].values()
      },
      async (server, log) => {
        await assert.rejects(fetch(server.url).then((response) => response.text()))
        assert.match(log.text, /Content-Length is 10, but the body has only 5 bytes/)
      },
    ))

  it('does not send bytes beyond the Content-Length', () =>
    serving(
      (_environ, start_response) => {
        start_response('200 OK', [['Content-Length', '3']])
        return ['ab', 'cdHTTP/1.1 200 OK'].values()
      },
      async (server, log) => {
        const heard = await exchange(server.port, GET + GET_LAST)
        assert.match(heard, /\r\n\r\nab$/)
        assert.match(log.text, /at least/)
      },
    ))

  it('sends 500 for a complete body of the wrong length', () =>
    serving(
      (_environ, start_response) => {
        start_response('200 OK', [['Content-Length', '3']])
        return ['four']
      },
      async (server) => {
        assert.match(await exchange(server.port, GET_LAST), /^HTTP\/1\.1 500 /)
      },
    ))

  it('resets the connection for an error during a stream over HTTP/1.0', () =>
    serving(
      (_environ, start_response) => {
        start_response('200 OK', [])
        return (async function* (): AsyncGenerator<Chunk> {
          yield 'begun'
          throw new Error('broken')
        })()
      },
      async (server, log) => {
        await assert.rejects(exchange(server.port, 'GET / HTTP/1.0\r\n\r\n'), { code: 'ECONNRESET' })
        assert.match(log.text, /broken/)
      },
    ))

  for (const header of ['Connection', 'Transfer-Encoding', 'Keep-Alive', 'Upgrade']) {
    it(`sends 500 for ${header} from an application`, () =>
      serving(
        (_environ, start_response) => {
          start_response('200 OK', [[header, 'x']])
          return []
        },
        async (server, log) => {
          assert.ok(isHopByHop(header))
          assert.match(await exchange(server.port, GET_LAST), /^HTTP\/1\.1 500 /)
          assert.match(log.text, new RegExp(`${header} concerns the connection`))
        },
      ))
  }
})

describe('serve, request bodies', () => {
  const POST = (length: number, extra = '') => `POST / HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n${extra}\r\n`

  it('keeps the connection after a small unread body', () =>
    serving(hello, async (server) => {
      const heard = await exchange(server.port, `${POST(1000)}${'x'.repeat(1000)}${GET_LAST}`)
      assert.equal(heard.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
    }))

  it('keeps the connection after a partly read body', () =>
    serving(
      async (environ, start_response) => {
        await environ['wsgi.input'].read(10)
        start_response('200 OK', [])
        return ['Hello']
      },
      async (server) => {
        const heard = await exchange(server.port, `${POST(40_000)}${'x'.repeat(40_000)}${GET_LAST}`)
        assert.equal(heard.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
      },
    ))

  it('closes the connection after the response to a large unread body', () =>
    serving(hello, async (server) => {
      const client = new Connection(server.port)
      client.say(POST(1_000_000))
      await client.hears('Hello')
      assert.match(client.heard, /Connection: close/)
      client.say('x'.repeat(1_000_000))
      await client.ends()
      assert.equal(client.heard.match(/HTTP\/1\.1/g)?.length, 1)
    }))

  const CHUNKED = `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`
  const chunk = (length: number) => `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`

  it('keeps the connection after a small unread chunked body', () =>
    serving(hello, async (server) => {
      const heard = await exchange(server.port, `${CHUNKED}${chunk(3)}0\r\n\r\n${GET_LAST}`)
      assert.equal(heard.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
    }))

  it('keeps the connection after a chunked body of 64 KiB that arrives after the response', () =>
    serving(hello, async (server) => {
      const client = new Connection(server.port)
      client.say(CHUNKED)
      await client.hears('Hello')
      for (let sent = 0; sent < 64; sent++) client.say(chunk(1024))
      client.say(`0\r\n\r\n${GET_LAST}`)
      await client.ends()
      assert.equal(client.heard.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
    }))

  it('closes the connection after the response to an unread chunked body beyond 64 KiB', () =>
    serving(hello, async (server) => {
      const client = new Connection(server.port)
      client.say(`${CHUNKED}${chunk(70_000)}`)
      await client.ends()
      assert.match(client.heard, /Hello$/)
    }))

  const LONG = 'x'.repeat(70_000)
  const unread: [framing: string, request: string][] = [
    ['chunked', `${CHUNKED}${chunk(LONG.length)}0\r\n\r\n`],
    ['sized', `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${LONG.length}\r\n\r\n${LONG}`],
    ['expected', `POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx`],
  ]
  for (const [framing, request] of unread) {
    it(`does not run a request behind a body for which the connection is closed: ${framing}`, async () => {
      const methods: string[] = []
      const app: WSGIApplication = (environ, start_response) => {
        methods.push(environ.REQUEST_METHOD)
        return hello(environ, start_response)
      }
      await serving(app, async (server) => {
        const client = new Connection(server.port)
        client.say(`${request}${GET_LAST}`)
        await client.ends()
      })
      assert.deepEqual(methods, ['POST'])
    })
  }

  it('completes an earlier pipelined response before it closes for a chunked body beyond 64 KiB', () =>
    serving(
      async (environ, start_response) => {
        if (environ.REQUEST_METHOD === 'GET') await new Promise(setImmediate)
        start_response('200 OK', [])
        return [`<${environ.REQUEST_METHOD}>`]
      },
      async (server) => {
        const client = new Connection(server.port)
        client.say(`${GET}${CHUNKED}${chunk(200_000)}`)
        await client.ends()
        assert.match(client.heard, /<GET>[\s\S]*<POST>$/)
      },
    ))

  it('receives a small unread body before it closes a connection that is not kept', () =>
    serving(hello, async (server) => {
      const client = new Connection(server.port)
      client.say('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 20000\r\n\r\n')
      await client.hears('Hello')
      for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate)
      assert.equal(client.closed, false)
      client.say('x'.repeat(20_000))
      await client.ends()
    }))

  it('keeps the connection after a partly read chunked body', () =>
    serving(
      async (environ, start_response) => {
        await environ['wsgi.input'].read(10)
        start_response('200 OK', [])
        return ['Hello']
      },
      async (server) => {
        const heard = await exchange(server.port, `${CHUNKED}${chunk(40_000)}0\r\n\r\n${GET_LAST}`)
        assert.equal(heard.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
      },
    ))

  it('sends 100 Continue when the application reads the body', () =>
    serving(
      async (environ, start_response) => {
        const body = await environ['wsgi.input'].read()
        start_response('200 OK', [])
        return ['got ', body]
      },
      async (server) => {
        const client = new Connection(server.port)
        client.say(POST(5, 'Expect: 100-continue\r\nConnection: close\r\n'))
        await client.hears('HTTP/1.1 100 Continue\r\n\r\n')
        client.say('bytes')
        await client.hears('got bytes')
        await client.ends()
      },
    ))

  it('does not send 100 Continue for an unread body, and closes the connection', () =>
    serving(hello, async (server) => {
      const client = new Connection(server.port)
      client.say(POST(5, 'Expect: 100-continue\r\n'))
      await client.ends()
      assert.match(client.heard, /^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*Hello$/)
    }))

  it('refuses another expectation', () =>
    serving(hello, async (server) => {
      assert.match(await exchange(server.port, `GET / HTTP/1.1\r\n${LAST}Expect: wonders\r\n\r\n`), /^HTTP\/1\.1 417 /)
    }))
})
