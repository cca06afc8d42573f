/** Stores finished responses and sends them again. */

import { getOrCreate } from '../../base/get-or-create.ts'
import { isRead } from '../../base/methods.ts'
import { isPromise } from '../../base/promise.ts'
import { errorText } from '../../base/thrown.ts'
import { translationOf } from '../../http/languages/translation.ts'
import { Response } from '../../http/response.ts'
import type { Application } from '../application.ts'
import { stateOf, whenFinished } from '../call-state.ts'
import { declaredResponse } from '../declared-response.ts'
import { isShowing } from '../forms/show-form.ts'
import { isGenerator } from '../generator-body.ts'
import { toResponder } from '../responder.ts'
import type { WSGIController } from '../wsgi-controller.ts'
import { type ActionDecorator, andThen, makeDecorator } from './action-decorator.ts'
import { cacheKey, type KeyOptions, variantKey } from './cache-key.ts'
import { copyOf, pointer, replay, variesBy, varying } from './cached-response.ts'
import { type CachedResponse, type CacheStore, type Claim, MemoryCache } from './memory-cache.ts'
import {
  needsCookies,
  noteReads,
  readingForKey,
  reasonInHeaders,
  reasonNotToReplay,
  reasonNotToShare,
  varyFields,
} from './sharing.ts'

/** Options of {@link cached}. */
export interface CachedOptions extends KeyOptions {
  /** Lifetime of a stored response, in seconds. */
  readonly expires: number
  /** Store for the responses. Defaults to a {@link MemoryCache} for each application and class. */
  readonly store?: CacheStore
  /** Header fields to store in addition to those that describe the body and its caching. */
  readonly headers?: readonly string[]
}

/** The reason why a stream is not stored. */
const STREAMED = 'its body is a stream'

/** Header fields that are stored: those that describe the body or its caching. */
const STORED_HEADERS: readonly string[] = [
  'content-type',
  'content-language',
  'content-disposition',
  'content-encoding',
  'content-location',
  'cache-control',
  'etag',
  'expires',
  'last-modified',
  'link',
]

/**
 * Stores the response to a GET for a number of seconds and sends it again without running the action. Hooks run for
 * every request; what they set on `this.response` is added each time.
 *
 * The response is judged when it is finished, as it is sent: after `__after__`, with the headers of `this.response` and
 * the session's cookie. It is stored only if its status is 200 and its body is in memory (text, bytes, JSON), without
 * `Set-Cookie`, without `private`, `no-store` or `no-cache` in `Cache-Control`, and if the request neither used its
 * session nor has `Authorization`. The request headers that `Vary` names belong to the key; `Vary: *` is not stored. If the
 * action or a hook reads `request.cookies` or `request.remoteAddr`, or the action reads them from the environ, the response is
 * stored only if `Vary` names Cookie, or `key` reads the same. The cache cannot see which other headers, values of `this.c` or
 * members of the environ an action reads: set `Vary`, or return them from `key`. Nor does it see the headers that middleware adds to the response.
 *
 * The key consists of class, action, scheme, host, match, arguments and query. If the action reads only some fields of the
 * query, name them in `query`: then other fields do not create further entries. A HEAD request is answered from the
 * response to GET. While an action runs, other requests with the same key wait for its response.
 *
 * Errors of the store are logged, and the action runs. In debug mode, the reason why a response is not cached is logged,
 * once for each action and reason.
 *
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
  const { expires, store } = options
  if (!(expires > 0 && Number.isFinite(expires))) {
    throw new RangeError(`cached({ expires: ${expires} }): give a number of seconds above 0.`)
  }
  const storedHeaders: ReadonlySet<string> = new Set([
    ...STORED_HEADERS,
    ...(options.headers ?? []).map((name) => name.toLowerCase()),
  ])

  return makeDecorator('cached', (action) => (controller, args, proceed) => {
    // A stored page has no errors of a form.
    if (!isRead(controller.request.method) || isShowing(controller)) return proceed(controller, args)
    noteReads(controller)
    const key = readingForKey(controller, () => cacheKey(controller, action, args, options))
    const reason = reasonNotToReplay(controller)
    if (key === undefined || reason !== undefined) {
      explain(controller, action, reason ?? 'the option key returned undefined')
      return proceed(controller, args)
    }
    const lookup: Lookup = {
      controller,
      action,
      store: store ?? storeOf(controller),
      key,
      expires,
      storedHeaders,
      run: () => proceed(controller, args),
    }
    return respond(lookup, varyFields(stateOf(controller).response?.headers))
  })
}

/** One call of a cached action. */
interface Lookup {
  readonly controller: WSGIController
  readonly action: string
  readonly store: CacheStore
  /** Key of the response, without the request headers that it varies by. */
  readonly key: string
  readonly expires: number
  /** Names of the headers to store, in lower case. */
  readonly storedHeaders: ReadonlySet<string>
  /** Runs the action. */
  run(): unknown
}

