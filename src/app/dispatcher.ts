import { APPLICATION_KEY, type Application } from '../controllers/application.ts'
import { MARKED_KEY } from '../controllers/arguments.ts'
import { DEFAULT_ALLOW } from '../controllers/statics.ts'
import { inStage, TRACE_KEY, type TraceContext, traceOf } from '../controllers/tracing/channels.ts'
import { isForm } from '../http/body/form.ts'
import { type CrossSiteRule, crossSiteCheck } from '../http/cross-site.ts'
import { HTTPBadRequest, type HTTPException, HTTPNotFound } from '../http/exceptions.ts'
import { FORMATS_KEY, PLAIN_FORMAT_KEY } from '../http/formats.ts'
import { parseMediaType } from '../http/media-type.ts'
import { ORIGINAL_METHOD_KEY } from '../http/request-head.ts'
import { Response } from '../http/response.ts'
import type { MatchResolution, Resolution } from '../routing/resolver.ts'
import type { RouteContext } from '../routing/route.ts'
import { UNROUTED_KEY } from '../wsgi/application.ts'
import { MALFORMED_KEY } from '../wsgi/refusal.ts'
import { rawPathInfo, rawScriptName } from '../wsgi/request-url.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import { refuseCrossSite } from './cross-site.ts'
import type { RoutedRequest } from './error-pages/debug-error.ts'
import { type SendException, sendThrown } from './error-pages/inside-middleware.ts'
import { RouteNotFound, routeLabel } from './error-pages/route-miss.ts'
import type { ControllerConstructor, LoadedController } from './loaded-controller.ts'
import { ControllerNotFound } from './loading-errors.ts'
import { needsOverride, overrideMethod } from './method-override.ts'
import { ANY_METHOD, actionOf, methodNotAllowed, optionsOrRefusal, takes } from './method-rules.ts'
import type { PublicFiles } from './public-files.ts'
import type { ControllerRegistry } from './registry.ts'

type Sent = Body | Promise<Body>

/**
 * Maximum number of bytes of a form that is read whole to find `_method`, if a fallback may take larger ones as
 * streams.
 */
const MAX_READ = 65_536

/** The parts of an application that its dispatcher uses. */
export interface DispatcherOptions {
  readonly crossSite: CrossSiteRule
  /** Served if no route matches. */
  readonly publicFiles: PublicFiles | undefined
  /** Serves the requests that no route takes. */
  readonly fallback: WSGIApplication | undefined
  readonly sendException: SendException
}

interface Routed {
  readonly resolution: MatchResolution
  readonly controllerClass: ControllerConstructor | undefined
}

/** Routes the requests of an application and calls its controllers. */
export class Dispatcher {
  readonly #application: Application
  readonly #controllers: ControllerRegistry
  readonly #options: DispatcherOptions
  readonly #fallback: WSGIApplication | undefined
  /** Returns true if a request is unsafe and was sent by a page of another site. */
  readonly #isCrossSite: (environ: Environ) => boolean
  /** Mount points and paths of requests that a route with `path_info` has changed. */
  readonly #mounts = new WeakMap<Environ, Pick<Environ, 'SCRIPT_NAME' | 'PATH_INFO'>>()
  /** Routes and controllers of requests, in debug mode only. */
  readonly #routed = new WeakMap<Environ, Routed>()

