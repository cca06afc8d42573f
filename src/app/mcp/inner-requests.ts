/** Requests to the application itself: each call of a tool, a resource or a prompt is one. */
import { concatBytes, encodeUtf8 } from '../../base/bytes.ts'
import { isRecord } from '../../base/record.ts'
import { errorSummary, isDisconnect, isInstance } from '../../base/thrown.ts'
import type { Application } from '../../controllers/application.ts'
import { type Steps, wait } from '../../controllers/call.ts'
import type { ControllerClass } from '../../controllers/class-methods.ts'
import { type MediaType, parseMediaType } from '../../http/media-type.ts'
import { NO_REQUEST } from '../../wsgi/environ.ts'
import type { ErrorReporting } from '../../wsgi/error-reporting.ts'
import { inputStream } from '../../wsgi/input.ts'
import { applicationUrl, decodePath, rawScriptName } from '../../wsgi/request-url.ts'
import { runUnread, type UnreadResult } from '../../wsgi/run.ts'
import type { Chunk, Environ, HeaderPair, WSGIApplication } from '../../wsgi/types.ts'
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
  /** Undefined if the response has no content type. */
  readonly type: MediaType | undefined
  readonly body: UnreadResult['body']
  readonly controllerClass: ControllerClass
  /** The unexpected error that the response is for. It has been logged. */
  readonly failure: { readonly error: unknown } | undefined
  /** Returns the value of a header, which is empty if the response lacks it. */
  header(name: string): string
  /** Reads the whole body. Undefined if it has more than {@link MAX_RESPONSE} bytes. */
  read(): Chunk | Promise<Chunk | undefined>
}

/** Keys of the framework that belong to the connection rather than to the request. */
const OF_CONNECTION: ReadonlySet<string> = new Set(
  'connection fetch hides_errors problems'.split(' ').map((key) => `propylon.${key}`),
)

