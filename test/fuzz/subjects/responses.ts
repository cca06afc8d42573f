/** Responses over sockets: whatever an application puts into a head, the client receives exactly that, or an error. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { FrameworkApp, HTTPException, Mapper, Response, redirect, WSGIController } from 'propylon'
import { type ServerHandle, serve } from 'propylon/node'
import { bytes, text, token } from '../arbitraries.ts'
import { parseResponses } from '../http/response-parser.ts'
import { talk } from '../http/talk.ts'
import { property, type Subject } from '../property.ts'

/** What the application sends. */
let head: { status: string; name: string; value: string; kind: string; body: string } | undefined

class HeadController extends WSGIController {
  index() {
    assert.ok(head)
    const { status, name, value, kind, body } = head
    if (kind === 'redirect') redirect(value)
    if (kind === 'cookie') this.response.setCookie(name, value)
    if (kind === 'header') this.response.headers.set(name, value)
    if (kind === 'exception') throw new HTTPException(418, value, { [name]: value })
    if (kind === 'status')
      return new Response(body, { status: Number.parseInt(status, 10) || 200, headers: { [name]: value } })
    return body
  }
}

const app = new FrameworkApp({
  map: new Mapper().connect('/', { controller: 'head', action: 'index' }),
  controllers: { head: HeadController },
  logger: { info() {}, warn() {}, error() {} },
})

let server: ServerHandle | undefined

const splitting = fc.constantFrom(
  'x\r\nX-Split: 1',
  'x\nX-Split: 1',
  'x\rX-Split: 1',
  'x\u010d\u010aX-Split: 1',
  'x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
  '\u560d\u560aX-Split: 1',
)

export const responses: Subject = {
  name: 'responses',
  async open() {
    server = await serve(app, { signals: false, errors: { write() {}, flush() {} } })
  },
  async close() {
    await server?.close()
  },
  properties: [
    property(
      'no value adds a field or a response',
      fc.record({
        kind: fc.constantFrom('redirect', 'cookie', 'header', 'exception', 'status'),
        status: fc.constantFrom('200', '201', '299', '404', '500', '599', '204', '304', '100', '99', '1000'),
        name: fc.oneof(
          token,
          fc.constantFrom(
            'X-A',
            'Content-Length',
            'Transfer-Encoding',
            'Connection',
            'Set-Cookie',
            'X-A: b\r\nX-Split',
          ),
          text(6),
        ),
        value: fc.oneof(splitting, text(), bytes(20)),
        body: text(),
      }),
      async (given) => {
        assert.ok(server)
        head = given
        const one = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
        const last = 'GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
        const heard = await talk({ port: server.port, pieces: [one + last] })
        const { responses, rest } = parseResponses(heard.text, ['GET', 'GET'], true)
        assert.equal(rest, '')
        const [response, end] = responses
        assert.ok(response)
        // A connection may be closed by the first response, but it never has a third.
        assert.ok(end === undefined ? response.closes : end.status === 404 && responses.length === 2)
        assert.ok(!response.fields.has('x-split'), heard.text)
      },
    ),
  ],
}
