/**
 * Bytes on a connection that are not a request.
 *
 * @module
 */
import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { HttpSocket } from './connections.ts'

/** Responses by the code of the parser's error. All other errors of the parser are 400. */
const RESPONSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** The client has closed its side in the middle of a request. */
const EARLY_END = 'HPE_INVALID_EOF_STATE'

/**
 * Refuses malformed bytes after the responses to the requests before them. Without this, node:http sends the refusal at once
 * if the head of the response in progress has not been sent, so that the client takes it for the response to a well-formed
 * request.
 *
 * A listener of the application for `clientError` replaces this one.
 */
export function refuseMalformedBytes(server: Server): void {
  // The parser repeats its error for all bytes that follow.
  const refused = new WeakSet<Socket>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (server.listenerCount('clientError') > 1) return
    if (!(socket instanceof Socket)) socket.destroy(error)
    else if (!refused.has(socket)) {
      refused.add(socket)
      refuse(socket, error)
    }
  })
}

function refuse(socket: HttpSocket, error: NodeJS.ErrnoException): void {
  const { code = '' } = error
  const pending = socket._httpMessage
  // The request in progress is the malformed one if it is not complete.
  if (pending?.req.complete === true && !socket.destroyed && code !== EARLY_END) {
    pending.once('close', () => refuse(socket, error))
    return
  }
  const isUnanswered = !pending || (!pending.req.complete && !pending.headersSent)
  const status = code.startsWith('HPE_') ? (RESPONSES[code] ?? '400 Bad Request') : RESPONSES[code]
  if (isUnanswered && status !== undefined && socket.writable) {
    socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  }
  socket.destroy(error)
}