/**
 * Responds from the store, with the response of a concurrent request, or by running the action.
 *
 * @param fields - request headers that the response is known to vary by.
 */
function respond(lookup: Lookup, fields: readonly string[]): unknown {
  const { controller, store, run } = lookup
  const key = variantKey(lookup.key, fields, controller.request)
  // A stored response that varies by more fields than its key contains has other values of them, or is a pointer.
  const use = (found: CachedResponse): unknown => {
    const all = union(fields, variesBy(found))
    if (all.length > fields.length) return respond(lookup, all)
    // A hook may have prepared another response by the cookies of this request.
    return needsCookies(controller) && !all.includes('cookie') ? run() : replay(controller, found)
  }
  return andThen(
    attempt(controller, () => store.get(key)),
    (found) => {
      if (found !== undefined) return use(found)
      const other = pendingOf(store).get(key)
      // Other requests may wait for this one, so it does not wait: two requests could wait for each other.
      if (other !== undefined && !leaders.has(controller)) {
        return other.then((shared) => (shared === undefined ? run() : use(shared)))
      }
      // An action may omit the body for HEAD, so its response cannot be sent for GET.
      if (other !== undefined || controller.request.method === 'HEAD') return run()
      return lead(lookup, key, fields, use)
    },
  )
}

/** Runs the action while other requests with the same key wait for the finished response. */
function lead(
  lookup: Lookup,
  key: string,
  fields: readonly string[],
  use: (found: CachedResponse) => unknown,
): unknown {
  const { controller, action, store, run } = lookup
  const ofStore = pendingOf(store)
  const { promise, resolve } = Promise.withResolvers<CachedResponse | undefined>()
  let claim: Claim | undefined
  const resolvePending = (response: CachedResponse | undefined): void => {
    ofStore.delete(key)
    resolve(response)
    if (claim !== undefined) void attempt(controller, claim.release)
  }
  const fail = (error: unknown): never => {
    resolvePending(undefined)
    throw error
  }
  const giveUp = (reason: string): void => {
    explain(controller, action, reason)
    resolvePending(undefined)
  }
  const settle = (result: unknown): unknown => {
    // It is returned as it is, because it may change the response until its first chunk.
    if (typeof result === 'object' && result !== null && isGenerator(result)) {
      giveUp(STREAMED)
      return result
    }
    const state = stateOf(controller)
    const translation = translationOf(state.environ)
    if (translation?.isUsed === true) translation.describe(state.ownResponse().headers)
    const { response: own } = state
    const responder = toResponder(result, own)
    const copy = copyToStore(lookup, own, responder)
    if (typeof copy === 'string') giveUp(copy)
    else {
      whenFinished(controller, (finished) => {
        // After an error, which is logged.
        if (finished === undefined) return resolvePending(undefined)
        const all = union(fields, varyFields(finished.headers))
        const reason = reasonNotToShare(controller, finished, all)
        if (reason !== undefined) return giveUp(reason)
        const kept = varying(copy, all)
        const stored = storeResponse(lookup, key, all, kept)
        if (stored === undefined) return resolvePending(kept)
        return stored.then(() => resolvePending(kept))
      })
    }
    return responder ?? result
  }
  const begin = (): unknown => {
    try {
      const result = andThen(run(), (value) => asDeclared(controller, value))
      return isPromise(result) ? Promise.resolve(result).then(settle).catch(fail) : settle(result)
    } catch (error) {
      return fail(error)
    }
  }
  ofStore.set(key, promise)
  leaders.add(controller)
  return andThen(
    attempt(controller, () => store.claim?.(key)),
    (claimed) => {
      if (claimed === undefined || 'release' in claimed) {
        claim = claimed
        return begin()
      }
      resolvePending(claimed)
      return use(claimed)
    },
  )
}

