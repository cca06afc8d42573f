/** Restricts actions to https. */

import { isSafe } from '../../http/cross-site.ts'
import { worded } from '../../http/error-texts.ts'
import { HTTPForbidden, redirect } from '../../http/exceptions.ts'
import type { Request } from '../../http/request.ts'
import type { WSGIController } from '../wsgi-controller.ts'
import { type ActionDecorator, makeDecorator } from './action-decorator.ts'

/**
 * Target of the redirect: a URL, or a function that returns one. A URL without a host is on the host of the request.
 */
export type SecureUrl = string | ((controller: WSGIController) => string)

/**
 * Restricts an action to https. A safe request (GET, HEAD) over http is redirected (302) to the same host, path and
 * query over https, or to `url`. Any other request gets 403: its content has already been sent unencrypted, and a
 * redirect that repeats it would hide that.
 *
 * The scheme is `wsgi.url_scheme`. Headers that any client can send, such as `X-Forwarded-Proto`, are ignored: behind a
 * proxy that terminates TLS, the server or middleware must set it. The port of the Host header is dropped; pass `url`
 * if https has another port than 443.
 *
 * @param url - an https URL, a path on the same host, or a function of the controller that returns one. The function
 *   may return an http URL of the same host, such as `request.url`: its scheme is replaced.
 * @throws TypeError - the URL is not https. Thrown by the action if `url` is a function.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { decorate, https } from 'propylon/decorators'
 *
 * export class LoginController extends WSGIController {
 *   index() {
 *     return '<form method="post">…</form>'
 *   }
 *
 *   static {
 *     decorate(this, { index: [https()] })
 *   }
 * }
 * ```
 */
export function https(url?: SecureUrl): ActionDecorator {
  if (typeof url === 'string') secured(url)
  return makeDecorator('https', () => (controller, args, proceed) => {
    const { request } = controller
    if (request.isSecure) return proceed(controller, args)
    if (!isSafe(request.method)) {
      throw worded(HTTPForbidden, 'propylon.refused.insecure')
    }
    if (url === undefined) redirect(`https://${hostName(request)}${request.pathAndQuery}`)
    redirect(secured(typeof url === 'string' ? url : url(controller), hostName(request)))
  })
}

function hostName(request: Request): string {
  return request.host.replace(/:\d+$/, '')
}

/**
 * Returns a URL over https.
 *
 * @param host - the host of the request. By default no host has http URLs.
 */
function secured(url: string, host = 'host.invalid'): string {
  const base = `https://${host}/`
  const target = URL.canParse(url, base) ? new URL(url, base) : undefined
  if (target?.protocol === 'https:') return target.href
  if (target?.protocol === 'http:' && target.hostname === new URL(base).hostname) {
    return `https://${target.hostname}${target.pathname}${target.search}${target.hash}`
  }
  throw new TypeError(
    `https() received ${JSON.stringify(url)}. Give an https URL or a path, or a function that returns an http URL of the same host.`,
  )
}
