/** An application whose responses repeat facts of their request, so that a mixed-up response can be told. */
import { crc32 } from 'node:zlib'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import type { Middleware } from 'propylon/wsgi'

/** Facts of a request, as the body of its response has them. */
export interface Facts {
  /** Number in the query. */
  readonly query: string | null
  /** Number in the header. */
  readonly header: string | null
  readonly method: string
  /** Length and checksum of the body as far as the action has read it; null if it has not. */
  readonly body: readonly [length: number, checksum: number] | null
}

/** Actions of the application. */
export const ACTIONS = ['read', 'stream', 'peek', 'ignore', 'later'] as const

/** Number of bytes that the action `peek` reads. */
export const PEEKED = 3

/** Returns the facts of a body. */
export function sumOf(bytes: Uint8Array): readonly [length: number, checksum: number] {
  return [bytes.length, crc32(bytes)]
}

class EchoController extends WSGIController {
  /** Reads the whole body first. */
  async read() {
    return this.#facts(sumOf(await this.request.bytes(Number.POSITIVE_INFINITY)))
  }

  /** Begins the response, reads the body in pieces, and ends the response. */
  async *stream() {
    this.response.contentType = 'application/json'
    yield '\n'
    let length = 0
    let sum = 0
    for await (const piece of this.request.environ['wsgi.input']) {
      length += piece.length
      sum = crc32(piece, sum)
    }
    yield JSON.stringify(this.#facts([length, sum]))
  }

  /** Reads the beginning of the body. */
  async peek() {
    const input = this.request.environ['wsgi.input']
    const pieces: Uint8Array[] = []
    for (let missing = PEEKED; missing > 0; ) {
      const piece = await input.read(missing)
      if (piece.length === 0) break
      pieces.push(piece)
      missing -= piece.length
    }
    return this.#facts(sumOf(Buffer.concat(pieces)))
  }

  /** Does not read the body. */
  ignore() {
    return this.#facts(null)
  }

  /** Takes some turns of the event loop. */
  async later() {
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
    return this.#facts(null)
  }

  #facts(body: Facts['body']) {
    const { query, method } = this.request
    const facts: Facts = {
      query: query.get('n') ?? null,
      header: this.request.header('x-number') ?? null,
      method,
      body,
    }
    return { ...facts }
  }
}

/** Adds the number of the request to each response that the application makes, errors included. */
const numbered: Middleware = (app) => (environ, start_response) =>
  app(environ, (status, headers, excInfo) =>
    start_response(status, [...headers, ['X-Echo', String(environ.HTTP_X_NUMBER ?? '')]], excInfo),
  )

/** Returns the application, and the errors that it logs. */
export function echoApp(): { app: FrameworkApp; errors: string[] } {
  const errors: string[] = []
  const app = new FrameworkApp({
    map: new Mapper().connect('/{action}', { controller: 'echo' }),
    controllers: { echo: EchoController },
    middleware: [numbered],
    crossSite: 'allow',
    logger: { info() {}, warn() {}, error: (message) => errors.push(message) },
  })
  return { app, errors }
}
