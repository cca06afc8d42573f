import type { Application } from '../controllers/application.ts'
import { traceOf } from '../controllers/tracing/channels.ts'
import type { MatchResolution } from '../routing/resolver.ts'
import type { Environ } from '../wsgi/types.ts'
import type { RoutedRequest } from './error-pages/debug-error.ts'
import { routeLabel } from './error-pages/route-miss.ts'
import type { ControllerConstructor, LoadedController } from './loaded-controller.ts'
import { actionOf } from './method-rules.ts'

interface Routed {
  readonly resolution: MatchResolution
  readonly controllerClass?: ControllerConstructor
}

/** Routes and controllers of requests, for the pages of debug mode and for traces. */
export class RequestRecords {
  readonly #application: Application
  readonly #routed = new WeakMap<Environ, Routed>()

  constructor(application: Application) {
    this.#application = application
  }

  /** Records the route of a request. */
  matched(environ: Environ, resolution: MatchResolution): void {
    const trace = traceOf(environ)
    if (trace !== undefined) trace['http.route'] = resolution.route.path
    if (this.#application.debug) this.#routed.set(environ, { resolution })
  }

  /** Records the controller of a request. */
  found(environ: Environ, resolution: MatchResolution, controller: LoadedController): void {
    const trace = traceOf(environ)
    if (trace !== undefined) trace.controller = resolution.match.controller ?? ''
    if (!this.#application.debug || controller.kind !== 'class') return
    this.#routed.set(environ, { resolution, controllerClass: controller.controllerClass })
  }

  /** Returns the route of a request with its action and arguments, in debug mode only. */
  routed(environ: Environ): RoutedRequest | undefined {
    const routed = this.#routed.get(environ)
    if (routed === undefined) return undefined
    const { route, match } = routed.resolution
    const action = actionOf(routed.controllerClass, match.action)
    return {
      route: routeLabel(route),
      definedAt: route.definedAt,
      match,
      action: action?.label,
      parameters: action?.parameters.names.map(({ name }) => name) ?? [],
    }
  }
}
