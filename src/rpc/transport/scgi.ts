import type { Socket } from 'node:net'
import { builtin } from '../../base/builtin.ts'
import { concatBytes, encodeUtf8 } from '../../base/bytes.ts'
import type { SCGIAddress } from './endpoint.ts'
import { responseOf, streamOf } from './response-stream.ts'
import type { Fetch } from './transport-options.ts'

const MAX_HEAD = 65_536
const LF = 0x0a
const CR = 0x0d

/**
 * Returns a function like `fetch` that sends each request to an SCGI server on a connection of its own
 * (https://python.ca/scgi/protocol.txt). The response has the form of a CGI script's response (RFC 3875 §6).
 *
 * @throws Error - the runtime lacks `node:net`.
 */
export function scgiFetch(address: SCGIAddress): Fetch {
  return async (url, init) => {
    const { createConnection } = builtin('node:net')
    const body = init.body instanceof Uint8Array ? init.body : new Uint8Array()
    const { signal } = init
    signal?.throwIfAborted()
    const socket = createConnection(address)
    const abort = () => socket.destroy(toError(signal?.reason))
    signal?.addEventListener('abort', abort, { once: true })
    socket.once('close', () => signal?.removeEventListener('abort', abort))
    socket.write(requestHead(new URL(url), init, body.length))
    socket.write(body)
    return readResponse(socket)
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('the call was aborted', { cause: reason })
}

/** Returns the header fields of a request as a netstring. `CONTENT_LENGTH` must be the first. */
function requestHead(url: URL, init: RequestInit, length: number): Uint8Array {
  const fields: [name: string, value: string][] = [
    ['CONTENT_LENGTH', String(length)],
    ['SCGI', '1'],
    ['REQUEST_METHOD', init.method ?? 'GET'],
    ['REQUEST_URI', `${url.pathname}${url.search}`],
    ['SCRIPT_NAME', ''],
    ['PATH_INFO', decodePath(url.pathname)],
    ['QUERY_STRING', url.search.slice(1)],
    ['SERVER_NAME', url.hostname],
    ['SERVER_PORT', url.port === '' ? '80' : url.port],
    ['SERVER_PROTOCOL', 'HTTP/1.1'],
  ]
  for (const [name, value] of new Headers(init.headers)) {
    const variable = name.toUpperCase().replaceAll('-', '_')
    fields.push([variable === 'CONTENT_TYPE' ? variable : `HTTP_${variable}`, value])
  }
  const head = encodeUtf8(fields.map(([name, value]) => `${name}\0${value}\0`).join(''))
  return concatBytes([encodeUtf8(`${head.length}:`), head, encodeUtf8(',')])
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch (error) {
    if (error instanceof URIError) return path
    throw error
  }
}

async function readResponse(socket: Socket): Promise<Response> {
  const chunks: AsyncIterator<Uint8Array> = socket[Symbol.asyncIterator]()
  let received: Uint8Array = new Uint8Array()
  for (;;) {
    const end = headEnd(received)
    if (end !== undefined) {
      const head = new TextDecoder().decode(received.subarray(0, end))
      return parseResponse(head, received.subarray(end), chunks)
    }
    if (received.length > MAX_HEAD) {
      socket.destroy()
      throw new Error(`the head of the response is longer than ${MAX_HEAD} bytes`)
    }
    const { done, value } = await chunks.next()
    if (done === true)
      throw new Error('the server closed the connection before the head of the response ended')
    received = concatBytes([received, value])
  }
}

/** Returns the offset after the first empty line, or undefined. Lines may end in LF alone (RFC 3875 §6.2). */
function headEnd(bytes: Uint8Array): number | undefined {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3
  }
  return undefined
}

function parseResponse(head: string, first: Uint8Array, rest: AsyncIterator<Uint8Array>): Promise<Response> {
  const headers = new Headers()
  let status = 200
  for (const line of head.split(/\r?\n/)) {
    if (line === '') continue
    const colon = line.indexOf(':')
    if (colon < 1)
      throw new Error(`the head of the response has the malformed line ${JSON.stringify(line.slice(0, 80))}`)
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1).trim()
    if (name.toLowerCase() === 'status') status = statusOf(value)
    else headers.append(name, value)
  }
  const length = headers.get('content-length')
  if (length !== null && !/^\d{1,15}$/.test(length))
    throw new Error(`the Content-Length is ${JSON.stringify(length)}`)
  const body = bodyOf(first, rest, length === null ? undefined : Number(length))
  return responseOf(streamOf(body), { status, headers })
}

function statusOf(value: string): number {
  const status = /^([2-5]\d\d)(?: |$)/.exec(value)?.[1]
  if (status === undefined) throw new Error(`the status is ${JSON.stringify(value.slice(0, 80))}`)
  return Number(status)
}

/** @throws Error - the connection ends before `length` bytes. */
async function* bodyOf(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  length: number | undefined,
): AsyncGenerator<Uint8Array> {
  let left = length ?? Number.POSITIVE_INFINITY
  try {
    for (let chunk = first; ; ) {
      if (chunk.length > 0) yield chunk.subarray(0, left)
      left -= Math.min(left, chunk.length)
      if (left === 0) return
      const { done, value } = await rest.next()
      if (done === true) break
      chunk = value
    }
    if (length !== undefined) throw new Error(`the response ended ${left} bytes before its end`)
  } finally {
    await rest.return?.()
  }
}
