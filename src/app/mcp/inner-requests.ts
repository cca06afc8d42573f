/** Requests to the application itself: each call of a tool, a resource or a prompt is one. */
import { concatBytes } from '../../base/bytes.ts'
import { isRecord } from '../../base/record.ts'
import { errorSummary, isDisconnect, isInstance } from '../../base/thrown.ts'
import type { Application } from '../../controllers/application.ts'
import type { ControllerClass } from '../../controllers/class-methods.ts'
import { cancellationOf } from '../../wsgi/environ.ts'
import type { ErrorReporting } from '../../wsgi/error-reporting.ts'
import { inputStream } from '../../wsgi/input.ts'
import { applicationUrl, decodePath, rawScriptName } from '../../wsgi/request-url.ts'
import { type RunResult, run } from '../../wsgi/run.ts'
import type { Environ, HeaderPair, WSGIApplication } from '../../wsgi/types.ts'
import { jsonIn, type MCPAnswer, type TypedBody, textOf } from './answers.ts'
import { JSONRPCError, JSONRPCErrorCode } from './jsonrpc.ts'
import type { MCPCall } from './protocol.ts'

/** Maximum number of bytes of a response. It is in memory until the answer is sent. */
export const MAX_RESPONSE = 8 * 2 ** 20

/** The text for a response that is too long. */
export const TOO_LONG = `The response has more than ${MAX_RESPONSE} bytes. Ask for less.`

/** The application, as servers run it. */
export type ServedApplication = Application &
  ErrorReporting & { servedWith(reporting: ErrorReporting): WSGIApplication }

/** Returns the header fields of a response with status 401 or 403 of a class. */
export type Challenge = (
  status: number,
  fields: readonly HeaderPair[],
  controllerClass: ControllerClass,
) => readonly HeaderPair[]

/** A request to the application. */
export interface InnerRequest {
  readonly method: string
  /** Percent-encoded, without the mount point. */
  readonly path: string
  /** Without the question mark. */
  readonly query?: string
  /** JSON text of the body. */
  readonly json?: string | undefined
}

/** The response to a request. */
export interface InnerResponse {
  readonly status: number
  /** Code and reason. */
  readonly statusLine: string
  readonly fields: readonly HeaderPair[]
  readonly body: RunResult['body']
  readonly controllerClass: ControllerClass
  /** The unexpected error that the response is for. It has been logged. */
  readonly failure: { readonly error: unknown } | undefined
  /** Returns the value of a header, which is empty if the response lacks it. */
  header(name: string): string
  /** Reads the whole body. Undefined if it has more than {@link MAX_RESPONSE} bytes. */
  read(): Promise<Uint8Array | undefined>
}

/** Keys of the framework that belong to the connection rather than to the request. */
const OF_CONNECTION = /^propylon\.(?:connection|fetch|hides_errors|problems)$/

/** Header fields about the body, its coding and a copy that the client has, and the match of the client's request. */
const OF_CLIENT =
  /^(?:HTTP_(?:ACCEPT_ENCODING|CONTENT_ENCODING|EXPECT|IF_(?:NONE_)?MATCH|IF_(?:UN)?MODIFIED_SINCE|IF_RANGE|RANGE|TRANSFER_ENCODING|X_HTTP_METHOD_OVERRIDE)|wsgiorg\.routing_args)$/

/** The application as one request of a client reaches it: by requests that have its header fields. */
export class InnerRequests {
  readonly app: ServedApplication
  /** Environ of the request of the client. */
  readonly environ: Environ
  /** Values of `Set-Cookie` of the responses so far. */
  readonly cookies: string[] = []
  readonly #challenge: Challenge

  constructor(app: ServedApplication, environ: Environ, challenge: Challenge) {
    this.app = app
    this.environ = environ
    this.#challenge = challenge
  }

  /** URL of the application. */
  get base(): string {
    return applicationUrl(this.environ)
  }

  /** Returns the controller and the action that serve a request: `books show`. Undefined if no route leads to one. */
  placeOf(request: InnerRequest): string | undefined {
    // Conditions of routes read the environ. A Request that they make must not stay for the call.
    const environ = this.#environOf(request)
    const { HTTP_HOST: host, QUERY_STRING: query, REQUEST_METHOD: method } = environ
    const context = { host, query, rawScriptName: rawScriptName(environ), environ }
    const resolution = this.app.mapper.resolve(method, request.path, context)
    if (resolution.kind !== 'match') return undefined
    const { controller, action } = resolution.match
    return `${controller} ${(action ?? 'index').replaceAll('-', '_')}`
  }

