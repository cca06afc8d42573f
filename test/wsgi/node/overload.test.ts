import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
