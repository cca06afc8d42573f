import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createSocketServer, type Socket, type Server as SocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { decodeCall, encodeResponse } from 'propylon/xmlrpc'

/** Returns the path of a socket that does not exist yet. Its folder is removed after the test. */
export function socketPath(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'propylon-'))
  context.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'app.sock')
}

/** Starts an HTTP server until the end of the test, on a port or at a unix socket. Returns the server and its URL. */
export async function listen(
  context: TestContext,
  listener: RequestListener,
  path?: string,
): Promise<{ server: Server; url: string }> {
  const server = createServer(listener)
  if (path === undefined) server.listen(0, '127.0.0.1')
  else server.listen(path)
  await once(server, 'listening')
  context.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return {
    server,
    url: typeof address === 'object' ? `http://127.0.0.1:${address?.port}/` : 'http://localhost/',
  }
}

/** Starts a server of plain sockets until the end of the test. Returns its port. */
export async function listenRaw(context: TestContext, connected: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server: SocketServer = createSocketServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    connected(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Responds with the first parameter, the path and some headers of the request. */
export const mirror: RequestListener = async (request, response) => {
  const { params } = decodeCall(await bodyOf(request))
  const { host = '', authorization = '', cookie = '' } = request.headers
  const trace = request.headers['x-trace'] ?? ''
  response.setHeader('content-type', 'text/xml')
  const value = {
    param: params[0] ?? '',
    path: request.url ?? '',
    host,
    authorization,
    cookie,
    trace: String(trace),
  }
  response.end(encodeResponse(value))
}
