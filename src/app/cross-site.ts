import type { Application } from '../controllers/application.ts'
import type { ControllerClass } from '../controllers/class-methods.ts'
import { staticRule } from '../controllers/statics.ts'
import { type CrossSiteRule, crossSiteCheck, crossSiteEvidence } from '../http/cross-site.ts'
import { worded } from '../http/error-texts.ts'
import { HTTPForbidden } from '../http/exceptions.ts'
import type { Environ, Middleware } from '../wsgi/types.ts'
import type { LoadedController } from './loaded-controller.ts'

/** Key of a middleware for the option `origins` of `cors()`, which made it. */
export const ALLOWED_ORIGINS: unique symbol = Symbol('propylon.allowedOrigins')

/**
 * Returns the origins whose pages may read responses, and whose unsafe requests the rule of an application refuses: an
 * origin, `'*'` for all, or `'others'` for those that a function allows.
 */
export function refusedOrigins(rule: CrossSiteRule, middleware: readonly Middleware[]): string[] {
  if (rule === 'allow') return []
  const allowed = middleware.flatMap((one): unknown => Reflect.get(one, ALLOWED_ORIGINS) ?? [])
  const origins = allowed.map((origin) => (typeof origin === 'string' ? origin : 'others'))
  return origins.filter((origin) => rule === 'refuse' || !rule.includes(origin))
}

/** Refuses unsafe requests that pages of other sites send. */
export class CrossSiteGuard {
  readonly #application: Application
  /** Returns true if a request is unsafe and was sent by a page of another site. */
  readonly concerns: (environ: Environ) => boolean

  constructor(application: Application, rule: CrossSiteRule) {
    this.#application = application
    this.concerns = crossSiteCheck(rule)
  }

  /**
   * @throws HTTPForbidden - the request is unsafe and cross-site, and the controller does not allow it for the
   * action.
   */
  check(environ: Environ, controller?: LoadedController, action?: unknown): void {
    if (!this.concerns(environ)) return
    if (controller?.kind === 'class' && allowsCrossSite(controller.controllerClass, action)) return
    const refusal = worded(HTTPForbidden, 'propylon.refused.crossSite', { method: environ.REQUEST_METHOD })
    if (!this.#application.showsErrors(environ)) throw refusal
    throw new HTTPForbidden(
      `${refusal.detail} The request has the header "${crossSiteEvidence(environ)}". To allow it, list the origin in FrameworkApp({ crossSite: [origin] }), or set static crossSite = 'allow' or { action: 'allow' } in the controller.`,
    )
  }
}

/**
 * Returns true if `static crossSite` of a controller class allows unsafe requests from other sites to an action.
 * Dashes and dots in the action's name are read as underscores: `stock.find` is `stock_find`.
 */
export function allowsCrossSite(controllerClass: ControllerClass, action: unknown): boolean {
  const name = typeof action === 'string' ? action.replaceAll(/[-.]/g, '_') : 'index'
  return staticRule(controllerClass, 'crossSite', name) === 'allow'
}
