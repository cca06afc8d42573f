/** Stores finished responses and sends them again. */

import { isRead } from '../../base/methods.ts'
import { oncePer } from '../../base/once-per.ts'
import { checkNames } from '../../base/suggest.ts'
import { errorText } from '../../base/thrown.ts'
import { HeaderList } from '../../http/headers.ts'
import { translationOf } from '../../http/languages/translation.ts'
import type { Request } from '../../http/request.ts'
import { COOKIES, READS } from '../../http/request-head.ts'
import { Response } from '../../http/response.ts'
import { rawScriptName } from '../../wsgi/request-url.ts'
import type { Application } from '../application.ts'
import { drive, type Steps, wait } from '../call.ts'
import { stateOf, whenFinished } from '../call-state.ts'
import { isShowing } from '../forms/show-form.ts'
import { isGenerator, represent, toResponder } from '../represent.ts'
import type { WSGIController } from '../wsgi-controller.ts'
import { type ActionDecorator, makeDecorator } from './action-decorator.ts'
import { type CachedResponse, type CacheStore, MemoryCache, replay, storedForm } from './cache-store.ts'

/** Options of {@link cached}. */
export interface CachedOptions {
  /** Lifetime of a stored response, in seconds. */
  readonly expires: number
  /** Store for the responses. Defaults to a {@link MemoryCache} for each application and class. */
  readonly store?: CacheStore
  /** Header fields to store in addition to those that describe the body and its caching. */
  readonly headers?: readonly string[]
  /** Returns a further part of the key, or undefined not to cache this request. */
  readonly key?: (controller: WSGIController) => string | undefined
  /** Query fields in the key. Default `true`: all. */
  readonly query?: readonly string[] | true
}

/**
 * Stores the response to a GET for a number of seconds and sends it again without running the action. Hooks run for
 * every request; what they set on `this.response` is added each time.
 *
 * The response is judged when it is finished, as it is sent: after `__after__`, with the headers of `this.response` and
 * the session's cookie. It is stored only if its status is 200 and its body is in memory (text, bytes, JSON), without
 * `Set-Cookie`, without `private`, `no-store` or `no-cache` in `Cache-Control`, and if the request neither used its
 * session nor has `Authorization`. The request headers that `Vary` names belong to the key; `Vary: *` is not stored.
 * If the action or a hook reads `request.cookies` or `request.remoteAddr`, or the action reads them from the environ,
 * the response is stored only if `Vary` names Cookie, or `key` reads the same. The cache cannot see which other
 * headers, values of `this.c` or members of the environ an action reads: set `Vary`, or return them from `key`. Nor
 * does it see the headers that middleware adds to the response.
 *
 * The key consists of class, action, scheme, host, match, arguments and query. If the action reads only some fields
 * of the query, name them in `query`: then other fields do not create further entries. A HEAD request is answered
 * from the response to GET. While an action runs, other requests with the same key wait for its response.
 *
 * Errors of the store are logged, and the action runs. In debug mode, the reason why a response is not cached is
 * logged, once for each action and reason.
 *
 * @see docs/guides/caching.md
 * @throws RangeError - `expires` is not a number above 0.
 * @throws TypeError - an argument of the action is an object and there is no `key`. Thrown when the action is called.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { cached, decorate } from 'propylon/decorators'
 *
 * export class ReportController extends WSGIController {
 *   async show(id: string) {
 *     return this.render('report', { id, page: this.request.query.get('page') ?? '1' })
 *   }
 *
 *   static {
 *     decorate(this, { show: [cached({ expires: 60, query: ['page'] })] })
 *   }
 * }
 * ```
 */
export function cached(options: CachedOptions): ActionDecorator {
  checkNames('cached()', options, 'expires store headers key query')
  const { expires } = options
  if (!(expires > 0 && Number.isFinite(expires))) {
    throw new RangeError(`cached({ expires: ${expires} }): give a number of seconds above 0.`)
  }
  return makeDecorator('cached', (action) => (controller, args, proceed) => {
    const run = () => proceed(controller, args)
    // A stored page has no errors of a form.
    if (!isRead(controller.request.method) || isShowing(controller)) return run()
    return drive(new CachedCall(controller, action, args, options).respond(run))
  })
}

