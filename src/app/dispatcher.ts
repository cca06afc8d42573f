import { isRead, METHODS } from '../base/methods.ts'
import { APPLICATION_KEY, type Application } from '../controllers/application.ts'
import { metadataOf } from '../controllers/metadata.ts'
import type { MethodBinding } from '../controllers/method-binding.ts'
import { ANSWERS_OPTIONS, DEFAULT_ALLOW } from '../controllers/statics.ts'
import { TRACE_KEY, type TraceContext, traceOf, traceStage } from '../controllers/tracing/channels.ts'
import { type CrossSiteRule, crossSiteCheck, crossSiteEvidence } from '../http/cross-site.ts'
import {
  HTTPBadRequest,
  type HTTPException,
  HTTPForbidden,
  HTTPMethodNotAllowed,
  HTTPNotFound,
} from '../http/exceptions.ts'
import { FORMATS_KEY } from '../http/formats.ts'
import { ORIGINAL_METHOD_KEY } from '../http/request.ts'
import { Response } from '../http/response.ts'
import type { MatchResolution, Resolution } from '../routing/resolver.ts'
import type { RouteContext } from '../routing/route.ts'
import { MALFORMED_KEY } from '../wsgi/malformed.ts'
import { rawPathInfo } from '../wsgi/request-url.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import { UNROUTED_KEY } from '../wsgi/unrouted.ts'
import { allowsCrossSite } from './cross-site.ts'
import type { RoutedRequest } from './error-pages/debug-error.ts'
import { RouteNotFound, routeLabel } from './error-pages/route-miss.ts'
import { type SendException, sendThrown } from './http-exceptions.ts'
import type { ControllerConstructor, LoadedController } from './loaded-controller.ts'
import { ControllerNotFound } from './loading-errors.ts'
import { isForm, needsOverride, overrideMethod } from './method-override.ts'
import type { PublicFiles } from './public-files.ts'
import type { ControllerRegistry } from './registry.ts'

type Sent = Body | Promise<Body>

/** Methods of a route and a controller that restrict none. */
const ANY_METHOD: readonly string[] = METHODS.toSorted()

/** Methods of an action that takes the body of the request. */
const BODY_METHODS: readonly string[] = ['DELETE', 'PATCH', 'POST', 'PUT']

/** The parts of an application that its dispatcher uses. */
export interface DispatcherOptions {
  readonly crossSite: CrossSiteRule
  readonly publicFiles: PublicFiles | undefined
  readonly fallback: WSGIApplication | undefined
  readonly sendException: SendException
}

/** Routes the requests of an application and calls its controllers. */
export class Dispatcher {
  readonly #application: Application
  readonly #controllers: ControllerRegistry
  /** Served if no route matches. */
  readonly #publicFiles: PublicFiles | undefined
  /** Serves the requests that no route takes. */
  readonly fallback: WSGIApplication | undefined
  /** Mount points and paths of requests that a route with `path_info` has changed. */
  readonly #mounts = new WeakMap<Environ, Pick<Environ, 'SCRIPT_NAME' | 'PATH_INFO'>>()
  /** Returns true if a request is unsafe and was sent by a page of another site. */
  readonly #isCrossSite: (environ: Environ) => boolean
  /** In debug mode, the match of each request and the class of its controller. */
  readonly #routed = new WeakMap<
    Environ,
    { readonly resolution: MatchResolution; readonly controllerClass: ControllerConstructor | undefined }
  >()
  readonly #keepsSessions: boolean
  readonly #sendException: SendException

  constructor(application: Application, controllers: ControllerRegistry, options: DispatcherOptions) {
    this.#application = application
    this.#controllers = controllers
    this.#publicFiles = options.publicFiles
    this.fallback = options.fallback
    this.#isCrossSite = crossSiteCheck(options.crossSite)
    this.#keepsSessions = application.keepsSessions
    this.#sendException = options.sendException
  }

