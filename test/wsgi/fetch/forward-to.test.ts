import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { forwardTo } from 'propylon/fetch'
import { serve } from 'propylon/node'
import { type Echo, oldApplication } from '../proxy/old-application.ts'

describe('forwardTo of propylon/fetch', () => {
  const server = createServer(oldApplication())
  let app: FrameworkApp
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // A server that listens on a port has this address.
    const { port } = server.address() as AddressInfo
    const fallback = forwardTo(`http://127.0.0.1:${port}`)
    app = new FrameworkApp({ map: new Mapper(), controllers: {}, fallback })
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const ask = (path: string, init: RequestInit = {}) => app.fetch(new Request(`https://shop.example${path}`, init))

  // The old application describes the request.
  const echo = async (path: string, init: RequestInit) => (await (await ask(path, init)).json()) as Echo

  test('sends method, target, fields and body', async () => {
    const body = 'a=1'
    const headers = { Cookie: 'a=1', 'X-Forwarded-For': '6.6.6.6', 'Content-Type': 'text/plain' }
    const described = await echo('/a%2Fb?x=1', { method: 'PUT', body, headers })
    assert.equal(described.method, 'PUT')
    assert.deepEqual([described.path, described.query, described.length], ['/a%2Fb', 'x=1', 3])
    assert.equal(described.headers.cookie, 'a=1')
    assert.equal(described.headers['content-length'], '3')
    assert.equal(described.headers['x-forwarded-for'], undefined)
    assert.equal(described.headers['x-forwarded-proto'], 'https')
    assert.equal(described.headers['x-forwarded-host'], 'shop.example')
  })

  test('streams a large body', async () => {
    const body = new Uint8Array(3_000_000)
    assert.equal((await echo('/', { method: 'POST', body })).length, 3_000_000)
  })

  test('returns cookies, redirects, errors and statuses without a body', async () => {
    assert.equal((await ask('/cookies')).headers.getSetCookie().length, 2)
    assert.equal((await ask('/redirect')).headers.get('location')?.endsWith('/elsewhere'), true)
    assert.deepEqual([(await ask('/error')).status, (await ask('/nothing')).status], [500, 204])
  })

  test('returns the length of a page to HEAD only if the server states it', async (context) => {
    const lengths: Readonly<Record<string, string>> = { '/stated': '5' }
    const pages = createServer(({ url = '' }, res) => {
      const length = lengths[url]
      res.writeHead(200, length === undefined ? {} : { 'Content-Length': length }).end()
    })
    await once(pages.listen(0, '127.0.0.1'), 'listening')
    context.after(() => pages.close())
    const target = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    const fallback = forwardTo(target)
    const server = await serve(new FrameworkApp({ map: new Mapper(), controllers: {}, fallback }), {
      port: 0,
    })
    context.after(() => server.close())
    const length = async (path: string) =>
      (await fetch(server.url + path, { method: 'HEAD' })).headers.get('content-length')
    assert.deepEqual([await length('/stated'), await length('/unstated')], ['5', null])
  })

  test('describes what fetch has decompressed', async () => {
    const response = await ask('/gzip')
    assert.deepEqual([response.headers.get('content-encoding'), await response.text()], [null, 'packed'])
  })

  test('streams the response', async () => {
    assert.equal((await (await ask('/large')).arrayBuffer()).byteLength, 20 * 2 ** 20)
  })

  test('cancels a stream that the client leaves', async () => {
    const response = await ask('/silent')
    await response.body?.cancel()
    for (;;) if ((await (await ask('/aborted')).text()) !== '0') break
  })

  test('answers 502 and 504', async () => {
    const status = async (target: string, timeout: number) =>
      (
        await new FrameworkApp({
          map: new Mapper(),
          controllers: {},
          fallback: forwardTo(target, { timeout }),
        }).fetch(new Request('http://x/events'))
      ).status
    assert.equal(await status('http://127.0.0.1:1', 30_000), 502)
    const silent = createServer(() => {})
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    assert.equal(await status(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, 50), 504)
    silent.closeAllConnections()
    silent.close()
  })
})
