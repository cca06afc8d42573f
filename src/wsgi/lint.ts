/**
 * Middleware that checks an application and its server against the rules of the gateway (PEP 3333).
 *
 * docs/reference/gateway.md is generated from the rules by scripts/gateway-docs.ts.
 *
 * @module
 */
import { chunkLength, isChunk } from '../base/bytes.ts'
import { describeValue } from '../base/describe.ts'
import { andThen, isPromise, settle } from '../base/promise.ts'
import { toApplication } from './application.ts'
import { headerKind, isBodyless, isToken, SWITCHING_PROTOCOLS } from './response-head.ts'
import type {
  Body,
  Chunk,
  ErrorStream,
  HeaderPair,
  InputStream,
  StartResponse,
  WSGIApplication,
  WSGICallable,
} from './types.ts'

/** The side that a rule applies to. */
export type Party = 'application' | 'server'

/**
 * A rule of the gateway was broken.
 *
 * @example
 * ```ts
 * import { createEnviron, LintError, lint, run } from 'propylon/wsgi'
 *
 * try {
 *   await run(lint(() => []), createEnviron())
 * } catch (error) {
 *   if (error instanceof LintError) console.log(error.rule, error.fix) // 'start-response-called', 'Call it before …'
 * }
 * ```
 */
export class LintError extends Error {
  /** Name of the rule, as in docs/reference/gateway.md. */
  readonly rule: string
  /** Side that broke the rule. Middleware is a server for the application that it wraps. */
  readonly party: Party
  /** Instructions for a fix. */
  readonly fix: string

  constructor(id: keyof typeof TEXTS, found: string) {
    const party = id in SERVER_RULES ? 'server' : 'application'
    const [requirement, fix] = TEXTS[id]
    super(`[${id}] The ${party} broke a rule of the gateway: ${requirement} Found: ${found}. ${fix}`)
    this.name = 'LintError'
    this.rule = id
    this.party = party
    this.fix = fix
  }
}

// ------------------------------------------------------------ the rules

type Rules = Readonly<Record<string, readonly [requirement: string, fix: string]>>

/** Rules for servers, by name. */
export const SERVER_RULES = {
  'call-arguments': ['The application is called with an environ and `start_response`.', 'Pass both.'],
  'environ-object': ['The environ is a plain object that can be changed.', 'Pass a copy: { ...environ }.'],
  'environ-variables': [
    'The variables of CGI (RFC 3875 §4.1) are present and strings. `REMOTE_ADDR` and `REQUEST_URI` may be absent.',
    "Set an unknown variable to ''.",
  ],
  'request-method': ['`REQUEST_METHOD` is a token (RFC 9110 §9.1).', 'Respond to the request with 400.'],
  'script-name': ['`SCRIPT_NAME` is empty, or a path other than `/`.', "Set it to '' for an application at /."],
  'path-info': ['`PATH_INFO` is empty, a path, or `*` for `OPTIONS`.', 'Add a slash at the start.'],
  'path-present': ['`SCRIPT_NAME` and `PATH_INFO` are not both empty.', "Set PATH_INFO to '/'."],
  'content-length-digits': ['`CONTENT_LENGTH` is empty, or digits.', "Set it to '' for a chunked request."],
  'server-name': ['`SERVER_NAME` is not empty, `SERVER_PORT` is digits.', 'Use the address of the socket.'],
  'server-protocol': ['`SERVER_PROTOCOL` is `HTTP/` and a version.', "Set it to 'HTTP/1.1', for instance."],
  'header-keys': [
    'A request header is a string at `HTTP_` and its name in capitals with underscores, except for the variables of CGI.',
    'Join repeated headers with a comma, Cookie with a semicolon. Use CONTENT_TYPE without HTTP_.',
  ],
  'wsgi-version': ['`wsgi.version` is `[1, 0]`.', 'Set it to [1, 0].'],
  'url-scheme': ['`wsgi.url_scheme` is `http` or `https`.', 'Set it to the scheme of the request.'],
  'input-methods': ['`wsgi.input` has read, readline, stream and async iteration.', 'Use inputStream().'],
  'errors-methods': ['`wsgi.errors` has the methods `write(text)` and `flush()`.', 'Add both methods.'],
  'wsgi-flags': ['`wsgi.multithread`, `.multiprocess` and `.run_once` are booleans.', 'Set all three.'],
  'input-bytes': ['`wsgi.input` provides Uint8Arrays, an empty one at its end.', 'Encode text as UTF-8.'],
  'input-size': ['`read(size)` returns at most `size` bytes.', 'Keep the rest for the next read.'],
  'write-callable': ['`start_response` returns the function `write`.', 'Return a function.'],
  'exc-info-thrown': ['`start_response` throws `excInfo` if the headers have been sent.', 'Throw it.'],
  'iterated-once': ['A body is iterated once.', 'Use one iterator.'],
  'pulled-after-close': ['No chunk is requested after `close()`.', 'Stop iterating.'],
  'closed-once': ['`close()` is called once.', 'Store that it has been called.'],
} as const satisfies Rules

