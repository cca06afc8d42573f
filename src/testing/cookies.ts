/**
 * The cookies of a test browser: RFC 6265 §5, with the name prefixes and the size limit of its revision.
 *
 * @module
 */

/** A cookie as it is kept. Values stand as they travelled. */
export interface StoredCookie {
  readonly name: string
  readonly value: string
  /** The host that it belongs to. */
  readonly domain: string
  /** Whether only that very host gets it; otherwise its sub-domains do as well. */
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
  readonly httpOnly: boolean
  /** When it dies, in milliseconds since 1970; `undefined` for a cookie of the session. */
  readonly expires: number | undefined
  /** Its place in the order of setting. */
  readonly order: number
}

/** How a cookie is put into the jar by hand. */
export interface CookieAttributes {
  /** A host, which then gets it together with its sub-domains; default: the application's own host alone. */
  domain?: string
  /** Default `/`. */
  path?: string
  /** Default `false`. */
  secure?: boolean
}

const MAX_COOKIE_LENGTH = 4096

/**
 * Keeps the cookies that an application sets and says which ones go with a request.
 *
 * A cookie with `Secure` is kept, and sent over https only; SameSite plays no part, for all requests of a test come from
 * the site itself.
 */
export class CookieJar implements Iterable<StoredCookie> {
  readonly #url: URL
  readonly #now: () => number
  #cookies: StoredCookie[] = []
  #set = 0

  /**
   * @param url - the application's address, for {@link set}.
   * @param now - the clock, in milliseconds since 1970.
   */
  constructor(url: URL | string = 'http://localhost/', now: () => number = Date.now) {
    this.#url = new URL(url)
    this.#now = now
  }

  /** The value that the newest cookie of that name carries, percent-decoded where it can be; else `undefined`. */
  get(name: string): string | undefined {
    const cookie = [...this].reverse().find((candidate) => candidate.name === name)
    return cookie && decode(cookie.value)
  }

  /**
   * Puts a cookie into the jar; the value is percent-encoded.
   *
   * @throws TypeError for a name that cannot be a cookie's.
   */
  set(name: string, value: string, attributes: CookieAttributes = {}): void {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw new TypeError(`${JSON.stringify(name)} cannot name a cookie`)
    this.#put({
      name,
      value: encodeURIComponent(value),
      domain: (attributes.domain ?? this.#url.hostname).toLowerCase(),
      hostOnly: attributes.domain === undefined,
      path: attributes.path ?? '/',
      secure: attributes.secure ?? false,
      httpOnly: false,
      expires: undefined,
      order: this.#set++,
    })
  }

  /** Removes the cookies of a name. */
  delete(name: string): void {
    this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name)
  }

  /** Removes all cookies. */
  clear(): void {
    this.#cookies = []
  }

  /** The living cookies, in the order of setting. */
  [Symbol.iterator](): Iterator<StoredCookie> {
    const now = this.#now()
    this.#cookies = this.#cookies.filter((cookie) => cookie.expires === undefined || cookie.expires > now)
    return this.#cookies[Symbol.iterator]()
  }

  /**
   * Takes a Set-Cookie value as a browser does (RFC 6265 §5.2, §5.3).
   *
   * @returns whether it was taken; a cookie for another host, or a malformed one, is not.
   */
  store(setCookie: string, url: URL): boolean {
    const [pair = '', ...rest] = setCookie.split(';')
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(equals, 0)).trim()
    const value = pair.slice(equals + 1).trim()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(setCookie)) return false
    if (name.length + value.length === 0 || name.length + value.length > MAX_COOKIE_LENGTH) return false

    const attributes = parseAttributes(rest)
    const host = url.hostname.toLowerCase()
    const domain = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase()
    if (domain !== '' && !mayShare(host, domain)) return false
    const path = attributes.get('path') ?? ''
    const cookie: StoredCookie = {
      name,
      value,
      domain: domain || host,
      hostOnly: domain === '',
      path: path.startsWith('/') ? path : defaultPath(url.pathname),
      secure: attributes.has('secure'),
      httpOnly: attributes.has('httponly'),
      expires: this.#expiry(attributes),
      order: this.#set++,
    }
    if (!fitsPrefix(cookie)) return false
    this.#put(cookie)
    return true
  }

  /** The Cookie header for a request to a URL (RFC 6265 §5.4); empty when there is none. */
  header(url: URL): string {
    const host = url.hostname.toLowerCase()
    return [...this]
      .filter((cookie) => {
        if (cookie.secure && url.protocol !== 'https:') return false
        if (cookie.hostOnly ? host !== cookie.domain : !matchesDomain(host, cookie.domain)) return false
        return matchesPath(url.pathname, cookie.path)
      })
      .sort((a, b) => b.path.length - a.path.length || a.order - b.order)
      .map((cookie) => (cookie.name === '' ? cookie.value : `${cookie.name}=${cookie.value}`))
      .join('; ')
  }

  #expiry(attributes: Map<string, string>): number | undefined {
    const maxAge = attributes.get('max-age')
    if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) {
      return Number(maxAge) <= 0 ? Number.NEGATIVE_INFINITY : this.#now() + Number(maxAge) * 1000
    }
    const expires = attributes.get('expires') ?? ''
    const time = /\d{1,2}:\d{1,2}:\d{1,2}/.test(expires) ? Date.parse(expires) : Number.NaN
    return Number.isNaN(time) ? undefined : time
  }

  /** One that replaces another keeps its place in the order. */
  #put(cookie: StoredCookie): void {
    const index = this.#cookies.findIndex(
      (other) => other.name === cookie.name && other.domain === cookie.domain && other.path === cookie.path,
    )
    const previous = this.#cookies[index]
    if (previous === undefined) this.#cookies.push(cookie)
    else this.#cookies[index] = { ...cookie, order: previous.order }
  }
}

function parseAttributes(parts: string[]): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const part of parts) {
    const equals = part.indexOf('=')
    const name = (equals === -1 ? part : part.slice(0, equals)).trim().toLowerCase()
    attributes.set(name, equals === -1 ? '' : part.slice(equals + 1).trim())
  }
  return attributes
}

/** RFC 6265 §5.1.3. */
function matchesDomain(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && !/^[\d.]+$|:/.test(host))
}

/** A host may share a cookie with a domain above it, but not with a whole top-level domain. */
function mayShare(host: string, domain: string): boolean {
  return matchesDomain(host, domain) && (host === domain || domain.includes('.') || domain === 'localhost')
}

/** RFC 6265 §5.1.4. */
function defaultPath(path: string): string {
  const end = path.lastIndexOf('/')
  return end <= 0 ? '/' : path.slice(0, end)
}

/** RFC 6265 §5.1.4. */
function matchesPath(path: string, cookiePath: string): boolean {
  if (path === cookiePath) return true
  return path.startsWith(cookiePath) && (cookiePath.endsWith('/') || path[cookiePath.length] === '/')
}

function fitsPrefix(cookie: StoredCookie): boolean {
  const name = cookie.name.toLowerCase()
  if (name.startsWith('__secure-')) return cookie.secure
  if (name.startsWith('__host-')) return cookie.secure && cookie.hostOnly && cookie.path === '/'
  return true
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch (error) {
    if (error instanceof URIError) return value
    throw error
  }
}
