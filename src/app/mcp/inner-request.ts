/** Requests to the application itself: each call of a tool, a resource or a prompt is one. */
import { concatBytes } from '../../base/bytes.ts'
import { isDisconnect } from '../../base/thrown.ts'
import { makeEnviron } from '../../wsgi/environ.ts'
import type { ErrorReporting } from '../../wsgi/error-reporting.ts'
import { inputStream } from '../../wsgi/input.ts'
import { decodePath, encodePath } from '../../wsgi/request-url.ts'
import { type RunResult, run } from '../../wsgi/run.ts'
import type { Environ, WSGIApplication } from '../../wsgi/types.ts'

/** Maximum number of bytes of a response. It is in memory until the answer is sent. */
export const MAX_RESPONSE = 8 * 2 ** 20

/** The application, as servers run it. */
export interface RunnableApplication extends ErrorReporting {
  servedWith(reporting: ErrorReporting): WSGIApplication
}

/** A request to the application. */
export interface InnerRequest {
  readonly method: string
  /** Percent-encoded, without the mount point. */
  readonly path: string
  /** Without the question mark. */
  readonly query?: string
  /** JSON text of the body. */
  readonly json?: string | undefined
  /** Additional keys of the environ. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The response to a request. */
export interface InnerResponse {
  readonly status: number
  /** Code and reason. */
  readonly statusLine: string
  readonly fields: RunResult['headers']
  readonly body: RunResult['body']
  /** Reads the rest of the body. */
  bytes(): Promise<Uint8Array>
  /** The unexpected error that the response is for. It has been logged. */
  readonly failure: { readonly error: unknown } | undefined
  header(name: string): string | undefined
}

/** Keys of the framework that belong to the connection rather than to the request. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'propylon.connection',
  'propylon.fetch',
  'propylon.hides_errors',
])

/** Header fields about the body, its coding and a copy that the client has, which the inner request does not have. */
const REPLACED: ReadonlySet<string> = new Set([
  'HTTP_ACCEPT',
  'HTTP_ACCEPT_ENCODING',
  'HTTP_CONTENT_ENCODING',
  'HTTP_EXPECT',
  'HTTP_IF_MATCH',
  'HTTP_IF_MODIFIED_SINCE',
  'HTTP_IF_NONE_MATCH',
  'HTTP_IF_RANGE',
  'HTTP_IF_UNMODIFIED_SINCE',
  'HTTP_RANGE',
  'HTTP_TRANSFER_ENCODING',
  'HTTP_X_HTTP_METHOD_OVERRIDE',
  'wsgiorg.routing_args',
])

/**
 * Runs a request through the whole application: its middleware, hooks and limits.
 *
 * @param environ - the result of {@link innerEnviron}.
 * @throws an error of a client that has disconnected.
 */
export async function callApplication(app: RunnableApplication, environ: Environ): Promise<InnerResponse> {
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
  return {
    status: Number(statusLine.slice(0, 3)),
    statusLine,
    fields,
    body,
    bytes: () => result.bytes(),
    failure,
    header: (name) => fields.find(([field]) => field.toLowerCase() === name)?.[1],
  }
}

/** Returns the environ of a request to the application. It has the header fields of `outer`, the request of the client. */
export function innerEnviron(
  outer: Environ,
  { method, path, query = '', json, extra }: InnerRequest,
): Environ {
  const bytes = json === undefined ? null : new TextEncoder().encode(json)
  const target = encodePath(outer.SCRIPT_NAME) + path
  const environ = makeEnviron({
    method,
    scriptName: outer.SCRIPT_NAME,
    pathInfo: decodePath(path) ?? path,
    queryString: query,
    requestUri: query === '' ? target : `${target}?${query}`,
    serverName: outer.SERVER_NAME,
    serverPort: outer.SERVER_PORT,
    protocol: outer.SERVER_PROTOCOL,
    remoteAddr: outer.REMOTE_ADDR ?? '',
    scheme: outer['wsgi.url_scheme'],
    input: inputStream(bytes),
    errors: outer['wsgi.errors'],
    multiprocess: outer['wsgi.multiprocess'],
  })
  for (const key of Object.keys(outer)) if (isKept(key, environ)) environ[key] = outer[key]
  environ.HTTP_ACCEPT = 'application/json, */*;q=0.5'
  if (bytes !== null) {
    environ.CONTENT_TYPE = 'application/json'
    environ.CONTENT_LENGTH = String(bytes.length)
  }
  return Object.assign(environ, extra)
}

/** Returns true for a header field, or a key of middleware or of the connection, that the inner request has too. */
function isKept(key: string, inner: Environ): boolean {
  if (REPLACED.has(key) || Object.hasOwn(inner, key)) return false
  return !key.startsWith('propylon.') || OF_CONNECTION.has(key)
}

/** Returns the whole body, or undefined if it has more than {@link MAX_RESPONSE} bytes. */
export async function readBody(response: InnerResponse): Promise<Uint8Array | undefined> {
  const stated = response.header('content-length')
  if (stated !== undefined && Number(stated) <= MAX_RESPONSE) return response.bytes()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body) {
    length += chunk.length
    if (length > MAX_RESPONSE) return undefined
    chunks.push(chunk)
  }
  return concatBytes(chunks)
}