/** Rules for applications, by name. */
export const APPLICATION_RULES = {
  'read-size': ['`wsgi.input.read` takes an integer, or no argument.', 'Convert text with Number().'],
  'readline-arguments': ['`wsgi.input.readline` takes no arguments.', 'Remove the arguments.'],
  'errors-text': ['`wsgi.errors.write` takes one string.', 'Convert the error to text: error.stack.'],
  'start-response-arguments': ['`start_response` takes two or three arguments.', 'Pass status and headers.'],
  'status-line': ['The status is three digits, a space and a Latin-1 reason.', 'Use statusLine(404).'],
  'status-final': ['The status is 200 to 599, or 101 for an upgrade.', 'Leave others to the server.'],
  'headers-array': ['The headers are an array of pairs of strings.', 'Pass [[name, value], …].'],
  'header-name': ['A header name is a token (RFC 9110 §5.1), and is not `Status`.', 'Correct the name.'],
  'header-value': ['A value is Latin-1 without controls and outer blanks (RFC 9110 §5.5).', 'Encode it.'],
  'header-hop-by-hop': ['No header concerns the connection (RFC 9110 §7.6.1).', 'Leave it to the server.'],
  'content-length-value': ['`Content-Length` occurs once, in digits.', 'Set it to the number of bytes.'],
  'bodyless-headers': [
    'A status without a body has no `Content-Type` (204, 304) and no `Content-Length` (204), or `Content-Length: 0` (205).',
    'Remove the header (RFC 9110 §8.6, §15.4.5).',
  ],
  'start-response-again': ['`start_response` is called again only with `excInfo`.', 'Pass the error.'],
  'start-response-called': ['`start_response` is called before a chunk and the end.', 'Call it earlier.'],
  'body-iterable': ['The body is an iterable or async iterable.', "Return ['Hello'] instead of 'Hello'."],
  'body-close': ['`close` of a body is a function, or absent.', 'Rename the other property.'],
  'chunk-type': ['A chunk is a string or a Uint8Array.', 'Convert others. Yield promises asynchronously.'],
  'body-forbidden': ['A response with status 204, 205 or 304 has only empty chunks.', 'Return [].'],
  'content-length-bytes': ['`Content-Length` is the number of bytes.', 'Count bytes instead of characters.'],
  'write-in-time': ['`write` is called before the application returns.', 'Yield the chunk from the body.'],
} as const satisfies Rules

const TEXTS = { ...SERVER_RULES, ...APPLICATION_RULES }

/**
 * Checks that a rule holds.
 *
 * @param what - names the value that breaks the rule; descriptions of `values` follow.
 * @throws LintError - the rule does not hold.
 */
function must(holds: boolean, id: keyof typeof TEXTS, what: string, ...values: unknown[]): asserts holds {
  if (!holds) throw new LintError(id, [what, ...values.map((value) => describeValue(value))].join(' '))
}

// ------------------------------------------------------------ the call

/**
 * Wraps an application so that a {@link LintError} is thrown when the application or the server breaks a rule of the
 * gateway (PEP 3333, docs/reference/gateway.md). A synchronous application stays synchronous, an array stays an
 * array, and streams are read as before.
 *
 * @param callable - an application, or an object with an application as `wsgi`.
 * @throws TypeError - `callable` is not an application.
 * @example
 * ```ts
 * import { createEnviron, lint, run, type WSGIApplication } from 'propylon/wsgi'
 *
 * const app: WSGIApplication = (environ, start_response) => {
 *   start_response('200', [])
 *   return ['Hello']
 * }
 * await run(lint(app), createEnviron()) // LintError: [status-line] The application broke a rule of the gateway: …
 * ```
 */
