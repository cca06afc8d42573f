/**
 * Detection of requests that a page of another site makes a browser send.
 *
 * @module
 */

import { SAFE_METHODS } from '../base/methods.ts'
import { hostOf } from '../wsgi/request-url.ts'
import type { Environ } from '../wsgi/types.ts'

/**
 * The rule for unsafe requests from pages of other sites: refuse them, allow them, or allow those from the listed
 * origins (`https://app.example`).
 */
export type CrossSiteRule = 'refuse' | 'allow' | readonly string[]

/** Returns true for request methods that are safe (RFC 9110 §9.2.1). */
export function isSafe(method: string): boolean {
  return SAFE_METHODS.has(method)
}

/**
 * Returns a function that is true for the requests to refuse: those with an unsafe method that a browser sends for a
 * page of another site. See {@link foreignCheck}.
 *
 * @throws TypeError - if `rule` has another value, or lists something that is not an origin.
 */
export function crossSiteCheck(rule: CrossSiteRule): (environ: Environ) => boolean {
  const isForeign = foreignCheck(rule)
  return (environ) => !isSafe(environ.REQUEST_METHOD) && isForeign(environ)
}

/**
 * Returns a function that is true for the requests that a browser sends for a page of another site, unless the rule
 * allows it. The browser would add the visitor's cookies, and it reaches networks that only the visitor reaches.
 *
 * `Sec-Fetch-Site` (Fetch Metadata §2.3) takes precedence, because behind a proxy the Host header can differ from the
 * host that the visitor sees. Without it, `Origin` (Fetch §3.2) must have the host of the request. Requests with
 * neither header pass: they come from programs. So do requests without cookies whose credentials a browser does not
 * add by itself: it asks before it sends such a request of another site's page (Fetch §3.3.7).
 *
 * @throws TypeError - if `rule` has another value, or lists something that is not an origin.
 */
export function foreignCheck(rule: CrossSiteRule): (environ: Environ) => boolean {
  if (rule === 'allow') return () => false
  const allowed = rule === 'refuse' ? new Set<string>() : originsOf(rule)
  return (environ) => {
    const { HTTP_SEC_FETCH_SITE: site, HTTP_ORIGIN: origin, HTTP_AUTHORIZATION: authorization = '' } = environ
    if (environ.HTTP_COOKIE === undefined && OWN_SCHEME.test(authorization)) return false
    if (site === 'same-origin' || site === 'none') return false
    if (origin === undefined) return site !== undefined
    if (allowed.has(origin)) return false
    return site !== undefined || !isOwnOrigin(origin, environ)
  }
}

/**
 * Credentials of a scheme that browsers do not add by themselves, as they do after a password dialog or a log-in to
 * the system.
 */
const OWN_SCHEME = /^(?!(?:basic|digest|negotiate|ntlm) )[!#$%&'*+.^`|~\w-]+ +\S/i

/** The header that marks a refused request as cross-site, for error messages. */
export function crossSiteEvidence({ HTTP_SEC_FETCH_SITE: site, HTTP_ORIGIN: origin }: Environ): string {
  const [name, value] = origin === undefined ? ['Sec-Fetch-Site', site] : ['Origin', origin]
  return `${name}: ${String(value).slice(0, 100)}`
}

function isOwnOrigin(origin: string, environ: Environ): boolean {
  return URL.canParse(origin) && new URL(origin).host === hostOf(environ)
}

/**
 * Returns a list of origins (RFC 6454), such as `https://app.example`, as a set.
 *
 * @param option - the option that has the list, for error messages.
 * @throws TypeError - the list is not an array, or an entry is not an origin as browsers write it.
 */
export function originSet(option: string, list: readonly string[]): ReadonlySet<string> {
  for (const entry of list) {
    const origin = typeof entry === 'string' && URL.canParse(entry) ? new URL(entry).origin : 'null'
    if (entry === origin && origin !== 'null') continue
    const fix = origin === 'null' ? 'scheme://host[:port], for example https://app.example' : origin
    throw new TypeError(`${option} lists ${JSON.stringify(entry)}, which is not an origin. Write ${fix}.`)
  }
  return new Set(list)
}

function originsOf(rule: readonly string[]): ReadonlySet<string> {
  if (Array.isArray(rule)) return originSet('The option crossSite', rule)
  throw new TypeError(
    `The option crossSite is ${JSON.stringify(rule)}. Use 'refuse', 'allow' or a list of origins such as ['https://app.example'].`,
  )
}
