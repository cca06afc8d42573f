import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeCall, encodeResponse, Fault } from 'propylon/xmlrpc'

/** A request that a server received. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A response to send: a value is JSON, text is the body. */
export interface Sent {
  readonly status?: number
  readonly type?: string
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A server on a free port, which records the requests. */
export interface RecordingServer {
  readonly server: Server
  readonly requests: Received[]
  /** Starts the server and returns its URL, without a slash at its end. */
  listen(): Promise<string>
}

/** Creates a server whose responses a function makes. */
export function recordingServer(respond: (request: Received) => Sent): RecordingServer {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const received: Received = {
      path: `${request.method} ${request.url}`,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    requests.push(received)
    const { status = 200, type = 'application/json', body, headers = {} } = respond(received)
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const listen = async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  return { server, requests, listen }
}

/** Answers XML-RPC calls with a function. */
export function xmlrpcAnswer(call: (name: string, params: unknown[]) => unknown): (request: Received) => Sent {
  return ({ body }) => {
    const { methodName, params } = decodeCall(body, { allowNil: true, doubles: 'wrapped' })
    const result = call(methodName, params) ?? new Fault(-32601, `there is no method ${methodName}`)
    return { type: 'text/xml', body: encodeResponse(result as never, { allowNil: true, i8: true }) }
  }
}
