/** The application that every runtime serves: nothing in it needs a file system. */
import { IntlMessageFormat } from 'intl-messageformat'
import {
  abort,
  FrameworkApp,
  forward,
  Mapper,
  Response,
  redirect,
  type SocketMessage,
  type SocketPeer,
  type SocketRequest,
  WSGIController,
} from 'propylon'
import { forwardTo } from 'propylon/fetch'
import type { Environ, StartResponse } from 'propylon/wsgi'

/** Number of times that a body was closed. `/closing/count` returns it. */
let closed = 0

/** Connections that were closed. */
let left = 0

/** Short messages that a connection took before it was cut. */
let taken = 0

class ChatSocket {
  static maxMessage = 1000

  authorize({ query, session }: SocketRequest) {
    session.set('room', 'chat')
    return !query.has('refused')
  }

  open(peer: SocketPeer) {
    peer.subscribe('all')
    peer.send(`${peer.context.params.room} ${left}`)
  }

  async message(peer: SocketPeer, message: SocketMessage) {
    await null
    const text = message.text()
    if (text === 'fail') throw new Error('The message has failed, as the test expects.')
    if (text === 'flood') for (let n = 0; n < 100; n++) peer.send(new Uint8Array(2 ** 20))
    if (text === 'drip') {
      let unsent = -1
      for (taken = 0; taken < 100_000 && peer.bufferedAmount > unsent; taken++) {
        unsent = peer.bufferedAmount
        peer.send('x')
      }
    }
    peer.publish('all', text)
    if (text === 'left' || text === 'taken') peer.send(String(text === 'left' ? left : taken))
    else peer.send(`echo ${message.uint8Array().length}`)
  }

  close() {
    left += 1
  }
}

class HelloController extends WSGIController {
  // A bundler may rename parameters; stated names survive it.
  static args = { greet: ['id', 'format'] }

  index() {
    return 'Hello World'
  }
  greet(id = 'stranger', format = 'text') {
    this.response.contentType = 'text/plain'
    return `Hello, ${id}! (${format})`
  }
  destructured({ id, format = 'html' }: { id?: string; format?: string }) {
    return { id, format }
  }
  async later() {
    await null
    return { later: true, url: this.url('greeting', { id: 'a b/ü' }) }
  }
  async form() {
    const form = await this.request.form()
    return Object.fromEntries(form.entries())
  }
  async parts() {
    const read: string[] = []
    for await (const part of this.request.parts({ file: 100_000 })) {
      if (part.filename === 'skipped') continue
      const size = (await new globalThis.Response(part.stream).arrayBuffer()).byteLength
      read.push(`${part.name}:${part.filename ?? ''}:${size}`)
    }
    return read.join(' ')
  }
  async saved() {
    const path = `/tmp/propylon-${crypto.randomUUID()}`
    for await (const part of this.request.parts()) {
      try {
        await part.saveTo(path)
      } catch (error) {
        return String(error)
      }
      const { readFile, rm } = await import('node:fs/promises')
      const text = await readFile(path, 'utf8')
      await rm(path)
      return text
    }
    return 'no part'
  }
  async *stream() {
    for (const word of ['one ', 'two ', 'thrée']) {
      await null
      yield word
    }
  }
  books() {
    return this.t('books', { count: 2000 })
  }
  missing() {
    abort(404, 'not here')
  }
  away() {
    redirect('/hello', 303)
  }
  cookie() {
    this.response.setCookie('a', '1')
    this.response.setCookie('b', '2')
    return this.request.cookies.seen ?? 'no cookie'
  }
  count() {
    const { session } = this
    const count = Number(session.get('count') ?? 0) + 1
    session.set('count', count)
    return String(count)
  }
  custom() {
    return new Response('made', { status: '299 Made Up', headers: { 'X-Made': 'yes' } })
  }
  web() {
    return new globalThis.Response('web', { status: 202 })
  }
  handed() {
    return forward(environ)
  }
  failing() {
    throw new Error('a secret of the house')
  }
}

class ClosingController extends WSGIController {
  index() {
    const body = ['one ', 'two']
    return {
      *[Symbol.iterator]() {
        yield* body
      },
      close() {
        closed += 1
      },
    }
  }
  count() {
    return String(closed)
  }
}

function environ(given: Environ, start_response: StartResponse) {
  start_response('200 OK', [['Content-Type', 'application/json']])
  const { REQUEST_METHOD, SCRIPT_NAME, PATH_INFO, QUERY_STRING, HTTP_X_TOLD } = given
  return [JSON.stringify({ REQUEST_METHOD, SCRIPT_NAME, PATH_INFO, QUERY_STRING, HTTP_X_TOLD })]
}

async function echo(given: Environ, start_response: StartResponse) {
  start_response('200 OK', [['Content-Type', given.CONTENT_TYPE || 'application/octet-stream']])
  return given['wsgi.input']
}

/** Forwards to the server that the request names, which no real application must do. */
function old(given: Environ, start_response: StartResponse) {
  return forwardTo(String(given.HTTP_X_OLD_SERVER), { timeout: 2000 })(given, start_response)
}

const map = new Mapper()
  .connect('greeting', '/greetings/{id}', { controller: 'hello', action: 'greet' })
  .connect('/environ/{path_info:.*}', { controller: 'environ' })
  .connect('/old/{path_info:.*}', { controller: 'old' })
  .connect('/echo', { controller: 'echo' })
  .connect('/only-get', { controller: 'hello', action: 'index', conditions: { method: ['GET'] } })
  .connect('/{controller}', { action: 'index' })
  .connect('/{controller}/{action}')
  .connect('/{controller}/{action}/{id}')

export default new FrameworkApp({
  map,
  controllers: { hello: HelloController, closing: ClosingController, environ, echo, old },
  logger: { info() {}, warn() {}, error() {} },
  session: { secret: 'a secret of more than thirty-two characters', encrypt: true },
  sockets: { '/chat/{room}': ChatSocket },
  messages: {
    en: { books: '{count, plural, one {# book} other {# books}}' },
    de: { books: '{count, plural, one {# Buch} other {# Bücher}}' },
  },
  languages: ['en', 'de'],
  messageFormat: IntlMessageFormat,
})
