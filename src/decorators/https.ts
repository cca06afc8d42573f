/** Keeps an action to https. */
import type { WSGIController } from '../controllers/wsgi-controller.ts'
import { HTTPForbidden, redirect } from '../http/exceptions.ts'
import type { Request } from '../http/request.ts'
import { type ActionDecorator, isSafe, makeDecorator } from './action-decorator.ts'

/** Where to send a request that came over http. A URL without a host is on the same host. */
export type SecureUrl = string | ((controller: WSGIController) => string)

/**
 * Lets an action be reached over https only. A safe request (GET, HEAD) over http is redirected (302) to the same host,
 * path and query over https, or to `url`. Any other is refused with 403: what it carried has already gone over the
 * network in the clear, and a redirect that repeats it would hide that. (405 would say that the method is wrong, 426
 * wants a header that belongs to the connection, not to an application.)
 *
 * Whether a request is secure is what the gateway says, `wsgi.url_scheme`; headers that any client can send, such as
 * `X-Forwarded-Proto`, never count. Behind a proxy that ends TLS, have the server or a middleware that knows the proxy
 * set it. A port in the Host header is not carried over, since https has another one: give `url` where it is not 443.
 *
 * @param url an https URL, a path on the same host, or a function of the controller that makes one.
 * @throws TypeError for a URL that is not https.
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
  if (typeof url === 'string') secured(url, 'localhost')
  return makeDecorator('https', () => (controller, args, proceed) => {
    const { request } = controller
    if (request.isSecure) return proceed(controller, args)
    if (!isSafe(request.method)) {
      throw new HTTPForbidden('This may only be sent over https. What was sent could be read on its way.')
    }
    if (url === undefined) redirect(sameOverHttps(request))
    redirect(secured(typeof url === 'string' ? url : url(controller), hostName(request)))
  })
}

function sameOverHttps(request: Request): string {
  return `https://${hostName(request)}${request.url.slice(`${request.scheme}://${request.host}`.length)}`
}

function hostName(request: Request): string {
  return request.host.replace(/:\d+$/, '')
}

function secured(url: string, host: string): string {
  const base = `https://${host}/`
  if (!URL.canParse(url, base) || new URL(url, base).protocol !== 'https:') {
    throw new TypeError(`https(): ${JSON.stringify(url)} is no https URL. Give one, or a path`)
  }
  return new URL(url, base).href
}