export function lint(callable: WSGICallable): WSGIApplication {
  const app = toApplication(callable)
  return (...args) => {
    must(args.length === 2, 'call-arguments', 'a number of arguments,', args.length)
    const [environ, start_response] = args
    must(typeof start_response === 'function', 'call-arguments', 'as start_response', start_response)
    checkEnviron(environ)
    const { REQUEST_METHOD: method, 'wsgi.input': input, 'wsgi.errors': errors } = environ
    environ['wsgi.input'] = lintInput(input)
    environ['wsgi.errors'] = lintErrors(errors)
    const response = new LintedResponse(method === 'HEAD')
    const body = app(environ, response.lintStart(start_response))
    return isPromise(body) ? body.then((later) => response.lintBody(later)) : response.lintBody(body)
  }
}

/** Variables that are strings, with patterns of their values and the rules for these. */
const VARIABLES = [
  ['REQUEST_METHOD', { test: isToken }, 'request-method'],
  ['SCRIPT_NAME', /^(?:\/.+)?$/s, 'script-name'],
  ['PATH_INFO', /^(?:\/.*|\*)?$/s, 'path-info'],
  ['QUERY_STRING', /^/, 'environ-variables'],
  ['CONTENT_TYPE', /^/, 'environ-variables'],
  ['CONTENT_LENGTH', /^\d*$/, 'content-length-digits'],
  ['SERVER_NAME', /./s, 'server-name'],
  ['SERVER_PORT', /^\d+$/, 'server-name'],
  ['SERVER_PROTOCOL', /^HTTP\/\d(?:\.\d)?$/, 'server-protocol'],
  ['REMOTE_ADDR', /^/, 'environ-variables'],
  ['REQUEST_URI', /^/, 'environ-variables'],
] as const
const OPTIONAL = ['REMOTE_ADDR', 'REQUEST_URI']

function checkEnviron(environ: unknown): void {
  must(isPlainObject(environ), 'environ-object', 'the environ is', environ)
  const isFixed = Object.getOwnPropertyDescriptor(environ, 'wsgi.input')?.writable === false
  must(Object.isExtensible(environ) && !isFixed, 'environ-object', 'an object that cannot be changed')
  for (const [key, pattern, rule] of VARIABLES) {
    const text = environ[key]
    if (text === undefined && OPTIONAL.includes(key)) continue
    must(typeof text === 'string', 'environ-variables', `${key} is`, text)
    must(pattern.test(text), rule, `${key} is`, text)
  }
  const { REQUEST_METHOD: method, SCRIPT_NAME: script, PATH_INFO: path } = environ
  must(path !== '*' || method === 'OPTIONS', 'path-info', 'PATH_INFO is', path)
  must(path !== '' || script !== '', 'path-present', 'both empty')
  for (const key of Object.keys(environ).filter((name) => /^http[_-]/i.test(name))) {
    must(/^HTTP_(?!CONTENT_(?:TYPE|LENGTH)$)[^a-z-]+$/.test(key), 'header-keys', 'the key', key)
    must(typeof environ[key] === 'string', 'header-keys', `${key} is`, environ[key])
  }
  const { 'wsgi.version': version, 'wsgi.url_scheme': scheme } = environ
  must(Array.isArray(version) && version.join('.') === '1.0', 'wsgi-version', 'the version', version)
  must(scheme === 'http' || scheme === 'https', 'url-scheme', 'the scheme', scheme)
  const { 'wsgi.input': input, 'wsgi.errors': errors } = environ
  must(hasMethods(input, 'read', 'readline', Symbol.asyncIterator), 'input-methods', 'wsgi.input is', input)
  must('stream' in input, 'input-methods', 'no stream')
  must(hasMethods(errors, 'write', 'flush'), 'errors-methods', 'wsgi.errors is', errors)
  for (const key of ['wsgi.multithread', 'wsgi.multiprocess', 'wsgi.run_once'])
    must(typeof environ[key] === 'boolean', 'wsgi-flags', `${key} is`, environ[key])
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function hasMethods(value: unknown, ...names: (string | symbol)[]): value is object {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => typeof Reflect.get(value, name) === 'function')
}