  /** Serves a request. HTTP exceptions become responses; all other errors are thrown. */
  readonly dispatch: WSGIApplication = (environ, start_response) => {
    let sent: Sent
    try {
      sent = this.#overrideAndRoute(environ, start_response)
    } catch (error) {
      return this.#sendThrown(error, environ, start_response)
    }
    if (!(sent instanceof Promise)) return sent
    return sent.catch((error: unknown) => this.#sendThrown(error, environ, start_response))
  }

  #sendThrown(error: unknown, environ: Environ, start_response: StartResponse): Sent {
    return sendThrown(error, environ, start_response, this.#sendException)
  }

  #overrideAndRoute(environ: Environ, start_response: StartResponse): Sent {
    const { [MALFORMED_KEY]: malformed } = environ
    if (malformed !== undefined) throw new HTTPBadRequest(malformed)
    const path = rawPathInfo(environ)
    const { mapper } = this.#application
    const context = new RequestContext(environ)
    // A form is read here only if a route accepts one of the methods that it may contain. A form of another site is
    // refused unless its action allows it, which is checked before the form is read, so it cannot override the method.
    if (environ.REQUEST_METHOD !== 'POST' || !this.#isOwnForm(environ)) {
      const resolution =
        environ[TRACE_KEY] === undefined
          ? mapper.resolve(environ.REQUEST_METHOD, path, context)
          : traceRoute(environ, () => mapper.resolve(environ.REQUEST_METHOD, path, context))
      return this.#route(resolution, path, environ, start_response)
    }
    const lookup = mapper.lookup(path, context)
    const resolve = () => lookup.resolve(environ.REQUEST_METHOD)
    const route = () => this.#route(traceRoute(environ, resolve), path, environ, start_response)
    return needsOverride(lookup.methods) ? overrideMethod(environ).then(route) : route()
  }

