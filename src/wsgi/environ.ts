/**
 * Creates environs. All servers use this file, so that all environs have the same shape.
 *
 * @module
 */
import { encodeUtf8 } from '../base/bytes.ts'
import { logged } from '../base/printable.ts'
import { emptyInput, inputStream } from './input.ts'
import { decodePath, targetPath } from './request-url.ts'
import { isToken } from './response-head.ts'
import type { Environ, ErrorStream, HeaderPair } from './types.ts'

/** Default for `wsgi.errors`: the console. */
export const consoleErrors: ErrorStream = {
  write(text) {
    console.error(logged(text.endsWith('\n') ? text.slice(0, -1) : text))
  },
  flush() {},
}

/** The variables of an environ that a server must provide, of no request. Environs that begin as a copy have one shape. */
export const NO_REQUEST: Readonly<Environ> = {
  REQUEST_METHOD: 'GET',
  SCRIPT_NAME: '',
  PATH_INFO: '',
  QUERY_STRING: '',
  CONTENT_TYPE: '',
  CONTENT_LENGTH: '',
  SERVER_NAME: 'localhost',
  SERVER_PORT: '80',
  SERVER_PROTOCOL: 'HTTP/1.1',
  REMOTE_ADDR: '',
  REQUEST_URI: '',
  'wsgi.version': Object.freeze([1, 0] as const),
  'wsgi.url_scheme': 'http',
  'wsgi.input': emptyInput,
  'wsgi.errors': consoleErrors,
  'wsgi.multithread': false,
  'wsgi.multiprocess': false,
  'wsgi.run_once': false,
}

/**
 * Adds a request header field. Repeated fields are joined; names with an underscore are dropped.
 *
 * @returns false for a second Host field, which is not added: servers respond with 400 (RFC 9112 §3.2).
 */
export function addHeader(environ: Environ, name: string, value: string): boolean {
  const key = environKey(name)
  if (key === undefined) return true
  const before = environ[key]
  if (before !== undefined && key === 'HTTP_HOST') return false
  environ[key] = before === undefined || before === '' ? value : joinHeader(key, String(before), value)
  return true
}

/** Description of a request for {@link createEnviron}. The default is a GET of `/` on localhost. */
export interface EnvironInit {
  /** Defaults to `GET`. */
  method?: string
  /** An absolute URL, or a path with or without a query, percent-encoded. Defaults to `/`. */
  url?: string
  /** SCRIPT_NAME, the path prefix of the mount point, percent-decoded. Defaults to `''`. */
  scriptName?: string
  /** Header fields in order of arrival. */
  headers?: Iterable<readonly [name: string, value: string]>
  /** Bytes and strings also set CONTENT_LENGTH, streams HTTP_TRANSFER_ENCODING, unless `headers` contains them. */
  body?: string | Uint8Array | AsyncIterable<Uint8Array> | null
  /** Defaults to `HTTP/1.1`. */
  protocol?: string
  /** Defaults to `127.0.0.1`. */
  remoteAddr?: string
  /** Defaults to the console. */
  errors?: ErrorStream
  /** Whether other processes run the same application. Defaults to false. */
  multiprocess?: boolean
  /** Additional keys. They override all others. */
  extra?: Record<string, unknown>
}

const DEFAULT_PORTS = { http: '80', https: '443' } as const

/**
 * Creates an environ from a description of a request.
 *
 * @throws URIError - the URL's path cannot be decoded, or does not begin with `scriptName`.
 *
 * @example
 * ```ts
 * import { createEnviron } from 'propylon/wsgi'
 *
 * const environ = createEnviron({ method: 'POST', url: '/users?x=1', headers: [['Accept', 'text/html']], body: 'name=Ann' })
 * console.log(environ.PATH_INFO) // '/users'
 * ```
 */