// ------------------------------------------------------------ the streams

/** Returns a `wsgi.input` that checks the application and the server. */
function lintInput(input: InputStream): InputStream {
  const checked = (bytes: Uint8Array): Uint8Array => {
    must(bytes instanceof Uint8Array, 'input-bytes', 'wsgi.input provides', bytes)
    return bytes
  }
  return {
    async read(size?: number, ...more: readonly unknown[]) {
      const isSize = size === undefined || Number.isInteger(size)
      must(more.length === 0 && isSize, 'read-size', 'the arguments', size, ...more)
      const bytes = checked(await input.read(size))
      const isTooLong = size !== undefined && size >= 0 && bytes.byteLength > size
      must(!isTooLong, 'input-size', 'a number of bytes,', bytes.byteLength)
      return bytes
    },
    async readline(...args: readonly unknown[]) {
      must(args.length === 0, 'readline-arguments', 'the arguments', ...args)
      return checked(await input.readline())
    },
    async *[Symbol.asyncIterator]() {
      for await (const bytes of input) yield checked(bytes)
    },
    get stream() {
      return input.stream
    },
  }
}

/** Returns a `wsgi.errors` that checks the arguments of `write`. */
function lintErrors(errors: ErrorStream): ErrorStream {
  return {
    write(text: unknown, ...more: readonly unknown[]) {
      must(more.length === 0 && typeof text === 'string', 'errors-text', 'the arguments', text, ...more)
      errors.write(text)
    },
    flush: () => errors.flush(),
  }
}

// ------------------------------------------------------------ the head

/** Status code and `Content-Length` of a checked head. Without the field the length is -1. */
type LintedHead = { readonly code: number; readonly length: number }

