import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromFetch } from 'propylon/fetch'
import { createEnviron, lint, run } from 'propylon/wsgi'
import { transports } from '../transports.ts'

for (const transport of transports) {
  describe(`fromFetch, ${transport.name}`, () => {
    it('passes the request to the handler and returns its response', async () => {
      const app = fromFetch(async (request) => {
        const { pathname, search } = new URL(request.url)
        const text = `${request.method} ${pathname}${search} ${request.headers.get('x-a')} ${await request.text()}`
        return new Response(text, { status: 201, statusText: 'Made', headers: { 'X-B': 'c' } })
      })
      const answer = await transport.request(app, {
        method: 'POST',
        path: '/a%2Fb?c',
        headers: [['X-A', 'yes']],
        body: 'body',
      })
      assert.deepEqual(
        [answer.status, answer.reason, answer.header('x-b'), answer.text],
        [201, 'Made', 'c', 'POST /a%2Fb?c yes body'],
      )
    })

    it('does not join Set-Cookie fields', async () => {
      const app = fromFetch(
        () =>
          new Response(null, {
            headers: [
              ['Set-Cookie', 'a=1'],
              ['Set-Cookie', 'b=2'],
            ],
          }),
      )
      assert.deepEqual((await transport.request(app)).headerAll('set-cookie'), ['a=1', 'b=2'])
    })

    for (const status of [204, 205, 304]) {
      it(`sends no body for ${status}`, async () => {
        const answer = await transport.request(fromFetch(() => new Response(null, { status })))
        assert.deepEqual([answer.status, answer.text], [status, ''])
      })
    }

    it('streams the bodies of request and response', async () => {
      const app = fromFetch((request) => new Response(request.body))
      const answer = await transport.request(app, { method: 'PUT', body: 'x'.repeat(200_000) })
      assert.equal(answer.text.length, 200_000)
    })

    it('sends no body for HEAD', async () => {
      const answer = await transport.request(
        fromFetch(() => new Response('body')),
        { method: 'HEAD' },
      )
      assert.equal(answer.text, '')
    })
  })
}

describe('fromFetch', () => {
  it('includes SCRIPT_NAME in the URL', async () => {
    const app = fromFetch((request) => new Response(request.url))
    const environ = createEnviron({ url: 'http://h/blog/a%2Fb?c', scriptName: '/blog' })
    assert.equal(await (await run(lint(app), environ)).text(), 'http://h/blog/a%2Fb?c')
  })

  it('cancels the stream and aborts the request when the client disconnects', async () => {
    const events: string[] = []
    const app = fromFetch((request) => {
      request.signal.addEventListener('abort', () => events.push('abort'))
      return new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1)),
          cancel: () => void events.push('cancel'),
        }),
      )
    })
    const { body } = await run(lint(app), createEnviron())
    for await (const _chunk of body) break
    assert.deepEqual(events, ['abort', 'cancel'])
  })

  it('cancels a pending stream', async () => {
    const cancelled = Promise.withResolvers<void>()
    const app = fromFetch(() => new Response(new ReadableStream({ cancel: () => cancelled.resolve() })))
    const started = run(lint(app), createEnviron({ method: 'HEAD' }))
    await (await started).body.close()
    await cancelled.promise
  })

  it('throws the error of the handler’s stream', async () => {
    const app = fromFetch(
      () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('broken')) })),
    )
    await assert.rejects(async () => (await run(lint(app), createEnviron())).text(), /broken/)
  })

  it('returns 501 for methods that a web Request forbids', async () => {
    const app = fromFetch(() => new Response('never'))
    assert.equal((await run(lint(app), createEnviron({ method: 'TRACE' }))).status, '501 Not Implemented')
  })

  it('refuses a network error', async () => {
    await assert.rejects(run(lint(fromFetch(() => Response.error())), createEnviron()), RangeError)
  })
})