  /** Returns true for a form that was not sent by a page of another site. */
  #isOwnForm(environ: Environ): boolean {
    return isForm(environ) && !this.#isCrossSite(environ)
  }

  #route(resolution: Resolution, path: string, environ: Environ, start_response: StartResponse): Sent {
    if (resolution.kind === 'match') return this.#serve(resolution, environ, start_response)
    const method = environ.REQUEST_METHOD
    switch (resolution.kind) {
      case 'method':
        if (this.fallback !== undefined) return this.#fallBack(this.fallback, environ, start_response)
        if (method === 'OPTIONS') return respondToOptions(resolution.allow, environ, start_response)
        if (this.#isCrossSite(environ)) throw this.#crossSiteRefusal(environ)
        throw methodNotAllowed(resolution.allow)
      case 'redirect': {
        const headers = { Location: resolution.location }
        return new Response(null, { status: resolution.status, headers }).send(environ, start_response)
      }
      default:
        // OPTIONS * applies to the server as a whole (RFC 9110 §9.3.7).
        if (path === '*' && method === 'OPTIONS') return respondToOptions(ANY_METHOD, environ, start_response)
        return this.#servePublic(path, environ, start_response)
    }
  }

  #servePublic(path: string, environ: Environ, start_response: StartResponse): Sent {
    const { fallback } = this
    const miss = (): Sent => {
      if (fallback !== undefined) return this.#fallBack(fallback, environ, start_response)
      throw this.#noRoute(environ.REQUEST_METHOD, path, environ)
    }
    const file = this.#publicFiles?.atRoot(environ, path)
    if (file === undefined) return miss()
    return file.then((response) => (response === undefined ? miss() : response.send(environ, start_response)))
  }

  /** Returns the mount point of the application for a request that it has received. */
  scriptName(environ: Environ): string {
    return this.#mounts.get(environ)?.SCRIPT_NAME ?? environ.SCRIPT_NAME
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

  #noRoute(method: string, path: string, environ: Environ): HTTPException {
    // An application within a route of another one has been routed.
    if (environ['propylon.route'] === undefined) environ[UNROUTED_KEY] = true
    const { mapper } = this.#application
    if (!this.#application.showsErrors(environ)) return new HTTPNotFound()
    const near = mapper.explain(method, path, new RequestContext(environ))
    return new RouteNotFound({ method, path, near, routes: mapper.routes })
  }

  #serve(resolution: MatchResolution, environ: Environ, start_response: StartResponse): Sent {
    environ[APPLICATION_KEY] = this.#application
    environ['wsgiorg.routing_args'] = [[], resolution.match]
    environ['propylon.route'] = resolution.route.path
    if (environ[TRACE_KEY] !== undefined) nameTrace(environ, { 'http.route': resolution.route.path })
    if (resolution.pathInfo !== undefined) {
      this.#mounts.set(environ, { SCRIPT_NAME: environ.SCRIPT_NAME, PATH_INFO: environ.PATH_INFO })
      environ.SCRIPT_NAME += resolution.scriptName ?? ''
      environ.PATH_INFO = resolution.pathInfo
    }
    if (this.#application.debug) this.#routed.set(environ, { resolution, controllerClass: undefined })
    const { route, match } = resolution
    if (route.formats !== null && hasOpenFormat(resolution)) environ[FORMATS_KEY] = route.formats
    const name = match.controller
    const found = typeof name === 'string' ? this.#controllers.find(name) : undefined
    if (found === undefined) {
      if (this.fallback !== undefined) return this.#fallBack(this.fallback, environ, start_response)
      throw this.#noController(resolution)
    }
    if (environ[TRACE_KEY] !== undefined) nameTrace(environ, { controller: name ?? '' })
    if (!(found instanceof Promise)) return this.#call(found, resolution, environ, start_response)
    return found.then((controller) => this.#call(controller, resolution, environ, start_response))
  }

  /** Passes a request to the fallback as the server has received it. */
  #fallBack(fallback: WSGIApplication, environ: Environ, start_response: StartResponse): Sent {
    Object.assign(environ, this.#mounts.get(environ))
    this.#mounts.delete(environ)
    const { [ORIGINAL_METHOD_KEY]: method } = environ
    if (typeof method === 'string') environ.REQUEST_METHOD = method
    for (const key of [ORIGINAL_METHOD_KEY, FORMATS_KEY, 'wsgiorg.routing_args', 'propylon.route'])
      delete environ[key]
    return fallback(environ, start_response)
  }

  /** Returns true if the class lacks the action of a match, or if the rules of routes without methods refuse its method. */
  #isUntaken(controllerClass: ControllerConstructor, resolution: MatchResolution, method: string): boolean {
    const { match, route } = resolution
    if (lacksAction(controllerClass, match.action ?? 'index')) return true
    if (route.methods !== null || method === 'OPTIONS' || method === 'TRACE') return false
    const unsafe = this.#unsafeMethods(controllerClass, resolution)
    if (unsafe !== undefined && !unsafe.includes(method)) return true
    return this.#resourceMethods(controllerClass, resolution, method) !== undefined
  }

  #call(
    controller: LoadedController,
    resolution: MatchResolution,
    environ: Environ,
    start: StartResponse,
  ): Sent {
    if (this.fallback !== undefined && controller.kind === 'class') {
      const isUntaken = this.#isUntaken(controller.controllerClass, resolution, environ.REQUEST_METHOD)
      if (isUntaken) return this.#fallBack(this.fallback, environ, start)
    }
    if (environ.REQUEST_METHOD !== 'GET' && environ.REQUEST_METHOD !== 'HEAD') {
      this.#checkCrossSite(controller, resolution.match.action, environ)
    }
    if (controller.kind === 'application') return controller.application(environ, start)
    const { controllerClass } = controller
    if (this.#application.debug) this.#routed.set(environ, { resolution, controllerClass })
    const method = environ.REQUEST_METHOD
    const own = controllerClass.allow ?? controllerClass[DEFAULT_ALLOW]
    if (own !== undefined && !own.includes(method)) throw methodNotAllowed(own)
    if (resolution.route.methods === null) {
      // An action would answer with a page where TRACE returns the request (RFC 9110 §9.3.8).
      if (method === 'TRACE') throw methodNotAllowed(own ?? ANY_METHOD)
      const isShared = resolution.allow.length > 0
      if (method === 'OPTIONS' && (isShared || !answersOptions(controllerClass, resolution.match.action))) {
        const unsafe = this.#unsafeMethods(controllerClass, resolution)
        const allow =
          own ?? (isShared ? resolution.allow : unsafe === undefined ? ANY_METHOD : withOptions(unsafe))
        return respondToOptions(allow, environ, start)
      }
      const unsafe = this.#unsafeMethods(controllerClass, resolution)
      if (unsafe !== undefined && !unsafe.includes(method)) {
        throw methodNotAllowed(
          withOptions(unsafe),
          this.#application.showsErrors(environ) ? unsafeRule(resolution, unsafe) : undefined,
        )
      }
      const allow = this.#resourceMethods(controllerClass, resolution, method)
      if (allow !== undefined) {
        const detail = this.#application.showsErrors(environ) ? resourceRule(resolution, method) : undefined
        throw methodNotAllowed(allow, detail)
      }
    }
    const loading = this.#keepsSessions ? this.#loadSession(environ) : undefined
    if (loading !== undefined) return loading.then(() => new controllerClass().__call__(environ, start))
    return new controllerClass().__call__(environ, start)
  }

  /**
   * Returns the methods of an action that other routes give to methods only that change something, or that takes the body of
   * the request. A route that accepts all methods, such as the default route, runs it for those only.
   */
  #unsafeMethods(
    controllerClass: ControllerConstructor,
    { match: { controller, action } }: MatchResolution,
  ): readonly string[] | undefined {
    if (typeof controller !== 'string') return undefined
    const name = typeof action === 'string' ? action.replaceAll('-', '_') : 'index'
    const named = this.#application.mapper.unsafeActions(controller)?.get(name)
    if (named !== undefined || controllerClass.args === undefined) return named
    return actionOf(controllerClass, name)?.body === undefined ? undefined : BODY_METHODS
  }

  /**
   * Prevents a route that accepts all methods, such as the default route, from serving a path of a resource with other methods.
   *
   * @returns the methods to allow instead, or undefined if the request may be served.
   */
  #resourceMethods(
    controllerClass: ControllerConstructor,
    { match, allow }: MatchResolution,
    method: string,
  ): readonly string[] | undefined {
    const { controller, action } = match
    if (typeof controller !== 'string' || typeof action !== 'string') return undefined
    if (allow.length === 0) return undefined
    const own = this.#application.mapper.resourceActions(controller)?.get(action.replaceAll('-', '_'))
    const hasRead = own?.some(isRead) === true
    if (hasRead && !isRead(method)) return allow
    return metadataOf(controllerClass).action(action) === undefined ? allow : undefined
  }

  #loadSession(environ: Environ): Promise<void> | undefined {
    return environ.HTTP_COOKIE === undefined ? undefined : this.#application.loadSession(environ)
  }

  /** @throws HTTPForbidden - the request is unsafe and cross-site, and the controller does not allow it for the action. */
  #checkCrossSite(controller: LoadedController, action: unknown, environ: Environ): void {
    if (!this.#isCrossSite(environ)) return
    if (controller.kind === 'class' && allowsCrossSite(controller.controllerClass, action)) return
    throw this.#crossSiteRefusal(environ)
  }

  #crossSiteRefusal(environ: Environ): HTTPForbidden {
    const detail = `Pages of other sites may not send ${environ.REQUEST_METHOD} requests to this one.`
    if (!this.#application.showsErrors(environ)) return new HTTPForbidden(detail)
    return new HTTPForbidden(
      `${detail} The request has the header "${crossSiteEvidence(environ)}". To allow it, list the origin in FrameworkApp({ crossSite: [origin] }), or set static crossSite = { action: 'allow' } in the controller.`,
    )
  }

  #noController({ match, route }: MatchResolution): Error {
    const { debug } = this.#application
    return debug
      ? new ControllerNotFound(match.controller, route.label, this.#controllers.names)
      : new HTTPNotFound()
  }
}