/** Converts a result as the class declares it for the action of the request, so that the response is what is stored. */
function asDeclared(controller: WSGIController, result: unknown): unknown {
  const { action, metadata } = stateOf(controller)
  const binding = metadata.action(action)
  return binding?.result === undefined ? result : declaredResponse(controller, binding, result)
}

/** Returns a copy of an action's response, or the reason why it cannot be stored. */
function copyToStore(
  { storedHeaders }: Lookup,
  own: Response | undefined,
  responder: ReturnType<typeof toResponder>,
): CachedResponse | string {
  const forbidden = own === undefined ? undefined : reasonInHeaders(own.headers)
  if (forbidden !== undefined) return forbidden
  if (!(responder instanceof Response)) return 'the action returned an application or an HTTP exception'
  if (responder.status !== 200) return `its status is ${responder.status}`
  return copyOf(own?.mergeInto(responder) ?? responder, storedHeaders) ?? STREAMED
}

/** Messages that an application has logged. */
const explained = new WeakMap<Application, Set<string>>()

/** Logs in debug mode why a response is not cached, once for each action and reason. */
function explain(controller: WSGIController, action: string, reason: string): void {
  const { app } = controller
  if (!app.debug) return
  const known = getOrCreate(explained, app, () => new Set<string>())
  const message = `cached: ${controller.constructor.name}.${action}() was not cached, because ${reason}.`
  if (known.has(message)) return
  known.add(message)
  app.logger.info(message)
}

/** Stores a finished response, and a pointer to it under the key of requests that do not know the fields it varies by. */
function storeResponse(
  lookup: Lookup,
  lookedUp: string,
  fields: readonly string[],
  kept: CachedResponse,
): Promise<unknown> | undefined {
  const { controller, store, expires } = lookup
  const key = variantKey(lookup.key, fields, controller.request)
  const stored = [attempt(controller, () => store.set(key, kept, expires))]
  if (key !== lookedUp) stored.push(attempt(controller, () => store.set(lookedUp, pointer(fields), expires)))
  return stored.some(isPromise) ? Promise.all(stored) : undefined
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])].sort()
}

const stores = new WeakMap<Application, WeakMap<object, MemoryCache>>()

function storeOf(controller: WSGIController): MemoryCache {
  const ofApplication = getOrCreate(stores, controller.app, () => new WeakMap<object, MemoryCache>())
  return getOrCreate(ofApplication, controller.constructor, () => new MemoryCache())
}

/** Pending responses by store and key. They resolve to undefined if the response cannot be shared. */
const pending = new WeakMap<CacheStore, Map<string, Promise<CachedResponse | undefined>>>()

function pendingOf(store: CacheStore): Map<string, Promise<CachedResponse | undefined>> {
  return getOrCreate(pending, store, () => new Map())
}

/** Controllers whose response other requests wait for. */
const leaders = new WeakSet<WSGIController>()

/** Accesses the store. Its errors are logged, and the action runs. */
function attempt<T>(
  controller: WSGIController,
  access: () => T | Promise<T> | undefined,
): T | undefined | Promise<T | undefined> {
  const report = (error: unknown): undefined => {
    controller.app.logger.error(`cached: the store failed. The action runs instead.\n${errorText(error)}`, {
      err: error,
    })
  }
  try {
    const result = access()
    return isPromise(result) ? result.catch(report) : result
  } catch (error) {
    return report(error)
  }
}
