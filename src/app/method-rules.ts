/** The methods that routes without a condition on the method run an action for. */

import { isRead, METHODS, UNSAFE_METHODS } from '../base/methods.ts'
import type { Application } from '../controllers/application.ts'
import { describeController } from '../controllers/describe.ts'
import type { MethodBinding } from '../controllers/method-binding.ts'
import { ANSWERS_OPTIONS, DEFAULT_ALLOW } from '../controllers/statics.ts'
import { type HTTPException, HTTPMethodNotAllowed } from '../http/exceptions.ts'
import type { MatchResolution } from '../routing/resolver.ts'
import type { Environ } from '../wsgi/types.ts'
import type { ControllerConstructor } from './loaded-controller.ts'

/** Methods of a route and a controller that restrict none. */
export const ANY_METHOD: readonly string[] = METHODS.toSorted()

/** Methods of an action that takes the body of the request. */
const BODY_METHODS: readonly string[] = UNSAFE_METHODS.toSorted()

/**
 * Rules for a route without a condition on the method, such as the default route: it runs an action for unsafe
 * methods only if other routes do, it serves no path of a resource with other methods, and OPTIONS is answered for it.
 */
export class MethodRules {
  readonly #application: Application

  constructor(application: Application) {
    this.#application = application
  }

  /**
   * Applies the rules to a request.
   *
   * @param own - the methods that the controller declares.
   * @returns the methods for the answer to OPTIONS; undefined if the action answers the request.
   * @throws HTTPMethodNotAllowed - the route does not run the action for the method.
   */
  apply(
    controllerClass: ControllerConstructor,
    resolution: MatchResolution,
    own: readonly string[] | undefined,
    environ: Environ,
  ): readonly string[] | undefined {
    const { REQUEST_METHOD: method } = environ
    const unsafe = this.#unsafeMethods(controllerClass, resolution)
    const isShared = resolution.allow.length > 0
    const allowed = () => own ?? (isShared ? resolution.allow : unsafe === undefined ? ANY_METHOD : withOptions(unsafe))
    // An action would answer with a page where TRACE returns the request (RFC 9110 §9.3.8).
    if (method === 'TRACE') throw methodNotAllowed(allowed())
    if (method === 'OPTIONS' && (isShared || !answersOptions(controllerClass, resolution.match.action))) {
      return allowed()
    }
    const showsErrors = () => this.#application.showsErrors(environ)
    if (unsafe !== undefined && !unsafe.includes(method)) {
      throw methodNotAllowed(withOptions(unsafe), showsErrors() ? unsafeRule(resolution, unsafe) : undefined)
    }
    const allow = this.#resourceMethods(controllerClass, resolution, method)
    if (allow === undefined) return undefined
    throw methodNotAllowed(allow, showsErrors() ? resourceRule(resolution, method) : undefined)
  }

  /** Returns false if the class lacks the action of a match, or if the rules refuse its method. */
  takes(controllerClass: ControllerConstructor, resolution: MatchResolution, method: string): boolean {
    const { match, route } = resolution
    if (lacksAction(controllerClass, match.action ?? 'index')) return false
    if (route.methods !== null || method === 'OPTIONS' || method === 'TRACE') return true
    const unsafe = this.#unsafeMethods(controllerClass, resolution)
    if (unsafe !== undefined && !unsafe.includes(method)) return false
    return this.#resourceMethods(controllerClass, resolution, method) === undefined
  }

  /**
   * Returns the methods of an action that other routes give to methods only that change something, or that takes the
   * body of the request. A route that accepts all methods, such as the default route, runs it for those only.
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
   * Prevents a route that accepts all methods, such as the default route, from serving a path of a resource with
   * other methods.
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
    return describeController(controllerClass).action(action) === undefined ? allow : undefined
  }
}

/** Returns the exception for a method that a path does not have. */
export function methodNotAllowed(allow: readonly string[], detail?: string): HTTPException {
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
  const { action, defaultMethodArguments } = describeController(controllerClass)
  return defaultMethodArguments !== undefined && typeof name === 'string' && action(name) === undefined
}

/** Returns the action of a match, or undefined if it has none or the parameters of its class cannot be parsed. */
export function actionOf(controllerClass: ControllerConstructor | undefined, name: unknown): MethodBinding | undefined {
  if (controllerClass === undefined || typeof name !== 'string') return undefined
  try {
    return describeController(controllerClass).action(name)
  } catch {
    // The page being created shows this error.
    return undefined
  }
}