const STATUS = /^\d{3} [\x21-\x7e\x80-\xff](?:[\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/

/** Checks the arguments of start_response. */
function checkHead(args: readonly unknown[]): LintedHead {
  const [status, headers] = args
  must(args.length === 2 || args.length === 3, 'start-response-arguments', 'the arguments', ...args)
  must(typeof status === 'string' && STATUS.test(status), 'status-line', 'the status', status)
  const code = Number(status.slice(0, 3))
  must(code === SWITCHING_PROTOCOLS || (code >= 200 && code <= 599), 'status-final', 'the status', status)
  must(Array.isArray(headers), 'headers-array', 'the headers are', headers)
  let length = -1
  for (const pair of headers) {
    must(Array.isArray(pair) && pair.length === 2, 'headers-array', 'among them', pair)
    const [name, value]: unknown[] = pair
    must(typeof name === 'string' && typeof value === 'string', 'headers-array', 'the pair', name, value)
    const kind = headerKind(name)
    must(kind !== 'malformed' && !/^status$/i.test(name), 'header-name', 'the name', name)
    must(kind !== 'hop-by-hop', 'header-hop-by-hop', 'the name', name)
    must(!/[^\t\x20-\x7e\x80-\xff]|^[\t ]|[\t ]$/.test(value), 'header-value', `${name}:`, value)
    must(!isOutOfPlace(code, name.toLowerCase(), value), 'bodyless-headers', `${name} with status ${code}`)
    if (kind !== 'content-length') continue
    must(length < 0, 'content-length-value', 'a second one')
    must(/^\d+$/.test(value), 'content-length-value', 'the value', value)
    length = Number(value)
  }
  return { code, length }
}

function isOutOfPlace(code: number, name: string, value: string): boolean {
  if (name === 'content-type') return code === 204 || code === 304
  return name === 'content-length' && (code === 204 || (code === 205 && Number(value) !== 0))
}

// ------------------------------------------------------------ the response

/**
 * Checks one response: calls of start_response and write, the chunks of the body, and how the server pulls and closes
 * it.
 */
class LintedResponse {
  readonly #isHead: boolean
  #head: LintedHead | undefined
  /** Whether the server has received a chunk that is not empty. */
  #isCommitted = false
  #hasReturned = false
  #bytes = 0
  #isIterated = false
  #isClosed = false

  constructor(isHead: boolean) {
    this.#isHead = isHead
  }

  lintStart(start_response: StartResponse): StartResponse {
    return (...args: [string, HeaderPair[], unknown?]) => {
      const head = checkHead(args)
      const hasError = args[2] !== undefined && args[2] !== null
      must(this.#head === undefined || hasError, 'start-response-again', 'a second call without it')
      const write: unknown = start_response(...args)
      must(!this.#isCommitted, 'exc-info-thrown', 'no error')
      must(typeof write === 'function', 'write-callable', 'it returns', write)
      this.#head = head
      return (chunk) => {
        must(!this.#hasReturned, 'write-in-time', 'a call after that')
        this.#check(chunk)
        write(chunk)
      }
    }
  }

  /** Wraps a body. An array stays an array, and a synchronous iterable stays synchronous. */
  lintBody(body: Body): Body {
    this.#hasReturned = true
    const isObject = typeof body === 'object' && body !== null && !(body instanceof Uint8Array)
    const isIterable = isObject && (Symbol.iterator in body || Symbol.asyncIterator in body)
    must(isIterable, 'body-iterable', 'the body is', body)
    const { close } = body
    must(close === undefined || typeof close === 'function', 'body-close', 'close is', close)
    if (Array.isArray(body)) {
      for (const chunk of body) this.#check(chunk)
      this.#checkEnd()
      if (close === undefined) return body
    }
    const closeOnce = () => {
      must(!this.#isClosed, 'closed-once', 'a second call')
      this.#isClosed = true
      return close?.call(body)
    }
    if (Array.isArray(body)) return Object.assign([...body], { close: closeOnce })
    if (Symbol.asyncIterator in body)
      return { [Symbol.asyncIterator]: () => this.#iterate(() => body[Symbol.asyncIterator](), true), close: closeOnce }
    return { [Symbol.iterator]: () => this.#iterate(() => body[Symbol.iterator](), false), close: closeOnce }
  }

  /**
   * Returns an iterator that checks the calls of another and its chunks. Its results are promises if the others are.
   */
  #iterate<Chunks extends Iterator<Chunk> | AsyncIterator<Chunk>>(begin: () => Chunks, isAsync: boolean): Chunks {
    must(!this.#isIterated, 'iterated-once', 'a second iterator')
    this.#isIterated = true
    const iterator: Iterator<Chunk> | AsyncIterator<Chunk> = begin()
    const end = () => iterator.return?.() ?? { done: true, value: undefined }
    const receive = (result: IteratorResult<Chunk>): IteratorResult<Chunk> => {
      if (result.done) this.#checkEnd()
      else settle(() => this.#check(result.value), fail)
      return result
    }
    const fail = (error: unknown): never => {
      // The iterator has not ended if it was its chunk that broke a rule.
      if (error instanceof LintError) settle(end, () => {})
      throw error
    }
    const next = () => {
      must(!this.#isClosed, 'pulled-after-close', 'another next()')
      return andThen(() => iterator.next(), receive, fail)
    }
    // An asynchronous iterator rejects instead of throwing, and returns promises only.
    const checked = isAsync ? { next: async () => next(), return: async () => end() } : { next, return: end }
    return checked as Chunks
  }

  /** Checks one chunk before the server receives it. */
  #check(chunk: unknown): void {
    must(isChunk(chunk), 'chunk-type', 'a chunk is', chunk)
    if (chunk.length === 0) return
    must(this.#head !== undefined, 'start-response-called', 'a chunk before any call')
    const { code, length } = this.#head
    must(!isBodyless(code), 'body-forbidden', `with status ${code}`, chunk)
    // For HEAD a server may send nothing before the end.
    if (!this.#isHead) this.#isCommitted = true
    this.#bytes += chunkLength(chunk)
    must(length < 0 || this.#bytes <= length, 'content-length-bytes', `${this.#bytes} or more of ${length}`)
  }

  /** Checks that the body may end here. */
  #checkEnd(): void {
    must(this.#head !== undefined, 'start-response-called', 'the end of the body, and no call')
    const { code, length } = this.#head
    const isComplete = length < 0 || this.#bytes === length || (this.#isHead && this.#bytes === 0)
    must(isComplete || isBodyless(code), 'content-length-bytes', `${this.#bytes} of ${length}`)
  }
}
