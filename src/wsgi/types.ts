/**
 * The gateway's types: PEP 3333 in the words of JavaScript.
 *
 * @module
 */

import type { Chunk } from '../base/bytes.ts'
import type { RegisteredEnviron } from '../base/register.ts'
import type { Upgrade } from './upgrade.ts'

export type { Chunk }

/** One response header field. Repeated fields are repeated pairs, never joined. */
export type HeaderPair = [name: string, value: string]

/**
 * Sends a chunk before any chunk of the returned body. Returned by `start_response` (PEP 3333, "The write()
 * Callable"). The first call sends the head: `write('')` does so before the first chunk exists.
 */
export type Write = (chunk: Chunk) => void

/**
 * Begins the response (PEP 3333, "The start_response() Callable").
 *
 * @param status - `NNN Reason`, for instance `200 OK`.
 * @param headers - the header fields in the order in which they go out; no hop-by-hop fields.
 * @param excInfo - the error that makes a second call legal: it replaces headers that have not gone out yet, and is
 *   thrown when they have.
 */
export type StartResponse = (status: string, headers: HeaderPair[], excInfo?: unknown) => Write

/** A body may carry `close()`, which the server calls exactly once, on completion and on disconnect alike. */
export interface Closeable {
  close?(): void | Promise<void>
}

/** A response body: chunks to be pulled one at a time. */
export type Body = (Iterable<Chunk> | AsyncIterable<Chunk>) & Closeable

/** The one idea that serves everywhere: an application is a function of the environ and `start_response`. */
export type WSGIApplication = (environ: Environ, start_response: StartResponse) => Body | Promise<Body>

/** A function from one application to another. */
export type Middleware = (app: WSGIApplication) => WSGIApplication

/**
 * An object that serves as an application through its bound `wsgi` member: a FrameworkApp, a Response, an
 * HTTPException.
 */
export interface WSGIObject {
  readonly wsgi: WSGIApplication
}

/** An application: the function itself or an object that has it as `wsgi`. */
export type WSGICallable = WSGIApplication | WSGIObject

/** The form that an application has for errors. */
export interface ErrorForm {
  /** Returns the response to a refused request in this form. */
  refusal(status: number, headers: readonly HeaderPair[]): WSGIApplication
}

/** The request's body as a file: PEP 3333's `wsgi.input`, asynchronous. Each byte is read once. */
export interface InputStream extends AsyncIterable<Uint8Array> {
  /** Up to `size` bytes (all that is left when absent); empty at the end. */
  read(size?: number): Promise<Uint8Array>
  /** One line with its line feed; what is left when there is none; empty at the end. */
  readline(): Promise<Uint8Array>
  /** The same bytes as a web stream. */
  readonly stream: ReadableStream<Uint8Array>
}

/** Error stream of an application: PEP 3333's `wsgi.errors`. */
export interface ErrorStream {
  /** Writes text. */
  write(text: string): void
  /** Sends what is buffered. */
  flush(): void
}

/** The server's side of a request, in `environ['propylon.connection']`. */
export interface ServerConnection {
  /**
   * Aborted when the server begins to shut down. Event streams end then. Undefined if the server does not report it.
   */
  readonly closing: AbortSignal | undefined
  /**
   * Calls a listener if the request ends before its response is complete, with a {@link ClientDisconnected} or
   * {@link ServerClosing}: at once if it has ended already.
   */
  onLost(listener: (reason: Error) => void): void
  /**
   * Calls a listener when nothing of the response is in memory any more: it has been sent, or the connection is lost.
   * At once if that is so already. Returns a function that cuts the connection, unless the system has taken all
   * bytes. Absent if the server does not report it.
   */
  onSent?(listener: () => void): () => void
  /**
   * Whether the request has ended before the head of a response was sent. Undefined if the server does not report it.
   */
  readonly isAbandoned?: boolean
  /** Sends 103 Early Hints with these `Link` fields. Absent if the server cannot. */
  earlyHints?(links: readonly string[]): void
}

/**
 * The request: a plain mutable object of CGI variables, `wsgi.*` values and whatever middleware adds.
 *
 * `SCRIPT_NAME` and `PATH_INFO` are percent-decoded UTF-8; `REQUEST_URI` is the request target as the client sent it.
 */
export interface Environ extends RegisteredEnviron {
  /** The method in upper case. */
  REQUEST_METHOD: string
  /** The mount point of the application. */
  SCRIPT_NAME: string
  /** The path within the application. */
  PATH_INFO: string
  /** The query without the question mark. */
  QUERY_STRING: string
  /** The header Content-Type. */
  CONTENT_TYPE?: string
  /** The header Content-Length. */
  CONTENT_LENGTH?: string
  /** Host of the server. */
  SERVER_NAME: string
  /** Port of the server. */
  SERVER_PORT: string
  /** Version of HTTP: `HTTP/1.1`. */
  SERVER_PROTOCOL: string
  /** Address of the client, or of the proxy that is not trusted. */
  REMOTE_ADDR?: string
  /** The authenticated user (RFC 3875 §4.1.11). Set by middleware such as `basicAuth()`. */
  REMOTE_USER?: string
  /** Scheme by which the user was authenticated. */
  AUTH_TYPE?: string
  /** The request target as the client sent it. */
  REQUEST_URI?: string
  /** Version of the gateway's interface. */
  'wsgi.version': readonly [major: number, minor: number]
  /** The scheme of the request, as the client used it. */
  'wsgi.url_scheme': 'http' | 'https'
  /** The body of the request. */
  'wsgi.input': InputStream
  /** Receives errors of the application. */
  'wsgi.errors': ErrorStream
  /** Whether threads may call the application at the same time. */
  'wsgi.multithread': boolean
  /** Whether other processes serve the application too. */
  'wsgi.multiprocess': boolean
  /** Whether the process serves one request only. */
  'wsgi.run_once': boolean
  /** Present once the request has been routed: no positional arguments, then the match. */
  'wsgiorg.routing_args'?: readonly [readonly [], Record<string, string | null>]
  /** The server's side of the request. Undefined if no server runs the application. */
  'propylon.connection'?: ServerConnection
  /**
   * The reason why a request is malformed, in words. Only applications whose `answersMalformed` is true receive such a
   * request. If its path cannot be decoded, PATH_INFO is the path as it was sent; a malformed host is removed.
   */
  'propylon.malformed'?: string
  /** The form that the application has for errors. Set by FrameworkApp with the option `problems`. */
  'propylon.problems'?: ErrorForm
  /** The server's offer to switch the connection to a WebSocket, if the request wants it and the server can. */
  'propylon.upgrade'?: Upgrade
  /** The request that makes this one by a call of the Model Context Protocol. Both are cancelled at once. */
  'propylon.caller'?: Environ
  /** Path of the route that matched, as it was defined: `/users/{id}`. */
  'propylon.route'?: string
  /**
   * Action in logs and traces, if it is not the action of the match: the method of a remote call, or null while it is
   * not known.
   */
  'propylon.action'?: string | null
  /** Id of the request. Set by `requestLog()`. */
  'propylon.request_id'?: string
  /** Value of the attribute `nonce` of inline scripts and styles. Set by `secureHeaders()`. */
  'propylon.nonce'?: string
  [http: `HTTP_${string}`]: string | undefined
  [key: string]: unknown
}
