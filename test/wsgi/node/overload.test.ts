import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { serve } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'

/** Returns an application whose responses wait until they are released. */
function holding() {
  let letGo = () => {}
  let reached = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const arrived = new Promise<void>((resolve) => {
    reached = resolve
  })
  const app: WSGIApplication = async (environ, start_response) => {
    reached()
    if (environ.PATH_INFO === '/failing') {
      await gate
      throw new Error('failed in the end')
    }
    if (environ.PATH_INFO === '/waiting') await gate
    start_response('200 OK', [['Content-Type', 'text/plain']])
    return ['answered']
  }
  return { app, arrived, letGo: () => letGo() }
}

const silent = { write() {}, flush() {} }

describe('a server with maxRequests in progress', () => {
  it('returns 503 with Retry-After at once and completes the requests in progress', async () => {
    const { app, arrived, letGo } = holding()
    const server = await serve(app, { maxRequests: 1 })
    try {
      const first = fetch(`${server.url}/waiting`)
      await arrived
      const second = await fetch(`${server.url}/`)
      assert.equal(second.status, 503)
      assert.equal(second.headers.get('retry-after'), '1')
      assert.equal(await second.text(), '503 Service Unavailable\n')
      letGo()
      assert.equal(await (await first).text(), 'answered')
    } finally {
      await server.close()
    }
  })

  for (const path of ['/waiting', '/failing']) {
    it(`accepts requests after ${path} has ended`, async () => {
      const { app, arrived, letGo } = holding()
      const server = await serve(app, { maxRequests: 1, errors: silent })
      try {
        const first = fetch(server.url + path)
        await arrived
        letGo()
        await (await first).text()
        assert.equal((await fetch(`${server.url}/`)).status, 200)
      } finally {
        await server.close()
      }
    })
  }

  it('does not count requests that wait for their client', async () => {
    const { promise: gate, resolve: letGo } = Promise.withResolvers<void>()
    const reading = Promise.withResolvers<void>()
    const complete = Promise.withResolvers<void>()
    const app: WSGIApplication = async (environ, start_response) => {
      if (environ.REQUEST_METHOD === 'POST') {
        reading.resolve()
        await environ['wsgi.input'].read()
        complete.resolve()
        await gate
      }
      start_response('200 OK', [['Content-Type', 'text/plain']])
      return ['answered']
    }
    const server = await serve(app, { maxRequests: 1 })
    try {
      const client = connect(server.port, '127.0.0.1')
      client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\na')
      await reading.promise
      assert.equal((await fetch(server.url)).status, 200)
      client.write('b')
      await complete.promise
      assert.equal((await fetch(server.url)).status, 503)
      letGo()
      client.resume()
      await once(client, 'close')
      assert.equal((await fetch(server.url)).status, 200)
    } finally {
      await server.close()
    }
  })

  it('does not count synchronous responses', async () => {
    const atOnce: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [])
      return ['at once']
    }
    const server = await serve(atOnce, { maxRequests: 1 })
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(server.url)))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    } finally {
      await server.close()
    }
  })
})

describe('a server with maxDelay', () => {
  /** Computes for 20 ms. */
  const computing: WSGIApplication = (_environ, start_response) => {
    const end = performance.now() + 20
    while (performance.now() < end);
    start_response('200 OK', [['Content-Type', 'text/plain']])
    return ['computed']
  }

  /** Sends requests at once, on connections that are open. Returns the statuses. */
  async function together(url: string, count: number): Promise<number[]> {
    const { hostname, port } = new URL(url)
    const sockets = Array.from({ length: count }, () => connect(Number(port), hostname))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    const answers = sockets.map(async (socket) => {
      const [data] = await once(socket, 'data')
      assert.doesNotMatch(String(data), /^Connection: close/m)
      // The connection is kept: another request is answered.
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await once(socket, 'data')
      socket.destroy()
      return Number(String(data).slice(9, 12))
    })
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    return Promise.all(answers)
  }

  /** Resolves after the event loop of this process has waited for events, which one turn need not do. */
  async function idleness(): Promise<void> {
    const { idle } = performance.eventLoopUtilization()
    while (performance.eventLoopUtilization().idle === idle) await setTimeout(1)
  }

  it('refuses requests that have waited while others computed, and keeps their connections', async () => {
    const server = await serve(computing, { maxDelay: 50 })
    try {
      const statuses = await together(server.url, 40)
      assert.ok(statuses.includes(200), statuses.join())
      assert.ok(statuses.includes(503), statuses.join())
      await idleness()
      assert.equal((await fetch(server.url)).status, 200)
    } finally {
      await server.close()
    }
  })

  it('refuses none without it', async () => {
    const server = await serve(computing)
    try {
      assert.deepEqual(new Set(await together(server.url, 20)), new Set([200]))
    } finally {
      await server.close()
    }
  })

  for (const maxDelay of [0, -1, Number.NaN, 2 ** 31]) {
    it(`refuses ${maxDelay}`, async () => {
      await assert.rejects(serve(computing, { maxDelay }), /^RangeError: maxDelay is .*Pass milliseconds/)
    })
  }
})
