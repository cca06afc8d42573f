import type { ClientRequest, IncomingMessage } from 'node:http'
import { builtin } from '../../base/builtin.ts'
import { responseOf, streamOf } from './response-stream.ts'
import { noteFailure } from './reused-connections.ts'
import type { Fetch } from './transport-options.ts'

/**
 * Returns a function like `fetch` that uses `node:http`: for unix sockets, and for ports that `fetch` refuses.
 *
 * @throws Error - the runtime lacks `node:http`.
 */
export function nodeFetch(socketPath?: string): Fetch {
  return async (url, init) => {
    const { request } = url.startsWith('https:') ? builtin('node:https') : builtin('node:http')
    const headers = Object.fromEntries(new Headers(init.headers))
    const outgoing = request(url, {
      method: init.method ?? 'GET',
      headers,
      ...(socketPath !== undefined && { socketPath }),
      ...(init.signal instanceof AbortSignal && { signal: init.signal }),
    })
    const incoming = await responseTo(outgoing, init.body instanceof Uint8Array ? init.body : undefined)
    return toResponse(incoming)
  }
}

function responseTo(outgoing: ClientRequest, body: Uint8Array | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let bytesRead = 0
  outgoing.once('socket', (socket) => {
    bytesRead = socket.bytesRead
  })
  outgoing.once('response', resolve)
  outgoing.on('error', (error) => {
    if (outgoing.reusedSocket && outgoing.socket !== null) noteFailure(error, outgoing.socket, bytesRead)
    reject(error)
  })
  outgoing.end(body)
  return promise
}

function toResponse(incoming: IncomingMessage): Promise<Response> {
  const status = incoming.statusCode ?? 0
  const headers = new Headers()
  for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i] ?? '', incoming.rawHeaders[i + 1] ?? '')
  }
  return responseOf(decoded(streamOf(incoming), headers.get('content-encoding')), { status, headers })
}

/** Decompresses a body that is compressed although the request does not allow it. */
function decoded(body: ReadableStream<Uint8Array>, coding: string | null): ReadableStream<Uint8Array> {
  if (coding === 'gzip' || coding === 'x-gzip') return body.pipeThrough(new DecompressionStream('gzip'))
  if (coding === 'deflate') return body.pipeThrough(new DecompressionStream('deflate'))
  return body
}