/** Returns true if the path could have had a suffix for the format, and has none. */
function hasOpenFormat({ route, match }: MatchResolution): boolean {
  // `{.format}` without a suffix is null. A resource has a route of its own for the paths with a suffix.
  return match.format === null || (match.format === undefined && route.resource !== undefined)
}

/** Finds the route of a request, in a stage of the trace if the request is traced. */
function traceRoute(environ: Environ, resolve: () => Resolution): Resolution {
  const trace = traceOf(environ)
  if (trace === undefined) return resolve()
  return traceStage('route', trace, {}, (context) => {
    const resolution = resolve()
    if (resolution.kind === 'match') context['http.route'] = resolution.route.path
    return resolution
  })
}

/** Sets names of the application that a trace may have as labels. */
function nameTrace(environ: Environ, names: Partial<TraceContext>): void {
  const trace = traceOf(environ)
  if (trace !== undefined) Object.assign(trace, names)
}

/** A request as routes see it. */
class RequestContext implements RouteContext {
  readonly host: string | undefined
  readonly query: string
  readonly scriptName: string
  /** The environ, for condition functions. */
  readonly environ: Environ

  constructor(environ: Environ) {
    this.host = environ.HTTP_HOST
    this.query = environ.QUERY_STRING
    this.scriptName = environ.SCRIPT_NAME
    this.environ = environ
  }
}

