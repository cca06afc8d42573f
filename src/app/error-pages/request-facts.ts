/**
 * The request on a development page, without its secrets.
 *
 * @module
 */
import { environHeaders } from '../../wsgi/environ.ts'
import { urlOf } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'
import { pairs, section } from './dev-page.ts'
import { type Html, html } from './html.ts'

/** Names of headers, query fields and path parameters whose values are secret. */
const SECRET = /cookie|auth|token|secret|passw|api-?_?key|session|credential|signature|csrf|xsrf/i

const MASK = '••••••'

/** The value of a name, or a mask if the name says that the value is secret. */
export function masked(name: string, value: string): string {
  return SECRET.test(name) && value !== '' ? MASK : value
}

/** A URL whose secret query values are masked. */
function maskedUrl(url: string): string {
  return url.replace(
    /([?&;])([^=&;?]+)=([^&;#]*)/g,
    (_, mark, name, value) => `${mark}${name}=${masked(name, value)}`,
  )
}

/** The section with method, URL and client. The header fields are folded. */
export function requestSection(environ: Environ): Html | undefined {
  const headers = environHeaders(environ).map(
    ([name, value]) => [name, masked(name, name === 'referer' ? maskedUrl(value) : value)] as const,
  )
  const request = pairs([
    ['Method', environ.REQUEST_METHOD],
    ['URL', maskedUrl(urlOf(environ))],
    ...(environ.REMOTE_ADDR ? [['Client', environ.REMOTE_ADDR] as const] : []),
  ])
  return section(
    'Request',
    html`${request}<details><summary>Header fields</summary>${pairs(headers)}</details>`,
  )
}
