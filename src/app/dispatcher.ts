/** A request's way from its path to the controller that serves it. */
import { APPLICATION_KEY, type Application, FORMATS_KEY } from '../controllers/application.ts'
import type { MethodBinding } from '../controllers/arguments.ts'
import { metadataOf } from '../controllers/metadata.ts'
import { type CrossSiteRule, crossSiteCheck, crossSiteEvidence } from '../http/cross-site.ts'
import { HTTPException, HTTPForbidden, HTTPMethodNotAllowed, HTTPNotFound } from '../http/exceptions.ts'
import { Response } from '../http/response.ts'
import type { MatchResolution } from '../routing/resolver.ts'
import { rawPathInfo } from '../wsgi/path.ts'
import { isInstance } from '../wsgi/thrown.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import { allowsCrossSite } from './cross-site.ts'
import type { RoutedRequest } from './error-pages/debug-error.ts'
import { RouteNotFound, routeLabel } from './error-pages/route-miss.ts'
import { ControllerNotFound } from './errors.ts'
import type { ControllerConstructor, LoadedController } from './loaded-controller.ts'
import { mayOverrideMethod, needsOverride, overrideMethod } from './method-override.ts'
import type { ControllerRegistry } from './registry.ts'

type Sent = Body | Promise<Body>

/** What a controller may be asked where neither a route nor a resource says less. */
const ANY_METHOD: readonly string[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/** What changes nothing (RFC 9110 §9.2.1), of the methods that reach an action. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** An application whose requests are dispatched. */
interface DispatchedApplication extends Application {
  /** Whether a page that shows source or routes may be sent: debug mode is on and the host is trusted. */
  showsDebugPage(environ: Environ): boolean
}

/** Dispatches the requests of one application to its controllers. */
export class Dispatcher {
  readonly #application: DispatchedApplication
  readonly #controllers: ControllerRegistry
  /** Whether a request is unsafe and comes from a page of another site. */
  readonly #isCrossSite: (environ: Environ) => boolean
  /** In debug mode: the route of each request and the class of its controller. */
  readonly #routed = new WeakMap<
    Environ,
    { readonly resolution: MatchResolution; readonly controllerClass: ControllerConstructor | undefined }
  >()

  constructor(application: DispatchedApplication, controllers: ControllerRegistry, crossSite: CrossSiteRule) {
    this.#application = application
    this.#controllers = controllers
    this.#isCrossSite = crossSiteCheck(crossSite)
  }

  /** Serves a request. An HTTP exception is an answer; every other error escapes. */
  readonly dispatch: WSGIApplication = (environ, start_response) => {
    let sent: Sent
    try {
      sent = this.#overrideAndRoute(environ, start_response)
    } catch (error) {
      return this.#answerException(error, environ, start_response)
    }
    if (!(sent instanceof Promise)) return sent
    return sent.catch((error: unknown) => this.#answerException(error, environ, start_response))
  }

  #overrideAndRoute(environ: Environ, start_response: StartResponse): Sent {
    const path = rawPathInfo(environ)
    // A form is read before it is dispatched only where one of the methods it may ask for leads somewhere. A form of
    // another site is not read before its action is known to allow it, so it cannot override the method.
    if (
      mayOverrideMethod(environ) &&
      !this.#isCrossSite(environ) &&
      needsOverride(this.#application.mapper.methodsAt(path, contextOf(environ)))
    ) {
      return overrideMethod(environ).then(() => this.#route(path, environ, start_response))
    }
    return this.#route(path, environ, start_response)
  }

  #route(path: string, environ: Environ, start_response: StartResponse): Sent {
    const method = environ.REQUEST_METHOD
    const resolution = this.#application.mapper.resolve(method, path, contextOf(environ))
    switch (resolution.kind) {
      case 'match':
        return this.#serve(resolution, environ, start_response)
      case 'method':
        if (method === 'OPTIONS') return tellMethods(resolution.allow, environ, start_response)
        if (this.#isCrossSite(environ)) throw this.#crossSiteRefusal(environ)
        throw methodNotAllowed(resolution.allow)
      case 'redirect': {
        const headers = { Location: resolution.location }
        return new Response(null, { status: resolution.status, headers }).send(environ, start_response)
      }
      default:
        // OPTIONS * asks of the server as a whole (RFC 9110 §9.3.7).
        if (path === '*' && method === 'OPTIONS') return tellMethods(ANY_METHOD, environ, start_response)
        throw this.#noRoute(method, path, environ)
    }
  }

  /** In debug mode: the route of a request, with the action and the arguments that it takes. */
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

  #noRoute(method: string, path: string, environ: Environ): HTTPException {
    const { mapper } = this.#application
    if (!this.#application.showsDebugPage(environ)) return new HTTPNotFound()
    const near = mapper.explain(method, path, contextOf(environ))
    return new RouteNotFound({ method, path, near, routes: mapper.routes })
  }

  #serve(resolution: MatchResolution, environ: Environ, start_response: StartResponse): Sent {
    environ[APPLICATION_KEY] = this.#application
    environ['wsgiorg.routing_args'] = [[], resolution.match]
    if (resolution.pathInfo !== undefined) {
      environ.SCRIPT_NAME += resolution.scriptName ?? ''
      environ.PATH_INFO = resolution.pathInfo
    }
    if (this.#application.debug) this.#routed.set(environ, { resolution, controllerClass: undefined })
    const { route, match } = resolution
    if (route.resource !== undefined && route.formats !== null && match.format === undefined) {
      environ[FORMATS_KEY] = route.formats
    }
    const name = match.controller
    const found = typeof name === 'string' ? this.#controllers.find(name) : undefined
    if (found === undefined) throw this.#noController(resolution)
    if (!(found instanceof Promise)) return this.#call(found, resolution, environ, start_response)
    return found.then((controller) => this.#call(controller, resolution, environ, start_response))
  }

  #call(
    controller: LoadedController,
    resolution: MatchResolution,
    environ: Environ,
    start: StartResponse,
  ): Sent {
    if (this.#isCrossSite(environ)) this.#checkCrossSite(controller, resolution.match.action, environ)
    if (controller.kind === 'application') return controller.application(environ, start)
    const { controllerClass } = controller
    if (this.#application.debug) this.#routed.set(environ, { resolution, controllerClass })
    const method = environ.REQUEST_METHOD
    const own = controllerClass.allow
    if (own !== undefined && !own.includes(method)) throw methodNotAllowed(own)
    if (resolution.route.methods === null) {
      if (method === 'OPTIONS') {
        return tellMethods(
          own ?? (resolution.allow.length > 0 ? resolution.allow : ANY_METHOD),
          environ,
          start,
        )
      }
      const allow = this.#methodsThatMay(controllerClass, resolution, method)
      if (allow !== undefined) throw methodNotAllowed(allow)
    }
    return new controllerClass().__call__(environ, start)
  }

  /**
   * What a route without methods of its own, such as the default route, must not do behind the back of a resource:
   * change something on GET, or answer for a path that the resource has with methods it has not.
   *
   * @returns the methods to allow instead, or undefined when all is well.
   */
  #methodsThatMay(
    controllerClass: ControllerConstructor,
    { match, allow }: MatchResolution,
    method: string,
  ): readonly string[] | undefined {
    const { controller, action } = match
    if (typeof controller !== 'string' || typeof action !== 'string') return undefined
    const safe = SAFE_METHODS.has(method)
    const bound = this.#application.mapper.resourceActions(controller)
    if (bound === undefined && allow.length === 0) return undefined
    const own = bound?.get(action.replaceAll('-', '_'))
    const changes = own !== undefined && !own.some((allowed) => SAFE_METHODS.has(allowed))
    if (changes && safe) return ANY_METHOD.filter((allowed: string) => !SAFE_METHODS.has(allowed))
    if (allow.length === 0) return undefined
    if (own !== undefined && !changes && !safe) return allow
    return metadataOf(controllerClass).action(action) === undefined ? allow : undefined
  }

  /** @throws HTTPForbidden - unless the controller allows cross-site requests to the action. */
  #checkCrossSite(controller: LoadedController, action: unknown, environ: Environ): void {
    if (controller.kind === 'class' && allowsCrossSite(controller.controllerClass, action)) return
    throw this.#crossSiteRefusal(environ)
  }

  #crossSiteRefusal(environ: Environ): HTTPForbidden {
    const detail = `Pages of other sites may not send ${environ.REQUEST_METHOD} requests to this one.`
    if (!this.#application.showsDebugPage(environ)) return new HTTPForbidden(detail)
    return new HTTPForbidden(
      `${detail} The request has the header "${crossSiteEvidence(environ)}". To allow it, list the origin in FrameworkApp({ crossSite: [origin] }), or set static crossSite = { action: 'allow' } in the controller.`,
    )
  }

  #answerException(error: unknown, environ: Environ, start_response: StartResponse): Body {
    if (!isInstance(error, HTTPException)) throw error
    // A plain application may have begun another response, which only an error takes back (PEP 3333).
    const restart: StartResponse = (status, headers) => start_response(status, headers, error)
    return this.#application.exceptionResponse(error, environ).send(environ, restart)
  }

  #noController({ match, route }: MatchResolution): Error {
    const { debug } = this.#application
    return debug
      ? new ControllerNotFound(match.controller, route.label, this.#controllers.names)
      : new HTTPNotFound()
  }
}

function contextOf(environ: Environ) {
  return {
    host: environ.HTTP_HOST,
    query: environ.QUERY_STRING,
    scriptName: environ.SCRIPT_NAME,
    environ,
  }
}

/** The answer to OPTIONS (RFC 9110 §9.3.7). */
function tellMethods(allow: readonly string[], environ: Environ, start_response: StartResponse): Body {
  return new Response(null, { status: 204, headers: { Allow: allow.join(', ') } }).send(
    environ,
    start_response,
  )
}

function methodNotAllowed(allow: readonly string[]): HTTPException {
  return new HTTPMethodNotAllowed(undefined, { Allow: allow.join(', ') })
}

/** The action of a match; undefined without one, and if its class or its parameters cannot be read. */
function actionOf(
  controllerClass: ControllerConstructor | undefined,
  name: unknown,
): MethodBinding | undefined {
  if (controllerClass === undefined || typeof name !== 'string') return undefined
  try {
    return metadataOf(controllerClass).action(name)
  } catch {
    // That error is the one whose page is being made.
    return undefined
  }
}