/** Responds to OPTIONS (RFC 9110 §9.3.7). */
function respondToOptions(allow: readonly string[], environ: Environ, start_response: StartResponse): Body {
  return new Response(null, { status: 204, headers: { Allow: allow.join(', ') } }).send(
    environ,
    start_response,
  )
}

function methodNotAllowed(allow: readonly string[], detail?: string): HTTPException {
  return new HTTPMethodNotAllowed(detail, { Allow: allow.join(', ') })
}

/** Adds OPTIONS, which every path answers. */
function withOptions(methods: readonly string[]): readonly string[] {
  return [...methods, 'OPTIONS'].sort()
}

/** Explains in debug mode why a route without a condition on the method does not run an action. */
function unsafeRule({ match, route }: MatchResolution, unsafe: readonly string[]): string {
  const action = `${match.controller}.${match.action ?? 'index'}`
  if (unsafe === BODY_METHODS) {
    return `${action} takes the body of the request, so the route ${route.label}, which has no condition on the method, runs it for ${unsafe.join(', ')} only. To run it for others, give the route the methods: conditions: { method: ['GET', …] }.`
  }
  return `The routes that name ${action} give it ${unsafe.join(', ')} only, so the route ${route.label}, which has no condition on the method, runs it for no other method. To run it for others, add a route that names it and them: conditions: { method: ['GET', …] }.`
}

/** Returns the reason why a route does not serve a method of a resource's path, for debug mode. */
function resourceRule({ match, route }: MatchResolution, method: string): string {
  const action = `${match.controller}.${match.action ?? 'index'}`
  return `This is the path of a resource, which has no route for ${method}. The route ${route.label} would run ${action}, but a route without a condition on the method does not run reading actions of a resource for methods that change something. To run it, add a route that names it: conditions: { method: '${method}' }.`
}

/** Returns true if an action answers OPTIONS itself. */
function answersOptions(controllerClass: ControllerConstructor, action: unknown): boolean {
  const method = actionOf(controllerClass, action)?.method
  return method !== undefined && ANSWERS_OPTIONS in method
}

/** Returns true if a class whose actions are its methods lacks one. Services choose their methods themselves. */
function lacksAction(controllerClass: ControllerConstructor, name: unknown): boolean {
  if (controllerClass[DEFAULT_ALLOW] !== undefined) return false
  const { action, defaultMethodArguments } = metadataOf(controllerClass)
  return defaultMethodArguments !== undefined && typeof name === 'string' && action(name) === undefined
}

/** Returns the action of a match, or undefined if it has none or the parameters of its class cannot be parsed. */
function actionOf(
  controllerClass: ControllerConstructor | undefined,
  name: unknown,
): MethodBinding | undefined {
  if (controllerClass === undefined || typeof name !== 'string') return undefined
  try {
    return metadataOf(controllerClass).action(name)
  } catch {
    // The page being created shows this error.
    return undefined
  }
}
