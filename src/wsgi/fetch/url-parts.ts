/**
 * Splits the URL of a web request into the parts of an environ.
 *
 * @module
 */

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
export const MALFORMED_ORIGIN: Origin = {
  scheme: 'http',
  host: '',
  serverName: 'localhost',
  serverPort: '80',
}

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
 * Parsing would be most of the cost of a small request. If the origin is cached and the rest needs no normalization, the
 * text is split without parsing.
 *
 * The origin is {@link MALFORMED_ORIGIN} if the text is not a URL: Bun and Deno write the Host field into it unchecked.
 */
export function urlParts(url: string): UrlParts {
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
