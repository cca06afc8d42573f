/**
 * Measures a request through Propylon without node:http, in stages: the cost that the framework adds to each request.
 * Requests have new strings, as node's parser makes them, so that no hash or property key is cached. Responses are
 * discarded.
 */
import { type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { FrameworkApp, Mapper, WSGIController } from '../../src/index.ts'
import { Exchange } from '../../src/wsgi/exchange.ts'
import { toListener } from '../../src/wsgi/node/index.ts'
import { nodeEnviron } from '../../src/wsgi/node/node-environ.ts'
import { collections } from '../works/data.ts'
import { printTimings, time } from './time.ts'

class HelloController extends WSGIController {
  index() {
    return 'Hello World'
  }
}

class UsersController extends WSGIController {
  show(id: string) {
    return { name: id }
  }
}

const map = new Mapper()
for (const name of collections) map.resource(name.slice(0, -1), name)
map.connect('/{controller}', { action: 'index' }).connect('/{controller}/{action}')
const app = new FrameworkApp({ map, controllers: { hello: HelloController, users: UsersController } })
const reporting = { handleError: app.handleError.bind(app), reportError: app.reportError.bind(app) }

const HEADERS = [
  ...['Host', '127.0.0.1', 'Connection', 'keep-alive', 'User-Agent', 'propylon-bench/1', 'Accept', '*/*'],
  ...['Accept-Encoding', 'identity', 'Accept-Language', 'en'],
].map((text) => Buffer.from(text))
const socket = new Socket()

/** Returns a request with the members that the listener reads. */
function message(url: Buffer): IncomingMessage {
  const rawHeaders: string[] = []
  for (const text of HEADERS) rawHeaders.push(text.toString('latin1'))
  const request: Pick<
    IncomingMessage,
    'method' | 'url' | 'httpVersion' | 'rawHeaders' | 'socket' | 'complete'
  > = { method: 'GET', url: url.toString('latin1'), httpVersion: '1.1', rawHeaders, socket, complete: true }
  return request as IncomingMessage
}

let sent = 0
/** A response with the members that the listener uses. Discards the body. */
class DiscardedResponse {
  readonly destroyed = false
  shouldKeepAlive = true
  writeHead(_code: number, _reason: string, fields: string[]): this {
    sent += fields.length
    return this
  }
  end(): this {
    sent++
    return this
  }
}

const discarded = Object.setPrototypeOf(new DiscardedResponse(), ServerResponse.prototype) as ServerResponse
Object.assign(discarded, {
  writeHead: DiscardedResponse.prototype.writeHead,
  end: DiscardedResponse.prototype.end,
})
const listener = toListener(app)
const facts = { errors: { write() {}, flush() {} }, multiprocess: false }
const hello = Buffer.from('/hello/index')
const user = Buffer.from('/users/user7')

const run = (url: Buffer) => {
  const environ = nodeEnviron(message(url), facts)
  if (environ === undefined) throw new Error('the listener refused the request')
  return new Exchange(environ, reporting).run(app.wsgi)
}

for (const [name, url] of [
  ['/hello/index, default route', hello],
  ['/users/user7, a member of a resource, JSON', user],
] as const) {
  const path = url.toString()
  printTimings(name, [
    time('the request alone (part of each below)', () => message(url)),
    time('… and its environ', () => nodeEnviron(message(url), facts)),
    time('… and its route alone', () => [message(url), map.resolve('GET', path)]),
    time('… and the application', () => run(url)),
    time('the whole listener', () => listener(message(url), discarded)),
  ])
}
if (sent === 0) throw new Error('no response was sent')
