import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, Request, WSGIController } from 'propylon'
import { serve } from 'propylon/node'
import { createEnviron } from 'propylon/wsgi'

const LINK = '</static/app.css>; rel=preload; as=style'

class HomeController extends WSGIController {
  index() {
    this.request.earlyHints([LINK])
    return 'home'
  }
}

/** Sends a request over a socket and returns all that the server sends. */
async function received(version: string): Promise<string> {
  const map = new Mapper().connect('/', { controller: 'home', action: 'index' })
  const server = await serve(new FrameworkApp({ map, controllers: { home: HomeController } }))
  const socket = connect(server.port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.write(`GET / HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  await once(socket, 'end')
  await server.close()
  return text
}

describe('earlyHints()', () => {
  it('sends the links before the response', async () => {
    const [hints = '', head = ''] = (await received('1.1')).split('\r\n\r\n')
    assert.equal(hints, `HTTP/1.1 103 Early Hints\r\nLink: ${LINK}`)
    assert.match(head, /^HTTP\/1\.1 200 OK/)
  })

  it('sends nothing to a client of HTTP/1.0', async () => {
    assert.match(await received('1.0'), /^HTTP\/1\.1 200 OK/)
  })

  it('does nothing without a server', () => {
    assert.equal(new Request(createEnviron()).earlyHints([LINK]), undefined)
  })

  for (const link of ['</a>; rel=preload\r\nX: y', '/app.css', '<a>']) {
    it(`refuses ${JSON.stringify(link)}`, () => {
      assert.throws(() => new Request(createEnviron()).earlyHints([link]), TypeError)
    })
  }
})
