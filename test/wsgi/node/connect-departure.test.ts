import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { requestLog } from 'propylon/middleware'
import { type ConnectHandler, fromConnect } from 'propylon/node'
import type { WSGICallable } from 'propylon/wsgi'
import { Connection, Log, serving } from './raw.ts'

const GET = 'GET /page HTTP/1.1\r\nHost: x\r\n\r\n'
const silent = { error() {}, warn() {}, info() {} }

class PageController extends WSGIController {
  index() {
    return 'page'
  }
}

/** The places where an application can have a handler. */
const places: Record<string, (handler: ConnectHandler) => WSGICallable> = {
  'served alone': (handler) => fromConnect(handler),
  'as a controller': (handler) =>
    new FrameworkApp({
      map: new Mapper().connect('/{path}', { controller: 'legacy', action: 'index' }),
      controllers: { legacy: fromConnect(handler) },
      logger: silent,
    }),
  'in middleware behind other middleware': (handler) =>
    new FrameworkApp({
      map: new Mapper().connect('/{path}', { controller: 'page', action: 'index' }),
      controllers: { page: PageController },
      middleware: [requestLog({ write() {} }), fromConnect(handler)],
      logger: silent,
    }),
}

for (const [place, appWith] of Object.entries(places)) {
  describe(`a Connect handler ${place}`, () => {
    it('sends its head at once by flushHeaders()', async () => {
      const gate = Promise.withResolvers<void>()
      const handler: ConnectHandler = async (_req, res) => {
        res.writeHead(200, { 'Content-Type': 'text/event-stream' })
        res.flushHeaders()
        await gate.promise
        res.end('data: first\n\n')
      }
      await serving(appWith(handler), async (server) => {
        const client = new Connection(server.port)
        client.say(GET)
        await client.hears('text/event-stream')
        await client.hears('\r\n\r\n')
        assert.doesNotMatch(client.heard, /data:/)
        gate.resolve()
        await client.hears('data: first')
        client.socket.destroy()
      })
    })

    it('breaks the response if it fails after that', async () => {
      const gate = Promise.withResolvers<void>()
      const handler: ConnectHandler = async (_req, res) => {
        res.flushHeaders()
        await gate.promise
        res.destroy(new Error('failed'))
      }
      await serving(appWith(handler), async (server) => {
        const client = new Connection(server.port)
        client.say(GET)
        await client.hears('\r\n\r\n')
        gate.resolve()
        await client.ends()
        assert.match(client.heard, /^HTTP\/1\.1 200 OK\r\n/)
        assert.doesNotMatch(client.heard, /0\r\n\r\n$/)
      })
    })

    it('is told that its client has left before the head', async () => {
      const begun = Promise.withResolvers<void>()
      const told: string[] = []
      const complete = new EventEmitter()
      const handler: ConnectHandler = (req, res) => {
        const tell = (event: string) => () => {
          told.push(event)
          if (told.length === 4) complete.emit('complete')
        }
        req.on('error', (error) => tell(`request ${Reflect.get(error, 'code')}`)())
        req.on('aborted', tell('request aborted')).on('close', tell('request close'))
        res.on('close', tell('response close'))
        seen.push([req, res])
        begun.resolve()
      }
      const seen: [IncomingMessage, ServerResponse][] = []
      await serving(appWith(handler), async (server, log) => {
        const client = new Connection(server.port)
        client.say(GET)
        await begun.promise
        const closed = once(complete, 'complete')
        client.socket.destroy()
        await closed
        assert.deepEqual(told, ['request aborted', 'response close', 'request ECONNRESET', 'request close'])
        const [[req, res] = assert.fail()] = seen
        assert.deepEqual([req.destroyed, res.destroyed, req.socket.destroyed], [true, true, true])
        assert.equal(log.text, '')
      })
    })

    for (const status of [101, 102, 199]) {
      it(`cannot end with status ${status}`, async () => {
        const handler: ConnectHandler = (_req, res) => {
          res.statusCode = status
          res.end()
        }
        await serving(appWith(handler), async (server) => {
          const response = await fetch(`${server.url}/page`)
          assert.equal(response.status, 500)
        })
      })
    }
  })
}

describe('a Connect handler in middleware', () => {
  it('receives a path that cannot be decoded as it was sent', async () => {
    const urls: (string | undefined)[] = []
    const handler: ConnectHandler = (req, _res, next) => {
      urls.push(req.url, Reflect.get(req, 'originalUrl'))
      next()
    }
    const app = places['in middleware behind other middleware']?.(handler) ?? assert.fail()
    await serving(app, async (server) => {
      for (const path of ['/%foobar', '/a%00b?q=%zz', '/%FF']) {
        assert.equal((await fetch(`${server.url}${path}`)).status, 400)
        assert.deepEqual(urls.splice(0), [path, path])
      }
    })
  })
})

describe('a Connect handler that waits for the application behind it', () => {
  it('is told that its client has left', async () => {
    const begun = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const handler: ConnectHandler = (_req, res, next) => {
      res.on('close', () => closed.resolve())
      next()
    }
    const app = fromConnect(handler, async () => {
      begun.resolve()
      return new Promise<never>(() => {})
    })
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      client.say(GET)
      await begun.promise
      client.socket.destroy()
      await closed.promise
    })
  })
})

describe('Express', () => {
  it('reports to sendFile() that the client has left', async () => {
    const begun = Promise.withResolvers<void>()
    const reported = Promise.withResolvers<Error | undefined>()
    const legacy = express()
    legacy.get('/page', (req, res) => {
      begun.resolve()
      req.on('aborted', () => res.sendFile(fileURLToPath(import.meta.url), reported.resolve))
    })
    await serving(fromConnect(legacy), async (server) => {
      const client = new Connection(server.port)
      client.say(GET)
      await begun.promise
      client.socket.destroy()
      assert.equal(Reflect.get((await reported.promise) ?? {}, 'code'), 'ECONNABORTED')
    })
  })
})

describe('the log of a Connect handler that ends with an informational status', () => {
  it('says how an upgrade is answered', async () => {
    const errors = new Log()
    const handler: ConnectHandler = (_req, res) => void res.writeHead(101).end()
    await serving(
      fromConnect(handler),
      async (server) => {
        await fetch(server.url)
        assert.match(errors.text, /ended its response with status 101.*on\('upgrade'/)
      },
      { errors },
    )
  })
})