  constructor(application: Application, controllers: ControllerRegistry, options: DispatcherOptions) {
    this.#application = application
    this.#controllers = controllers
    this.#options = options
    this.#fallback = options.fallback
    this.#isCrossSite = crossSiteCheck(options.crossSite)
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
    return sendThrown(error, environ, start_response, this.#options.sendException)
  }

  #overrideAndRoute(environ: Environ, start_response: StartResponse): Sent {
    const { [MALFORMED_KEY]: malformed } = environ
    if (malformed !== undefined) throw new HTTPBadRequest(malformed)
    const path = rawPathInfo(environ)
    const { mapper } = this.#application
    const { HTTP_HOST: host, QUERY_STRING: query, REQUEST_METHOD: method } = environ
    const mountPoint = environ.SCRIPT_NAME === '' ? '' : rawScriptName(environ)
    const context = { host, query, rawScriptName: mountPoint, environ }
    // A form is read here only if a route accepts one of the methods that it may contain. A form of another site is
    // refused unless its action allows it, which is checked before the form is read, so it cannot override the method.
    if (method !== 'POST' || !isForm(parseMediaType(environ.CONTENT_TYPE ?? '')) || this.#isCrossSite(environ)) {
      return this.#route(path, context, start_response)
    }
    if (!needsOverride(mapper.methodsAt(path, context))) return this.#route(path, context, start_response)
    const overriding = overrideMethod(environ, this.#fallback === undefined ? undefined : MAX_READ)
    return overriding.then(() => this.#route(path, context, start_response))
  }

  #route(path: string, context: RequestContext, start_response: StartResponse): Sent {
    const { environ } = context
    const { REQUEST_METHOD: method } = environ
    const resolve = () => this.#application.mapper.resolve(method, path, context)
    const isTraced = environ[TRACE_KEY] !== undefined
    const resolution = isTraced ? inStage('route', environ, resolve, undefined, nameRoute) : resolve()
    if (resolution.kind === 'match') return this.#serve(resolution, environ, start_response)
    switch (resolution.kind) {
      case 'method':
        if (this.#fallback !== undefined) return this.#fallBack(this.#fallback, environ, start_response)
        if (method === 'OPTIONS') return respondToOptions(resolution.allow, environ, start_response)
        if (this.#isCrossSite(environ)) refuseCrossSite(this.#application, environ)
        throw methodNotAllowed(resolution.allow)
      case 'redirect': {
        const headers = { Location: resolution.location }
        return new Response(null, { status: resolution.status, headers }).send(environ, start_response)
      }
      default:
        // OPTIONS * applies to the server as a whole (RFC 9110 §9.3.7).
        if (path === '*' && method === 'OPTIONS') return respondToOptions(ANY_METHOD, environ, start_response)
        return this.#servePublic(path, context, start_response)
    }
  }

  #servePublic(path: string, context: RequestContext, start_response: StartResponse): Sent {
    const { environ } = context
    const { fallback, publicFiles } = this.#options
    const miss = (): Sent => {
      if (fallback !== undefined) return this.#fallBack(fallback, environ, start_response)
      return this.#options.sendException(this.#noRoute(path, context), environ, start_response)
    }
    const file = publicFiles?.atRoot(environ, path)
    if (file === undefined) return miss()
    return file.then((response) => (response === undefined ? miss() : response.send(environ, start_response)))
  }

  /** Returns the mount point of the application for a request that it has received, percent-encoded. */
  rawScriptName(environ: Environ): string {
    return rawScriptName(environ, this.#mounts.get(environ)?.SCRIPT_NAME)
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

  /** Records the route and the controller of a request, for traces and the pages of debug mode. */
  #record(environ: Environ, resolution: MatchResolution, controller?: LoadedController): void {
    const trace = traceOf(environ)
    if (trace !== undefined) {
      trace['http.route'] = resolution.route.path
      if (controller !== undefined) trace.controller = resolution.match.controller ?? ''
    }
    if (!this.#application.debug) return
    const controllerClass = controller?.kind === 'class' ? controller.controllerClass : undefined
    this.#routed.set(environ, { resolution, controllerClass })
  }

  #noRoute(path: string, context: RequestContext): HTTPException {
    const { environ } = context
    // An application within a route of another one has been routed.
    if (environ['propylon.route'] === undefined) environ[UNROUTED_KEY] = true
    const { mapper } = this.#application
    if (!this.#application.showsErrors(environ)) return NOT_FOUND
    const { REQUEST_METHOD: method } = environ
    const near = mapper.explain(method, path, context)
    return new RouteNotFound({ method, path, near, routes: mapper.routes })
  }

  #serve(resolution: MatchResolution, environ: Environ, start_response: StartResponse): Sent {
    environ[APPLICATION_KEY] = this.#application
    environ['wsgiorg.routing_args'] = [[], resolution.match]
    environ['propylon.route'] = resolution.route.path
    // Also of an application that dispatched the request before.
    if (environ[MARKED_KEY] !== resolution.marked) environ[MARKED_KEY] = resolution.marked
    if (this.#application.debug || environ[TRACE_KEY] !== undefined) this.#record(environ, resolution)
    if (resolution.pathInfo !== undefined) {
      this.#mounts.set(environ, { SCRIPT_NAME: environ.SCRIPT_NAME, PATH_INFO: environ.PATH_INFO })
      environ.SCRIPT_NAME += resolution.scriptName ?? ''
      environ.PATH_INFO = resolution.pathInfo
    }
    const { route, match } = resolution
    if (route.formats !== null && hasOpenFormat(resolution)) environ[FORMATS_KEY] = route.formats
    if (typeof match.format === 'string' && route.parameter('format')?.choosesFormat === false)
      environ[PLAIN_FORMAT_KEY] = true
    const name = match.controller
    const { loaded } = this.#controllers
    const found = typeof name === 'string' ? (loaded.get(name) ?? this.#controllers.find(name)) : undefined
    if (found === undefined) {
      if (this.#fallback !== undefined) return this.#fallBack(this.#fallback, environ, start_response)
      if (!this.#application.debug) throw new HTTPNotFound()
      throw new ControllerNotFound(name, route.label, this.#controllers.names)
    }
    if (!(found instanceof Promise)) return this.#call(found, resolution, environ, start_response)
    return found.then((controller) => this.#call(controller, resolution, environ, start_response))
  }

  /** Passes a request to the fallback as the server has received it. */
  #fallBack(fallback: WSGIApplication, environ: Environ, start_response: StartResponse): Sent {
    Object.assign(environ, this.#mounts.get(environ))
    this.#mounts.delete(environ)
    const { [ORIGINAL_METHOD_KEY]: method } = environ
    if (typeof method === 'string') environ.REQUEST_METHOD = method
    for (const key of [
      ORIGINAL_METHOD_KEY,
      FORMATS_KEY,
      MARKED_KEY,
      PLAIN_FORMAT_KEY,
      'wsgiorg.routing_args',
      'propylon.route',
    ])
      delete environ[key]
    return fallback(environ, start_response)
  }

  #call(controller: LoadedController, resolution: MatchResolution, environ: Environ, start: StartResponse): Sent {
    if (this.#application.debug || environ[TRACE_KEY] !== undefined) this.#record(environ, resolution, controller)
    const { REQUEST_METHOD: method } = environ
    if (this.#fallback !== undefined && controller.kind === 'class') {
      const isTaken = takes(this.#application.mapper, controller.controllerClass, resolution, method)
      if (!isTaken) return this.#fallBack(this.#fallback, environ, start)
    }
    if (method !== 'GET' && method !== 'HEAD' && this.#isCrossSite(environ)) {
      refuseCrossSite(this.#application, environ, controller, resolution.match.action)
    }
    if (controller.kind === 'application') return controller.application(environ, start)
    const { controllerClass } = controller
    const own = controllerClass.allow ?? controllerClass[DEFAULT_ALLOW]
    if (own !== undefined && !own.includes(method)) throw methodNotAllowed(own)
    if (resolution.route.methods === null && this.#isRuled(controller.takesBodies, resolution, method)) {
      const allow = optionsOrRefusal(this.#application, controllerClass, resolution, own, environ)
      if (allow !== undefined) return respondToOptions(allow, environ, start)
    }
    const { keepsSessions } = this.#application
    const loading =
      keepsSessions && environ.HTTP_COOKIE !== undefined ? this.#application.loadSession(environ) : undefined
    if (loading !== undefined) return loading.then(() => new controllerClass().__call__(environ, start))
    return new controllerClass().__call__(environ, start)
  }

  /** Returns false if none of the method rules concerns a request. */
  #isRuled(takesBodies: boolean, { match, allow }: MatchResolution, method: string): boolean {
    if (takesBodies || allow.length > 0 || method === 'OPTIONS' || method === 'TRACE') return true
    return this.#application.mapper.unsafeActions(match.controller ?? '').size > 0
  }
}

/** Of all requests without a route: it takes as long to make as its response. No application receives it. */
const NOT_FOUND = new HTTPNotFound()

/** A request as routes see it. */
type RequestContext = RouteContext & { readonly environ: Environ }

/** Adds the route to the message of a stage that has found it. */
function nameRoute(context: TraceContext, resolution: Resolution): void {
  if (resolution.kind === 'match') context['http.route'] = resolution.route.path
}

/** Returns true if the path could have had a suffix for the format, and has none. */
function hasOpenFormat({ route, match }: MatchResolution): boolean {
  // `{.format}` without a suffix is null. A resource has a route of its own for the paths with a suffix.
  return match.format === null || (match.format === undefined && route.resource !== undefined)
}

/** Responds to OPTIONS (RFC 9110 §9.3.7). */
function respondToOptions(allow: readonly string[], environ: Environ, start_response: StartResponse): Body {
  return new Response(null, { status: 204, headers: { Allow: allow.join(', ') } }).send(environ, start_response)
}