/** Header fields about the body, its coding and a copy that the client has, and the match of the client's request. */
const OF_CLIENT: ReadonlySet<string> = new Set([
  'wsgiorg.routing_args',
  ...(
    'ACCEPT_ENCODING CONTENT_ENCODING EXPECT IF_MATCH IF_MODIFIED_SINCE IF_NONE_MATCH IF_RANGE IF_UNMODIFIED_SINCE ' +
    'RANGE TRANSFER_ENCODING X_HTTP_METHOD_OVERRIDE'
  )
    .split(' ')
    .map((field) => `HTTP_${field}`),
])

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
  placeOf(environ: Environ, path: string): string | undefined {
    const { HTTP_HOST: host, QUERY_STRING: query, REQUEST_METHOD: method } = environ
    // Conditions of routes read the environ again when the request runs, and must not find what they have left there.
    const context = { host, query, rawScriptName: rawScriptName(environ), environ: { ...environ } }
    const resolution = this.app.mapper.resolve(method, path, context)
    if (resolution.kind !== 'match') return undefined
    const { controller, action } = resolution.match
    return `${controller} ${(action ?? 'index').replaceAll('-', '_')}`
  }

  /**
   * Runs a request through the whole application: its middleware, hooks and limits.
   *
   * @throws an error of a client that has disconnected.
   */
  *run(environ: Environ, controllerClass: ControllerClass): Steps<InnerResponse> {
    const { app } = this
    let failure: InnerResponse['failure']
    const handleError = (error: unknown) => {
      failure = { error }
      return app.handleError(error, environ)
    }
    const reporting = { handleError, reportError: (error: unknown) => app.reportError(error, environ) }
    let result: UnreadResult
    try {
      result = yield* wait(runUnread(app.servedWith(reporting), environ))
    } catch (error) {
      if (isDisconnect(error)) throw error
      result = yield* wait(runUnread(yield* wait(handleError(error)), environ))
    }
    const { status: statusLine, headers: fields, body } = result
    environ['propylon.connection']?.onLost(() => void body.close().catch(() => {}))
    for (const [name, value] of fields) if (name.toLowerCase() === 'set-cookie') this.cookies.push(value)
    const header = (name: string) => fields.find(([field]) => field.toLowerCase() === name)?.[1] ?? ''
    const length = header('content-length')
    const isShort = length !== '' && Number(length) <= MAX_RESPONSE
    const read = () => (isShort ? result.read() : readShort(body))
    const status = Number(statusLine.slice(0, 3))
    const type = parseMediaType(header('content-type'))
    return { status, statusLine, fields, type, body, controllerClass, failure, header, read }
  }

  /** Returns the environ of a request: a copy of the client's, without its body and its way through the framework. */
  environOf({ method, path, query = '', json }: InnerRequest): Environ {
    const { environ: caller } = this
    const bytes = json === undefined ? null : encodeUtf8(json)
    const target = rawScriptName(caller) + path
    // V8 makes a hash table of an object to which so many keys are added one by one.
    const environ: Environ = { ...NO_REQUEST }
    for (const key in caller) {
      if (key.startsWith('propylon.') ? OF_CONNECTION.has(key) : !OF_CLIENT.has(key)) environ[key] = caller[key]
    }
    return Object.assign(environ, {
      REQUEST_METHOD: method,
      PATH_INFO: decodePath(path) ?? path,
      QUERY_STRING: query,
      CONTENT_TYPE: bytes === null ? '' : 'application/json',
      CONTENT_LENGTH: bytes === null ? '' : String(bytes.length),
      REQUEST_URI: query === '' ? target : `${target}?${query}`,
      'wsgi.input': inputStream(bytes),
      HTTP_ACCEPT: 'application/json, */*;q=0.5',
      'propylon.caller': caller,
    })
  }

  /**
   * Returns the answer to a call that the application refused. 401 and 403 are sent as they are, so that clients sign
   * in.
   *
   * @param fail - returns the answer for the text of the problem.
   */
  *refusal({ batch }: MCPCall, response: InnerResponse, fail: (text: string) => MCPAnswer): Steps<MCPAnswer> {
    const { status, statusLine, fields, type, failure, controllerClass } = response
    const content = yield* wait(response.read())
    if (failure !== undefined && status === 500) return this.#internalError(failure.error)
    if ((status === 401 || status === 403) && batch === undefined) {
      // A body that is too long is left out, and its length with it.
      const sent = fields.filter(([name]) => content !== undefined || name.toLowerCase() !== 'content-length')
      const responder: WSGIApplication = (_environ, start_response) => {
        start_response(statusLine, [...this.#challenge(status, sent, controllerClass)])
        return [content ?? '']
      }
      return { kind: 'http', responder }
    }
    return fail(problemText(statusLine, { content: content ?? '', type }))
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

async function readShort(body: UnreadResult['body']): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
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
export function* requiredBody({ type, read }: InnerResponse): Steps<TypedBody> {
  const content = yield* wait(read())
  if (content === undefined) throw new JSONRPCError(JSONRPCErrorCode.internalError, TOO_LONG)
  return { content, type }
}

/**
 * Returns the status with the errors or the detail of a problem document, or with the text of any other body but a
 * page of HTML.
 */
function problemText(statusLine: string, body: TypedBody): string {
  const text = textOf(body)?.trim() ?? ''
  const essence = body.type?.essence
  if (essence !== 'application/problem+json') {
    // Text of an action is HTML by default.
    const isPage = text.startsWith('<') && essence === 'text/html'
    return text === '' || isPage ? statusLine : `${statusLine}: ${text}`
  }
  const problem = jsonIn(text)?.value
  if (!isRecord(problem)) return statusLine
  const { status, title, detail, errors } = problem
  const refused = Array.isArray(errors) ? errors.filter(isRecord) : []
  const texts = refused.map(({ name, detail }) => (name === '' ? String(detail) : `${name}: ${detail}`))
  return `${String(status)} ${String(title)}: ${texts.length > 0 ? texts.join('; ') : String(detail)}`
}
