/** A function with the call and the result of the platform's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Options of one call. */
export interface CallOptions {
  /** Headers to add to the request. They replace default headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /** Time limit of a call, in milliseconds. Default 60,000; 0 or Infinity for no limit. */
  readonly timeout?: number
  /** Aborts the call, which then fails with the reason of the signal. */
  readonly signal?: AbortSignal
}

/** Stores the cookies of a server. A `CookieJar` of tough-cookie is one. */
export interface CookieStore {
  /** Returns the value of the `Cookie` header for a request; '' for none. */
  getCookieString(url: string): Promise<string>
  /** Stores a cookie from a `Set-Cookie` header of a response from `url`. */
  setCookie(cookie: string, url: string, options: { readonly ignoreError: true }): Promise<unknown>
}

/** The names of the options for sending calls. */
export const TRANSPORT_NAMES = 'headers timeout signal fetch maxResponseLength cookies'

/** Options for sending calls. */
export interface TransportOptions extends CallOptions {
  /** Function that sends the requests, for instance to a unix socket. Default: the platform's `fetch`. */
  readonly fetch?: Fetch
  /** Maximum length of a response body, in bytes. Default 32 MiB. */
  readonly maxResponseLength?: number
  /**
   * Cookies that the server sets are sent with later calls: `true` for a new jar, which requires the package
   * tough-cookie, or a jar. Default false.
   */
  readonly cookies?: boolean | CookieStore
}
