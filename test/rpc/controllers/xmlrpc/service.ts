import { FrameworkApp, type XMLRPCController } from 'propylon'
import { Mapper } from 'propylon/routing'
import { createEnviron, type HeaderPair, lint, run } from 'propylon/wsgi'
import { decodeResponse, type Encodable, encodeCall, Fault, type Value } from 'propylon/xmlrpc'
/** Serves one XML-RPC controller in a real application that lint() wraps. */

export interface Sent {
  method?: string
  url?: string
  headers?: readonly HeaderPair[]
  body?: string | Uint8Array | AsyncIterable<Uint8Array> | null
}

export interface Answered {
  status: string
  header(name: string): string | undefined
  headers: HeaderPair[]
  bytes: Uint8Array
  text: string
}

export interface ServiceOptions {
  debug?: boolean
  /** Headers of every call. */
  headers?: readonly HeaderPair[]
}

export class TestService {
  /** Lines that the application has logged. */
  readonly logged: string[] = []
  readonly app: FrameworkApp
  readonly #headers: readonly HeaderPair[]

  constructor(controller: new () => XMLRPCController, { debug = false, headers = [] }: ServiceOptions = {}) {
    const log = (message: string) => void this.logged.push(message)
    this.#headers = headers
    this.app = new FrameworkApp({
      map: new Mapper().connect('/{controller}', { action: 'index' }).connect('/{controller}/{action}'),
      controllers: { rpc: controller },
      debug,
      logger: { info: log, warn: log, error: log },
      session: { secret: 'a secret that is long enough for tests' },
    })
  }

  async send({ method = 'POST', url = '/rpc', headers = [], body = null }: Sent): Promise<Answered> {
    const environ = createEnviron({ method, url, headers, body })
    const result = await run(lint(this.app.wsgi), environ)
    const bytes = await result.bytes()
    return {
      status: result.status,
      headers: result.headers,
      header: (name) => result.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1],
      bytes,
      text: new TextDecoder().decode(bytes),
    }
  }

  post(body: Sent['body'], ...headers: HeaderPair[]): Promise<Answered> {
    return this.send({
      body: body ?? null,
      headers: [['Content-Type', 'text/xml'], ...this.#headers, ...headers],
    })
  }

  /** Returns the result of a call. Rejects with a Fault. */
  async call(methodName: string, ...params: Encodable[]): Promise<Value> {
    const { text } = await this.post(encodeCall(methodName, params, { allowNil: true, i8: true }))
    return decodeResponse(text, { doubles: 'wrapped' })
  }

  /** Returns the fault of a call, which must not succeed. */
  async fault(methodName: string, ...params: Encodable[]): Promise<Fault> {
    let value: Value
    try {
      value = await this.call(methodName, ...params)
    } catch (error) {
      if (error instanceof Fault) return error
      throw error
    }
    throw new Error(`${methodName} was to end in a fault, and answered ${JSON.stringify(value)}`)
  }
}
