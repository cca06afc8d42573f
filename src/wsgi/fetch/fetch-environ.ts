/**
 * The environ of a web request.
 *
 * @module
 */
import { NO_REQUEST } from '../environ.ts'
import { PulledInput } from '../input.ts'
import { MALFORMED_KEY, UNDECODABLE_PATH, withoutHost } from '../refusal.ts'
import { decodePath, isHost } from '../request-url.ts'
import type { Environ } from '../types.ts'
import type { FetchCall } from './fetch-call.ts'

/** Creates the environ of a web request, with {@link MALFORMED_KEY} if the path or the host is malformed. */
export function fetchEnviron(call: FetchCall): Environ {
  const { request } = call
  const { origin, path, query } = urlParts(urlOf(request))
  const pathInfo = decodePath(path)
  const environ: Environ = {
    ...NO_REQUEST,
    REQUEST_METHOD: request.method,
    PATH_INFO: pathInfo ?? path,
    QUERY_STRING: query,
    SERVER_NAME: origin.serverName,
    SERVER_PORT: origin.serverPort,
    REQUEST_URI: query === '' ? path : `${path}?${query}`,
    'wsgi.url_scheme': origin.scheme,
  }
  call.attach(environ)
  // The host of the URL may differ from the host of the field: Deno takes `Host: example.com/x` for the beginning of
  // the path.
  environ.HTTP_HOST ??= origin.host
  if (pathInfo === undefined) environ[MALFORMED_KEY] = UNDECODABLE_PATH
  if (origin === MALFORMED_ORIGIN || !isHost(environ.HTTP_HOST)) withoutHost(environ)
  if (environ.REQUEST_METHOD !== 'GET' && environ.REQUEST_METHOD !== 'HEAD') addInput(environ, request)
  return environ
}

/** Returns the URL of a request, or one without a host where reading it throws because of the host (Deno). */
function urlOf(request: globalThis.Request): string {
  try {
    return request.url
  } catch {
    return '//'
  }
}

function addInput(environ: Environ, request: globalThis.Request): void {
  const stated = environ.CONTENT_LENGTH ?? ''
  // Reading `request.body` creates a stream, so it is avoided if Content-Length is present.
  if (/^\d+$/.test(stated)) environ['wsgi.input'] = new WebInput(request, Number(stated))
  else if (request.body !== null) {
    environ['wsgi.input'] = new WebInput(request, Number.POSITIVE_INFINITY)
    // Applications for HTTP/1.1, such as Express, expect a body only if a header announces it.
    if (stated === '') environ.HTTP_TRANSFER_ENCODING ??= 'chunked'
  }
}

// ------------------------------------------------------------ the URL

/** Parts that all URLs of a server share. */
interface Origin {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly serverName: string
  readonly serverPort: string
}

/** Parts of a URL, normalized by the URL Standard. */
export interface UrlParts {
  readonly origin: Origin
  /** Percent-encoded. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
}

// Clients choose the Host header, so the cache is limited.
const MAX_CACHED = 256
const MAX_CACHED_LENGTH = 128

/** The origin of a URL whose host is malformed. */
const MALFORMED_ORIGIN: Origin = { scheme: 'http', host: '', serverName: 'localhost', serverPort: '80' }

/** The parts of a URL that has neither a host nor a path. */
const NOWHERE: UrlParts = { origin: MALFORMED_ORIGIN, path: '/', query: '' }

/** Beginning of URLs without a host. */
const NO_HOST = 'http://localhost'

const origins = new Map<string, Origin>()

/** Matches paths and queries that the URL Standard may normalize: dot segments, blanks, quotes, … */
const MAY_BE_REWRITTEN = /[^\w\-.~!$&()*+,;=:@/%?]|\/(?:\.|%2e)/i

/**
 * Splits an absolute URL.
 *
 * Parsing would be most of the cost of a small request. If the origin is cached and the rest needs no normalization,
 * the text is split without parsing.
 *
 * The origin is {@link MALFORMED_ORIGIN} if the text is not a URL: Bun and Deno write the Host field into it unchecked.
 */
function urlParts(url: string): UrlParts {
  const begin = url.indexOf('/', 'https://'.length)
  const known = begin < 0 ? undefined : origins.get(url.slice(0, begin))
  if (known !== undefined) {
    const target = url.slice(begin)
    if (!MAY_BE_REWRITTEN.test(target)) {
      const mark = target.indexOf('?')
      if (mark < 0) return { origin: known, path: target, query: '' }
      return { origin: known, path: target.slice(0, mark), query: target.slice(mark + 1) }
    }
  }
  return parsed(url)
}

function parsed(url: string): UrlParts {
  // Bun has only a path if the Host field is malformed or missing.
  const base = url.startsWith('/') ? NO_HOST : undefined
  if (!URL.canParse(url, base)) {
    const target = url.replace(/^[a-z]*:?\/\/[^/?#]*/i, '')
    const known = URL.canParse(target, NO_HOST)
      ? parsed(NO_HOST + (target.startsWith('/') ? target : `/${target}`))
      : NOWHERE
    return { ...known, origin: MALFORMED_ORIGIN }
  }
  const { origin: text, protocol, host, hostname, port, pathname, search } = new URL(url, base)
  const scheme = protocol === 'https:' ? 'https' : 'http'
  const serverPort = port || (scheme === 'https' ? '443' : '80')
  const origin: Origin = { scheme, host, serverName: hostname, serverPort }
  if (origins.size < MAX_CACHED && text.length <= MAX_CACHED_LENGTH) origins.set(text, origin)
  return { origin, path: pathname, query: search.slice(1) }
}

// ------------------------------------------------------------ the body

/** Body of a web request. It is not accessed before the first read. */
export class WebInput extends PulledInput {
  readonly #request: globalThis.Request
  readonly #length: number
  #iterator: AsyncIterator<Uint8Array> | undefined
  #taken = false

  /** @param length - Content-Length in bytes, Infinity if unknown. */
  constructor(request: globalThis.Request, length: number) {
    super()
    this.#request = request
    this.#length = length
  }

  protected override async pull(): Promise<Uint8Array | undefined> {
    if (this.#taken) return undefined
    this.#iterator ??= this.#request.body?.[Symbol.asyncIterator]()
    const { done, value } = (await this.#iterator?.next()) ?? { done: true }
    return done ? undefined : value
  }

  /** Reads a whole body of known length without creating a stream, which costs more than a small request. */
  protected override gather(size: number): Promise<Uint8Array> {
    if (this.#taken || this.#iterator !== undefined || size < this.#length) return super.gather(size)
    this.#taken = true
    return this.#request.arrayBuffer().then((buffer) => this.cut(new Uint8Array(buffer), size))
  }
}