/** The reason why a stream is not stored. */
const STREAMED = 'its body is a stream'

/** Ends the wait of other requests: with a response for them, or without. */
type End = (response?: CachedResponse) => void

/** A call of a cached action. */
class CachedCall {
  readonly #controller: WSGIController
  readonly #label: string
  readonly #options: CachedOptions
  readonly #store: CacheStore
  /** The parts of the key that do not depend on the response. Undefined if the option `key` returned undefined. */
  readonly #key: readonly unknown[] | undefined
  /** Reads of the request: until now, and before and after the key was made, which contains what it has read. */
  readonly #reads: VisitorReads
  readonly #before: VisitorReads
  readonly #after: VisitorReads
  /** Request headers that the response is known to vary by. */
  #fields: readonly string[] = []

  constructor(controller: WSGIController, action: string, args: readonly unknown[], options: CachedOptions) {
    this.#controller = controller
    this.#label = `${controller.constructor.name}.${action}`
    this.#options = options
    this.#store = options.store ?? storeOf(controller.app)(controller.constructor)
    this.#addFields(stateOf(controller).response?.headers)
    this.#reads = countReads(controller.request)
    this.#before = { ...this.#reads }
    this.#key = this.#keyOf(args)
    this.#after = { ...this.#reads }
  }

  /**
   * The parts are class, action, host (pages have absolute links), match, arguments, query and the application's own
   * part.
   */
  #keyOf(args: readonly unknown[]): readonly unknown[] | undefined {
    const { key, query: chosen = true } = this.#options
    const own = key?.(this.#controller)
    if (key !== undefined && own === undefined) return undefined
    const { environ, scheme, host, routeParams, query } = this.#controller.request
    const values = args.map((value) => argumentKey(value, this.#label, key !== undefined))
    const names = chosen === true ? [...query.keys()].sort() : chosen
    const fields = names.map((name) => [name, query.getAll(name)])
    const mountPoint = rawScriptName(environ)
    return [this.#label, scheme, host, mountPoint, Object.entries(routeParams), values, fields, own]
  }

  /**
   * Responds from the store, with the response of a concurrent request, or by running the action.
   *
   * @param run - runs the action.
   */
  *respond(run: () => unknown): Steps<unknown> {
    const reason = this.#reasonNotToReplay()
    if (reason !== undefined) {
      this.#explain(reason)
      return run()
    }
    for (;;) {
      const key = this.#variant()
      const found = (yield* this.#attempt(() => this.#store.get(key))) ?? (yield* this.#claim(key))
      if (found === undefined) return run()
      if (typeof found === 'function') return yield* this.#lead(run, found)
      // A stored response that varies by more fields than its key contains has other values of them, or is a pointer.
      if (this.#addFields(new HeaderList(found.headers))) continue
      // A hook may have prepared another response by the cookies of this request.
      return this.#lacks('HTTP_COOKIE') ? run() : replay(found).makeConditional(this.#controller.request)
    }
  }

  /**
   * Claims a key whose response is missing.
   *
   * @returns a function if this request is to run the action for others; the response of another request; or
   *   undefined to run the action for this request only.
   */
  *#claim(key: string): Steps<CachedResponse | End | undefined> {
    const pending = pendingOf(this.#store)
    const other = pending.get(key)
    // Other requests may wait for this one, so it does not wait: two requests could wait for each other.
    if (other !== undefined) return leaders.has(this.#controller) ? undefined : yield* wait(other)
    // An action may omit the body for HEAD, so its response cannot be sent for GET.
    if (this.#controller.request.method === 'HEAD') return undefined
    const { promise, resolve } = Promise.withResolvers<CachedResponse | undefined>()
    pending.set(key, promise)
    leaders.add(this.#controller)
    return (response) => {
      pending.delete(key)
      resolve(response)
    }
  }

  /** Runs the action while other requests with the same key wait for the finished response. */
  *#lead(run: () => unknown, end: End): Steps<unknown> {
    const controller = this.#controller
    const state = stateOf(controller)
    try {
      let result = yield* wait(run())
      // The response is stored as the class declares it for the action of the request.
      const binding = state.description.action(state.action)
      if (binding?.result !== undefined) result = yield* wait(represent(state, binding, result))
      // It is returned as it is, because it may change the response until its first chunk.
      if (isGenerator(result)) {
        end(this.#explain(STREAMED))
        return result
      }
      translationOf(state.environ)?.describe(state.ownResponse().headers)
      const responder = toResponder(result, state.response)
      const copy = reasonInHeaders(state.response?.headers) ?? this.#copyToStore(responder, state.response)
      if (typeof copy === 'string') end(this.#explain(copy))
      else whenFinished(controller, (finished) => drive(this.#keep(copy, finished, end)))
      return responder ?? result
    } catch (error) {
      end()
      throw error
    }
  }

  /** Returns a copy of the response of the action, or the reason why it cannot be stored. */
  #copyToStore(responder: ReturnType<typeof toResponder>, own?: Response): CachedResponse | string {
    if (!(responder instanceof Response)) return 'the action returned an application or an HTTP exception'
    if (responder.status !== 200) return `its status is ${responder.status}`
    return storedForm(own?.mergeInto(responder) ?? responder, this.#options.headers) ?? STREAMED
  }

  /**
   * Stores a finished response, and a pointer to it under the key of requests that do not know the fields it varies
   * by.
   */
  *#keep(copy: CachedResponse, finished: Response | undefined, end: End): Steps<void> {
    // After an error, which is logged.
    if (finished === undefined) return end()
    const key = this.#variant()
    const isPointer = this.#addFields(finished.headers)
    const reason = this.#reasonNotToShare(finished)
    if (reason !== undefined) return end(this.#explain(reason))
    const headers = new HeaderList(copy.headers)
    if (this.#fields.length > 0) headers.set('Vary', this.#fields.join(', '))
    const response = { ...copy, headers: headers.toPairs() }
    const { expires } = this.#options
    yield* this.#attempt(() => this.#store.set(this.#variant(), response, expires))
    if (isPointer) yield* this.#attempt(() => this.#store.set(key, { ...response, body: '' }, expires))
    end(response)
  }

  /** Returns the key of the response, with the request headers that it is known to vary by. */
  #variant(): string {
    const { headers } = this.#controller.request
    return JSON.stringify([this.#key, this.#fields.map((name) => [name, headers.get(name)])])
  }

  /**
   * Adds the fields of `Vary` to those that are known: in lower case, sorted, each once. Returns true if there are
   * new ones.
   */
  #addFields(headers: HeaderList | undefined): boolean {
    const known = this.#fields
    const vary = headers?.get('vary')?.toLowerCase() ?? ''
    this.#fields = [...new Set([...known, ...(vary.match(/[^\s,]+/g) ?? [])])].sort()
    return this.#fields.length > known.length
  }

  /**
   * Returns the reason why a stored response may not be sent: the request is one visitor's own, or its response differs
   * from a stored one already. Undefined if it may.
   */
  #reasonNotToReplay(): string | undefined {
    const { response, started } = stateOf(this.#controller)
    if (this.#key === undefined) return 'the option key returned undefined'
    if (this.#controller.request.headers.has('authorization')) return 'the request has Authorization'
    if (started) return 'start_response was called before the action'
    const reason = this.#reasonInReads('the session was used before the action, for instance by __before__')
    if (reason !== undefined || response === undefined) return reason
    if (response.status !== 200) return `this.response has the status ${response.status}`
    return response.body === null ? reasonInHeaders(response.headers) : 'this.response has a body'
  }

  /**
   * Returns the reason why a finished response, as it is sent, may not be sent to other visitors. Undefined if it
   * may. A 304 is a 200 that the client has already.
   */
  #reasonNotToShare({ status, headers }: Response): string | undefined {
    if (status !== 200 && status !== 304) return `its status is ${status}`
    const reason = this.#reasonInReads('the request used its session')
    if (reason !== undefined) return reason
    if (this.#lacks('HTTP_COOKIE')) {
      return 'the request read its cookies. Set Vary: Cookie, or return what the response depends on from the option key'
    }
    return headers.has('set-cookie') ? 'it sets a cookie' : reasonInHeaders(headers)
  }

  #reasonInReads(sessionUsed: string): string | undefined {
    const { session } = stateOf(this.#controller)
    if (session !== undefined && (session.used || session.changed)) return sessionUsed
    if (!this.#lacks('REMOTE_ADDR')) return undefined
    return 'the request read the address of the client. Return what the response depends on from the option key'
  }

  /** Returns true if the response may depend on a member of the environ that the key does not contain. */
  #lacks(member: keyof VisitorReads): boolean {
    const isVaried = member === 'HTTP_COOKIE' && this.#fields.includes('cookie')
    return this.#reads[member] > 0 && this.#before[member] === this.#after[member] && !isVaried
  }

  /** Logs in debug mode why the response is not cached, once for each action and reason. */
  #explain(reason: string): undefined {
    const { app } = this.#controller
    const message = `cached: ${this.#label}() was not cached, because ${reason}.`
    if (!app.debug || loggedBy(app).has(message)) return
    loggedBy(app).add(message)
    app.logger.info(message)
  }

  /** Accesses the store. Its errors are logged, and the action runs. */
  *#attempt<T>(access: () => T | Promise<T>): Steps<T | undefined> {
    try {
      return yield* wait(access())
    } catch (err) {
      const message = `cached: the store failed. The action runs instead.\n${errorText(err)}`
      this.#controller.app.logger.error(message, { err })
      return undefined
    }
  }
}

function argumentKey(value: unknown, label: string, hasOwnKey: boolean): unknown {
  if (typeof value === 'function') {
    throw new TypeError(`cached: ${label} takes start_response, which cannot be cached. Return the response.`)
  }
  if (typeof value !== 'object' || value === null) return `${typeof value} ${String(value)}`
  if (Object.getPrototypeOf(value) === null) {
    // A destructured parameter.
    return Object.entries(value).map(([name, member]) => [name, argumentKey(member, label, hasOwnKey)])
  }
  if (hasOwnKey) return null
  throw new TypeError(
    `cached: an argument of ${label} is an object, which cannot be part of the key. Give the part that the response depends on: cached({ key: (controller) => … })`,
  )
}

/** Directives that keep a response out of shared caches, with or without field names (RFC 9111 §5.2.2). */
const UNSHARED = /(?:^|,)\s*(?:no-store|no-cache|private)\s*(?:[,=]|$)/i

/** Returns the header that forbids sending a response to other visitors, in words; undefined if there is none. */
function reasonInHeaders(headers: HeaderList | undefined): string | undefined {
  const control = headers?.get('cache-control') ?? ''
  if (UNSHARED.test(control)) return `its Cache-Control is "${control}"`
  return headers?.get('vary')?.includes('*') ? 'its Vary is *' : undefined
}

/** Numbers of reads of the members of the environ that belong to the visitor. */
type VisitorReads = Request[typeof READS]

/** Counts reads of a request and its environ from now on, until the request ends. */
const countReads = oncePer((request: Request): VisitorReads => {
  const { environ, [READS]: reads } = request
  request[COOKIES]() // A session reads its own cookie from these.
  for (const member of ['HTTP_COOKIE', 'REMOTE_ADDR'] as const) {
    let value = environ[member]
    Object.defineProperty(environ, member, {
      configurable: true,
      enumerable: value !== undefined,
      get() {
        reads[member] += 1
        return value
      },
      set(changed) {
        value = changed
      },
    })
  }
  return reads
})

/** Messages that an application has logged. */
const loggedBy = oncePer((_: Application) => new Set<string>())

/** The default store of a class in an application. */
const storeOf = oncePer((_: Application) => oncePer((_class: object) => new MemoryCache()))

/** The responses of a store for which requests wait, by key. */
const pendingOf = oncePer((_: CacheStore) => new Map<string, Promise<CachedResponse | undefined>>())

/** Controllers whose response other requests wait for. */
const leaders = new WeakSet<WSGIController>()
