/**
 * The parts of a web request's URL that an environ has.
 *
 * @module
 */

/** What is the same for all URLs of a server. */
interface Origin {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly serverName: string
  readonly serverPort: string
}

/** A URL in parts, as the URL Standard has it. */
export interface UrlParts {
  readonly origin: Origin
  /** Percent-encoded. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
}

// A client chooses the Host header, so what is remembered of it has a limit.
const MAX_REMEMBERED = 256
const MAX_REMEMBERED_LENGTH = 128

const origins = new Map<string, Origin>()

/** What the URL Standard would write differently in a path or a query, or might: dot segments, blanks, quotes, … */
const MAY_BE_REWRITTEN = /[^\w\-.~!$&()*+,;=:@/%?]|\/(?:\.|%2e)/i

/**
 * Takes an absolute URL apart.
 *
 * Parsing is most of what a small request costs here, and a server's URLs differ only behind their origin: where that is
 * known, and nothing behind it is to be rewritten, the text is only cut.
 *
 * @throws TypeError when it is none.
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
  const { origin: text, protocol, host, hostname, port, pathname, search } = new URL(url)
  const scheme = protocol === 'https:' ? 'https' : 'http'
  const serverPort = port || (scheme === 'https' ? '443' : '80')
  const origin: Origin = { scheme, host, serverName: hostname, serverPort }
  if (origins.size < MAX_REMEMBERED && text.length <= MAX_REMEMBERED_LENGTH) origins.set(text, origin)
  return { origin, path: pathname, query: search.slice(1) }
}
