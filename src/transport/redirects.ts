/** Maximum number of redirects of one call. */
export const MAX_REDIRECTS = 5

/** Headers that are for the first server only. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'host', 'proxy-authorization']

/**
 * Returns the URL to which a request is to be sent again with its method and body: the target of a 307 or 308
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

/** Returns the headers for a redirected request, without credentials if it is sent to another origin. */
export function redirectedHeaders(headers: Headers, from: string, to: string): Headers {
  const redirected = new Headers(headers)
  if (new URL(from).origin !== new URL(to).origin) {
    for (const name of PRIVATE_HEADERS) redirected.delete(name)
  }
  return redirected
}

/** Describes where a redirect leads, without user name and password; '' if the response is none. */
export function redirectText(status: number, headers: Headers): string {
  const location = status >= 300 && status < 400 ? headers.get('location') : null
  if (location === null) return ''
  return `, a redirect to ${location.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')}`
}
