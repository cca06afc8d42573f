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
  it('says where it can be reached', () =>
    serving(hello, async (server) => {
      assert.equal(server.url, `http://127.0.0.1:${server.port}`)
      assert.equal(await (await fetch(server.url)).text(), 'Hello')
    }))

  it('puts an IPv6 address in brackets', () =>
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

  it('refuses a port that is in use, and says so', () =>
    serving(hello, async (server) => {
      await assert.rejects(serve(hello, { port: server.port }), {
        code: 'EADDRINUSE',
        message: `Cannot listen on port ${server.port} of 127.0.0.1: it is in use: stop the other server, or choose another port.`,
      })
    }))

  it('refuses what is no application', async () => {
    await assert.rejects(serve(JSON.parse('{}')), /An application is a function/)
  })

  it('does not begin when its signal is aborted', async () => {
    await assert.rejects(serve(hello, { signal: AbortSignal.abort() }), { name: 'AbortError' })
  })

  it('ends when its signal is aborted', async () => {
    const controller = new AbortController()
    const server = await serve(hello, { signal: controller.signal })
    const closed = once(server.server, 'close')
    controller.abort()
    await closed
    await assert.rejects(fetch(server.url))
  })

  it('calls onHangup on SIGHUP, and no more once it is closed', async () => {
    let hangups = 0
    const app: WSGIObject & { onHangup(): void } = { wsgi: hello, onHangup: () => void hangups++ }
    const before = process.listenerCount('SIGHUP')
    const server = await serve(app)
    process.emit('SIGHUP')
    await server.close()
    assert.equal(hangups, 1)
    assert.equal(process.listenerCount('SIGHUP'), before)
  })

  it('shows the page of handleError, and logs what comes later with reportError', async () => {
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

  it('shows a plain page when handleError fails too', () =>
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

  it('logs the error of a plain application with its cause, and shows nothing of it', () =>
    serving(
      () => {
        throw new Error('outer', { cause: new Error('inner') })
      },
      async (server, log) => {
        assert.equal(await (await fetch(server.url)).text(), '500 Internal Server Error\n')
        assert.match(log.text, /GET \/\nError: outer[\s\S]*Caused by: Error: inner/)
      },
    ))

  it('never sends a header that would inject another', () =>
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

  it('says how to correct a header beyond Latin-1', () =>
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

  it('makes a reason phrase safe', () =>
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

  it('a stream goes out in chunks over HTTP/1.1', () =>
    serving(generator('ab', 'c'), async (server) => {
      assert.match(
        await exchange(server.port, GET_LAST),
        // Node 26 joins what is written at once.
        /Transfer-Encoding: chunked\r\n\r\n(?:2\r\nab\r\n1\r\nc|3\r\nabc)\r\n0\r\n\r\n$/,
      )
    }))

  it('a stream goes out until the connection closes over HTTP/1.0', () =>
    serving(generator('ab', 'c'), async (server) => {
      assert.match(await exchange(server.port, 'GET / HTTP/1.0\r\n\r\n'), /Connection: close\r\n\r\nabc$/)
    }))

  it('HTTP/1.0 may keep the connection where the length is known', () =>
    serving(hello, async (server) => {
      const client = new Connection(server.port)
      client.say('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
      await client.hears('Hello')
      client.say('GET / HTTP/1.0\r\n\r\n')
      await client.ends()
      assert.equal(client.heard.match(/Hello/g)?.length, 2)
    }))

  it('a body that is shorter than its Content-Length is seen to be incomplete', () =>
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

  it('a body that is longer than its Content-Length never spills into the next response', () =>
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

  it('a whole body of the wrong length is a 500 before anything is sent', () =>
    serving(
      (_environ, start_response) => {
        start_response('200 OK', [['Content-Length', '3']])
        return ['four']
      },
      async (server) => {
        assert.match(await exchange(server.port, GET_LAST), /^HTTP\/1\.1 500 /)
      },
    ))

  it('an error amid a stream over HTTP/1.0 resets the connection', () =>
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
    it(`${header} from an application is a 500`, () =>
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
  const POST = (length: number, extra = '') =>
    `POST / HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n${extra}\r\n`

  it('a small body that nobody reads leaves the connection usable', () =>
    serving(hello, async (server) => {
      const heard = await exchange(server.port, `${POST(1000)}${'x'.repeat(1000)}${GET_LAST}`)
      assert.equal(heard.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
    }))

  it('a body that is read in part leaves the connection usable', () =>
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

  it('a large body that nobody reads closes the connection after the answer', () =>
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

  it('a small chunked body that nobody reads leaves the connection usable', () =>
    serving(hello, async (server) => {
      const heard = await exchange(server.port, `${CHUNKED}${chunk(3)}0\r\n\r\n${GET_LAST}`)
      assert.equal(heard.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
    }))

  it('a chunked body of 64 KiB that arrives after the response leaves the connection usable', () =>
    serving(hello, async (server) => {
      const client = new Connection(server.port)
      client.say(CHUNKED)
      await client.hears('Hello')
      for (let sent = 0; sent < 64; sent++) client.say(chunk(1024))
      client.say(`0\r\n\r\n${GET_LAST}`)
      await client.ends()
      assert.equal(client.heard.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
    }))

  it('a chunked body beyond 64 KiB that nobody reads closes the connection after the response', () =>
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
    it(`a request is not run behind a body for which the connection is closed: ${framing}`, async () => {
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

  it('a chunked body beyond 64 KiB does not cut the response to an earlier pipelined request', () =>
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

  it('a small unread body is received before a connection that is not kept is closed', () =>
    serving(hello, async (server) => {
      const client = new Connection(server.port)
      client.say('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 20000\r\n\r\n')
      await client.hears('Hello')
      for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate)
      assert.equal(client.closed, false)
      client.say('x'.repeat(20_000))
      await client.ends()
    }))

  it('a chunked body that is read in part leaves the connection usable', () =>
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

  it('asks for the body when the application reads it', () =>
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

  it('does not ask for a body that the application does not read, and closes the connection', () =>
    serving(hello, async (server) => {
      const client = new Connection(server.port)
      client.say(POST(5, 'Expect: 100-continue\r\n'))
      await client.ends()
      assert.match(client.heard, /^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*Hello$/)
    }))

  it('refuses another expectation', () =>
    serving(hello, async (server) => {
      assert.match(
        await exchange(server.port, `GET / HTTP/1.1\r\n${LAST}Expect: wonders\r\n\r\n`),
        /^HTTP\/1\.1 417 /,
      )
    }))
})