export function createEnviron(init: EnvironInit = {}): Environ {
  const { url = '/', scriptName = '', body = null } = init
  const absolute = /^(https?):\/\/([^/?#]*)/i.exec(url)
  const scheme = absolute?.[1]?.toLowerCase() === 'https' ? 'https' : 'http'
  const host = absolute?.[2] || 'localhost'
  const target = (absolute === null ? url : url.slice(absolute[0].length)).replace(/#.*$/s, '')
  const requestUri = target.startsWith('/') || target === '*' ? target : `/${target}`
  const path = decodePath(targetPath(requestUri))
  if (path === undefined)
    throw new URIError(`The path of ${JSON.stringify(url)} is not percent-encoded UTF-8, or has a NUL.`)
  if (!path.startsWith(scriptName)) {
    throw new URIError(`The path of ${JSON.stringify(url)} does not begin with ${JSON.stringify(scriptName)}.`)
  }
  const query = requestUri.indexOf('?')
  const [, serverName = 'localhost', serverPort = DEFAULT_PORTS[scheme]] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  const content = typeof body === 'string' ? encodeUtf8(body) : body

  const environ: Environ = {
    ...NO_REQUEST,
    REQUEST_METHOD: init.method ?? 'GET',
    SCRIPT_NAME: scriptName,
    PATH_INFO: path.slice(scriptName.length),
    QUERY_STRING: query < 0 ? '' : requestUri.slice(query + 1),
    SERVER_NAME: serverName,
    SERVER_PORT: serverPort,
    SERVER_PROTOCOL: init.protocol ?? 'HTTP/1.1',
    REMOTE_ADDR: init.remoteAddr ?? '127.0.0.1',
    REQUEST_URI: requestUri,
    'wsgi.url_scheme': scheme,
    'wsgi.input': content === null ? emptyInput : inputStream(content),
    'wsgi.errors': init.errors ?? consoleErrors,
    'wsgi.multiprocess': init.multiprocess ?? false,
  }
  for (const [name, value] of init.headers ?? []) addHeader(environ, name, value)
  environ.HTTP_HOST ??= host
  if (content !== null && environ.CONTENT_LENGTH === '' && environ.HTTP_TRANSFER_ENCODING === undefined) {
    if (content instanceof Uint8Array) environ.CONTENT_LENGTH = String(content.byteLength)
    else environ.HTTP_TRANSFER_ENCODING = 'chunked'
  }
  return Object.assign(environ, init.extra)
}

/**
 * Returns the request's header fields as pairs of lower-case names and values.
 *
 * @example
 * ```ts
 * import { createEnviron, environHeaders } from 'propylon/wsgi'
 *
 * console.log(environHeaders(createEnviron({ headers: [['Accept', 'text/html']] })))
 * // [['accept', 'text/html'], ['host', 'localhost']]
 * ```
 */
export function environHeaders(environ: Readonly<Record<string, unknown>>): HeaderPair[] {
  const headers: HeaderPair[] = []
  for (const key of Object.keys(environ)) {
    const name = headerName(key)
    const value = environ[key]
    // CONTENT_TYPE and CONTENT_LENGTH are always present. Empty ones are not header fields.
    if (name === undefined || typeof value !== 'string' || (value === '' && key.startsWith('CONTENT_'))) continue
    headers.push([name, value])
  }
  return headers
}

// Clients choose the names of request headers, so the cache is limited.
const MAX_CACHED = 1024
const MAX_CACHED_LENGTH = 64

const keys = new Map<string, string>()

/**
 * Returns the environ's key for a request header field.
 *
 * @param name - the field's name in any case.
 * @returns `CONTENT_TYPE`, `CONTENT_LENGTH`, or `HTTP_` and the name. Undefined if the name is not a token or
 *   contains an underscore: `X_User` and `X-User` would have the same key, so that a client could forge the header of
 *   a proxy.
 *
 * @example
 * ```ts
 * environKey('Content-Type') // 'CONTENT_TYPE'
 * environKey('accept') // 'HTTP_ACCEPT'
 * environKey('X_User') // undefined
 * ```
 */
export function environKey(name: string): string | undefined {
  const cached = keys.get(name)
  if (cached !== undefined) return cached
  const key = makeKey(name)
  if (key !== undefined && keys.size < MAX_CACHED && name.length <= MAX_CACHED_LENGTH) keys.set(name, key)
  return key
}

function makeKey(name: string): string | undefined {
  if (name.includes('_') || !isToken(name)) return undefined
  const upper = name.toUpperCase().replaceAll('-', '_')
  return upper === 'CONTENT_TYPE' || upper === 'CONTENT_LENGTH' ? upper : `HTTP_${upper}`
}

/**
 * Returns the header field's name for a key of the environ, the inverse of {@link environKey}.
 *
 * @returns the name in lower case; undefined if the key does not belong to a header field.
 */
export function headerName(key: string): string | undefined {
  if (key === 'CONTENT_TYPE') return 'content-type'
  if (key === 'CONTENT_LENGTH') return 'content-length'
  return key.startsWith('HTTP_') ? key.slice(5).toLowerCase().replaceAll('_', '-') : undefined
}

/**
 * Joins the values of two request header fields of the same name (RFC 9110 §5.3, RFC 6265 §5.4).
 *
 * @returns the values joined by `, ` (`; ` for Cookie). For fields that are not lists, the first value.
 */
export function joinHeader(key: string, first: string, second: string): string {
  if (SINGLETONS.has(key)) return first
  return key === 'HTTP_COOKIE' ? `${first}; ${second}` : `${first}, ${second}`
}

const SINGLETONS: ReadonlySet<string> = new Set([
  'CONTENT_TYPE',
  'CONTENT_LENGTH',
  'HTTP_AUTHORIZATION',
  'HTTP_FROM',
  'HTTP_HOST',
  'HTTP_IF_MODIFIED_SINCE',
  'HTTP_IF_UNMODIFIED_SINCE',
  'HTTP_MAX_FORWARDS',
  'HTTP_PROXY_AUTHORIZATION',
  'HTTP_REFERER',
  'HTTP_USER_AGENT',
])

const KEY = 'propylon.cancellation'

/**
 * Returns the controller of a request's signal, which is created on first use. The server aborts it when the client
 * disconnects before the response is complete, or when a shutdown cuts the request. A call has the signal of its
 * caller.
 */
export function cancellationOf(environ: Environ): AbortController {
  const { [KEY]: kept, 'propylon.caller': caller } = environ
  if (caller !== undefined) return cancellationOf(caller)
  if (kept instanceof AbortController) return kept
  const controller = new AbortController()
  environ[KEY] = controller
  environ['propylon.connection']?.onLost((reason) => controller.abort(reason))
  return controller
}