  /**
   * Runs a request through the whole application: its middleware, hooks and limits.
   *
   * @param extra - additional keys of the environ.
   * @throws an error of a client that has disconnected.
   */
  async run(request: InnerRequest, controllerClass: ControllerClass, extra: object = {}): Promise<InnerResponse> {
    const { app } = this
    const environ = Object.assign(this.#environOf(request), extra)
    let failure: InnerResponse['failure']
    const handleError = (error: unknown) => {
      failure = { error }
      return app.handleError(error, environ)
    }
    const reporting = { handleError, reportError: (error: unknown) => app.reportError(error, environ) }
    let result: RunResult
    try {
      result = await run(app.servedWith(reporting), environ)
    } catch (error) {
      if (isDisconnect(error)) throw error
      result = await run(await handleError(error), environ)
    }
    const { status: statusLine, headers: fields, body } = result
    environ['propylon.connection']?.onLost(() => void body.close().catch(() => {}))
    const isCookie = ([name]: HeaderPair) => name.toLowerCase() === 'set-cookie'
    this.cookies.push(...fields.filter(isCookie).map(([, value]) => value))
    const header = (name: string) => fields.find(([field]) => field.toLowerCase() === name)?.[1] ?? ''
    const read = () => readBody(result, header('content-length'))
    const status = Number(statusLine.slice(0, 3))
    return { status, statusLine, fields, body, controllerClass, failure, header, read }
  }

  /** Returns the environ of a request: a copy of the client's, without its body and its way through the framework. */
  #environOf({ method, path, query = '', json }: InnerRequest): Environ {
    const { REMOTE_ADDR = '' } = this.environ
    const bytes = json === undefined ? null : new TextEncoder().encode(json)
    const target = rawScriptName(this.environ) + path
    const environ: Environ = { ...this.environ }
    for (const key of Object.keys(environ)) {
      if (key.startsWith('propylon.') ? !OF_CONNECTION.test(key) : OF_CLIENT.test(key)) delete environ[key]
    }
    const { signal } = cancellationOf(this.environ)
    signal.addEventListener('abort', () => cancellationOf(environ).abort(signal.reason))
    return Object.assign(environ, {
      REQUEST_METHOD: method,
      PATH_INFO: decodePath(path) ?? path,
      QUERY_STRING: query,
      REQUEST_URI: query === '' ? target : `${target}?${query}`,
      REMOTE_ADDR,
      CONTENT_TYPE: bytes === null ? '' : 'application/json',
      CONTENT_LENGTH: bytes === null ? '' : String(bytes.length),
      HTTP_ACCEPT: 'application/json, */*;q=0.5',
      'wsgi.input': inputStream(bytes),
    })
  }

  /**
   * Returns the answer to a call that the application refused. 401 and 403 are sent as they are, so that clients sign
   * in.
   *
   * @param fail - returns the answer for the text of the problem.
   */
  async refusal({ batch }: MCPCall, response: InnerResponse, fail: (text: string) => MCPAnswer): Promise<MCPAnswer> {
    const { status, statusLine, fields, failure, controllerClass } = response
    const bytes = await response.read()
    if (failure !== undefined && status === 500) return this.#internalError(failure.error)
    if ((status === 401 || status === 403) && batch === undefined) {
      // A body that is too long is left out, and its length with it.
      const sent = fields.filter(([name]) => bytes !== undefined || name.toLowerCase() !== 'content-length')
      const responder: WSGIApplication = (_environ, start_response) => {
        start_response(statusLine, [...this.#challenge(status, sent, controllerClass)])
        return [bytes ?? '']
      }
      return { kind: 'http', responder }
    }
    const contentType = response.header('content-type')
    return fail(problemText(statusLine, { bytes: bytes ?? new Uint8Array(), contentType }))
  }

  /**
   * Returns the answer for an error of a call, and reports an unexpected one.
   *
   * @throws an error of a client that has disconnected.
   */
  failure(error: unknown): MCPAnswer {
    if (isInstance(error, JSONRPCError)) return { kind: 'error', error }
    if (isDisconnect(error)) throw error
    this.app.reportError(error, this.environ)
    return this.#internalError(error)
  }

  /** Returns the answer for an unexpected error, with its text if the client may see it. */
  #internalError(error: unknown): MCPAnswer {
    const data = this.app.showsErrors(this.environ) ? errorSummary(error) : undefined
    return { kind: 'error', error: { code: JSONRPCErrorCode.internalError, message: 'Internal error', data } }
  }
}

async function readBody(result: RunResult, statedLength: string): Promise<Uint8Array | undefined> {
  if (statedLength !== '' && Number(statedLength) <= MAX_RESPONSE) return result.bytes()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of result.body) {
    length += chunk.length
    if (length > MAX_RESPONSE) return undefined
    chunks.push(chunk)
  }
  return concatBytes(chunks)
}

/**
 * Returns the body of a response that becomes the result of a resource or a prompt.
 *
 * @throws JSONRPCError - -32603: the body is too long.
 */
export async function requiredBody(response: InnerResponse): Promise<Uint8Array> {
  const bytes = await response.read()
  if (bytes === undefined) throw new JSONRPCError(JSONRPCErrorCode.internalError, TOO_LONG)
  return bytes
}

/**
 * Returns the status with the errors or the detail of a problem document, or with the text of any other body but a
 * page of HTML.
 */
function problemText(statusLine: string, body: TypedBody): string {
  const text = textOf(body)?.trim() ?? ''
  if (!body.contentType.startsWith('application/problem+json')) {
    // Text of an action is HTML by default.
    const isPage = text.startsWith('<') && body.contentType.startsWith('text/html')
    return text === '' || isPage ? statusLine : `${statusLine}: ${text}`
  }
  const problem = jsonIn(text)?.value
  if (!isRecord(problem)) return statusLine
  const { status, title, detail, errors } = problem
  const refused = Array.isArray(errors) ? errors.filter(isRecord) : []
  const texts = refused.map(({ name, detail }) => (name === '' ? String(detail) : `${name}: ${detail}`))
  return `${String(status)} ${String(title)}: ${texts.length > 0 ? texts.join('; ') : String(detail)}`
}
