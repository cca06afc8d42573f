/** Maximum number of redirects of one call. */
export const MAX_REDIRECTS = 5

/** Headers that are sent to another origin too. Any other can be a credential of the first server. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent'])

/**
 * Returns the URL to which a request must be sent again with its method and body: the target of a 307 or 308
 * (RFC 9110 §15.4.8, §15.4.9). The others may change the method, so they return undefined, as does a target that is not
 * http(s) or less secure than `url`.
 */
export function redirectTarget(status: number, headers: Headers, url: string): string | undefined {
  const location = headers.get('location')
  if ((status !== 307 && status !== 308) || location === null || !URL.canParse(location, url))
    return undefined
  const target = new URL(location, url)
  const isAllowed = target.protocol === 'https:' || (target.protocol === 'http:' && url.startsWith('http:'))
  if (!isAllowed) return undefined
  target.username = ''
  target.password = ''
  return target.href
}

/**
 * Returns true if a redirect leads to the server that has received the parameters already: within an origin, or from http to
 * https on the default ports of the same host.
 */
export function keepsParameters(from: string, to: string): boolean {
  const [before, after] = [new URL(from), new URL(to)]
  if (before.origin === after.origin) return true
  return (
    before.protocol === 'http:' &&
    after.protocol === 'https:' &&
    before.host === after.host &&
    before.port === ''
  )
}

/** Returns the headers for a redirected request: all of them for the same origin, the protocol's headers for another. */
export function redirectedHeaders(headers: Headers, from: string, to: string): Headers {
  if (new URL(from).origin === new URL(to).origin) return headers
  return new Headers([...headers].filter(([name]) => PUBLIC_HEADERS.has(name)))
}

/** Describes where a redirect leads, without user name and password; '' if the response is none. */
export function redirectText(status: number, headers: Headers): string {
  const location = status >= 300 && status < 400 ? headers.get('location') : null
  if (location === null) return ''
  return `, a redirect to ${location.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')}`
}
