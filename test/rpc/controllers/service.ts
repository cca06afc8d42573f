/** Serves one RPC controller, and calls it by each face. */
import { FrameworkApp, Mapper, type Middleware } from 'propylon'
import { toFetch } from 'propylon/fetch'
import type { JSONRPCController, RPCController } from 'propylon/rpc'
import { type HeaderPair, lint } from 'propylon/wsgi'
import { decodeResponse, type Encodable, encodeCall, Fault } from 'propylon/xmlrpc'

/** The end of a call, in the same form for every face. */
export type Outcome =
  | { result: unknown }
  | { code: number; text: string; data?: unknown }
  | { refused: 'unknown' | 'parameters' | 'unexpected' }
  | { status: number; location: string | null }

/** The faces by which a call can be made. */
export const CALL_FACES = ['xmlrpc', 'jsonrpc', 'jsonrpc by name', 'json'] as const

/** Arguments by name, in the order of the parameters. The values have a form in JSON and in XML-RPC. */
export type Arguments = Readonly<Record<string, Encodable>>

const REFUSED = new Map<number, 'unknown' | 'parameters' | 'unexpected'>([
  [-32601, 'unknown'],
  [-32602, 'parameters'],
  [-32603, 'unexpected'],
])

export interface ServiceOptions {
  debug?: boolean
  middleware?: readonly Middleware[]
}

export class RPCService {
  /** Messages that the application has logged. */
  readonly logged: string[] = []
  readonly app: FrameworkApp

  constructor(
    controller: new () => RPCController | JSONRPCController,
    { debug = false, middleware = [] }: ServiceOptions = {},
  ) {
    const log = (message: string) => void this.logged.push(message)
    this.app = new FrameworkApp({
      map: new Mapper().rpc('stock', '/stock'),
      controllers: { stock: controller },
      debug,
      middleware,
      logger: { info: log, warn: log, error: log },
      session: { secret: 'a secret that is long enough for tests' },
    })
  }

  /** Sends a request. The validator of the gateway checks the response. */
  async send(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: readonly HeaderPair[] = [],
  ): Promise<Response> {
    const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
    const request = new Request(`http://localhost${path}`, body === undefined ? init : { ...init, body })
    return toFetch(lint(this.app.wsgi))(request)
  }

  post(path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json'): Promise<Response> {
    return this.send('POST', path, body, [['Content-Type', type]])
  }

  /** Sends a call of JSON-RPC. */
  postMessage(method: string, params: unknown, headers: readonly HeaderPair[] = []): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return this.send('POST', '/stock', body, [['Content-Type', 'application/json'], ...headers])
  }

  /** Calls a procedure by a face. */
  async call(face: (typeof CALL_FACES)[number], name: string, args: Arguments = {}): Promise<Outcome> {
    switch (face) {
      case 'xmlrpc': {
        const body = encodeCall(name, Object.values(args), { allowNil: true, i8: true })
        return xmlrpcOutcome(await this.post('/stock', body, 'text/xml'))
      }
      case 'jsonrpc':
        return jsonrpcOutcome(await this.postMessage(name, Object.values(args)))
      case 'jsonrpc by name':
        return jsonrpcOutcome(await this.postMessage(name, args))
      case 'json':
        return jsonOutcome(await this.post(`/stock/${name}`, JSON.stringify(args)))
    }
  }
}

async function xmlrpcOutcome(response: Response): Promise<Outcome> {
  if (response.status !== 200) return httpOutcome(response)
  try {
    return { result: decodeResponse(await response.text()) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const refused = REFUSED.get(error.faultCode)
    return refused === undefined ? { code: error.faultCode, text: error.faultString } : { refused }
  }
}

async function jsonrpcOutcome(response: Response): Promise<Outcome> {
  if (response.status !== 200) return httpOutcome(response)
  const answer = JSON.parse(await response.text())
  if (answer.error === undefined) return { result: answer.result }
  const { code, message: text, data } = answer.error
  const refused = REFUSED.get(code)
  if (refused !== undefined) return { refused }
  return data === undefined ? { code, text } : { code, text, data }
}

async function jsonOutcome(response: Response): Promise<Outcome> {
  if (response.status === 200) return { result: JSON.parse(await response.text()) }
  const type = response.headers.get('content-type')
  if (response.status < 400) return httpOutcome(response)
  if (type !== 'application/problem+json') throw new Error(`${response.status} is of type ${type}`)
  const { code, detail: text, data, errors } = JSON.parse(await response.text())
  if (response.status === 400 && Array.isArray(errors)) return { refused: 'parameters' }
  if (response.status === 500) return { refused: 'unexpected' }
  if (code !== undefined) return data === undefined ? { code, text } : { code, text, data }
  return response.status === 404 ? { refused: 'unknown' } : httpOutcome(response)
}

function httpOutcome(response: Response): Outcome {
  return { status: response.status, location: response.headers.get('location') }
}
