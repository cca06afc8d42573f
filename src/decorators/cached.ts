/** Stores finished responses and sends them again. */
import type { Application } from '../controllers/application.ts'
import { stateOf, whenFinished } from '../controllers/lifecycle.ts'
import { toResponder } from '../controllers/responder.ts'
import type { WSGIController } from '../controllers/wsgi-controller.ts'
import { Response } from '../http/response.ts'
import { isPromise } from '../wsgi/promise.ts'
import { errorText } from '../wsgi/thrown.ts'
import { type ActionDecorator, andThen, makeDecorator } from './action-decorator.ts'
import { cacheKey, type KeyOptions, variantKey } from './cache-key.ts'
import { copyOf, pointer, replay, variesBy, varying } from './cached-answer.ts'
import { type CachedAnswer, type CacheStore, MemoryCache } from './memory-cache.ts'
import { allowsSharing, mayBeShared, mayUseCache, varyFields } from './sharing.ts'

/** How {@link cached} keeps answers. */
export interface CachedOptions extends KeyOptions {
  /** For how many seconds an answer is sent again. */
  readonly expires: number
  /** Where answers are kept; a {@link MemoryCache} for each application and class when absent. */
  readonly store?: CacheStore
  /** Header fields that are kept beside those that describe the body and its caching. */
  readonly headers?: readonly string[]
}

/** Fields that are kept with the body: what they say is true of it whoever asks. */
const KEPT_HEADERS: readonly string[] = [
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
 * session nor has `Authorization`. The request headers that `Vary` names belong to the key; `Vary: *` is not stored. The
 * cache cannot see which cookies, headers or values of `this.c` an action reads otherwise: set `Vary`, or return them
 * from `key`.
 *
 * The key consists of class, action, scheme, host, match, arguments and query. Where the action reads few fields of the
 * query, name them in `query`, so that others make no new answers. HEAD is answered from the response to GET. While an
 * action runs, other requests with the same key wait for its response instead of running it again.
 *
 * Errors of the store are logged, and the action runs.
 *
 * @throws RangeError when `expires` is not above 0; when a request comes, TypeError for an action with an argument that
 *   is no text and no `key`.
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
    throw new RangeError(`cached({ expires: ${expires} }): expires must be a number of seconds above 0`)
  }
  const keptHeaders: ReadonlySet<string> = new Set([
    ...KEPT_HEADERS,
    ...(options.headers ?? []).map((name) => name.toLowerCase()),
  ])

  return makeDecorator('cached', (action) => (controller, args, proceed) => {
    const key = mayUseCache(controller) ? cacheKey(controller, action, args, options) : undefined
    if (key === undefined) return proceed(controller, args)
    const lookup: Lookup = {
      controller,
      store: store ?? storeOf(controller),
      key,
      expires,
      keptHeaders,
      run: () => proceed(controller, args),
    }
    return answer(lookup, varyFields(stateOf(controller).response?.headers))
  })
}

/** One call of a cached action. */
interface Lookup {
  readonly controller: WSGIController
  readonly store: CacheStore
  /** Key of the answer, without the request headers that it varies by. */
  readonly key: string
  readonly expires: number
  /** Names of the headers to keep, in lower case. */
  readonly keptHeaders: ReadonlySet<string>
  /** Runs the action. */
  run(): unknown
}

/**
 * Answers from the store, from another request that is running the action, or by running it.
 *
 * @param fields - request headers that the answer is known to vary by.
 */
function answer(lookup: Lookup, fields: readonly string[]): unknown {
  const { controller, store, run } = lookup
  const key = variantKey(lookup.key, fields, controller.request)
  // An answer that varies by more fields than its key contains was made for other values of them, or is a pointer.
  const use = (found: CachedAnswer): unknown => {
    const all = union(fields, variesBy(found))
    return all.length === fields.length ? replay(controller, found) : answer(lookup, all)
  }
  return andThen(
    attempt(controller, () => store.get(key)),
    (found) => {
      if (found !== undefined) return use(found)
      const flight = flightsOf(store).get(key)
      // A request that others wait for must not wait itself: two of them could wait for each other.
      if (flight !== undefined && !leaders.has(controller)) {
        return flight.then((landed) => (landed === undefined ? run() : use(landed)))
      }
      // An action may leave out the body for HEAD, so its answer does not serve GET.
      if (flight !== undefined || controller.request.method === 'HEAD') return run()
      return lead(lookup, key, fields)
    },
  )
}

/** Runs the action while other requests with the same key wait for the finished response. */
function lead(lookup: Lookup, key: string, fields: readonly string[]): unknown {
  const { controller, store, run } = lookup
  const flights = flightsOf(store)
  const { promise, resolve } = Promise.withResolvers<CachedAnswer | undefined>()
  const land = (kept: CachedAnswer | undefined): void => {
    flights.delete(key)
    resolve(kept)
  }
  const fail = (error: unknown): never => {
    land(undefined)
    throw error
  }
  const settle = (result: unknown): unknown => {
    const { response: own } = stateOf(controller)
    const isShareable = own === undefined || allowsSharing(own.headers)
    const responder = toResponder(result, own)
    const copy =
      isShareable && responder instanceof Response && responder.status === 200
        ? copyOf(own?.mergeInto(responder) ?? responder, lookup.keptHeaders)
        : undefined
    if (copy === undefined) land(undefined)
    else {
      whenFinished(controller, (finished) => {
        if (finished === undefined || !mayBeShared(controller, finished)) return land(undefined)
        const all = union(fields, varyFields(finished.headers))
        const kept = varying(copy, all)
        const stored = keep(lookup, key, all, kept)
        if (stored === undefined) return land(kept)
        return stored.then(() => land(kept))
      })
    }
    return responder ?? result
  }
  flights.set(key, promise)
  leaders.add(controller)
  try {
    const result = run()
    return isPromise(result) ? Promise.resolve(result).then(settle).catch(fail) : settle(result)
  } catch (error) {
    return fail(error)
  }
}

/** Stores a finished answer, and a pointer to it where requests look that do not know yet what it varies by. */
function keep(
  lookup: Lookup,
  lookedUp: string,
  fields: readonly string[],
  kept: CachedAnswer,
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
  const ofApplication = ensure(stores, controller.app, () => new WeakMap<object, MemoryCache>())
  return ensure(ofApplication, controller.constructor, () => new MemoryCache())
}

/** Answers that requests are making, by store and key. They resolve to undefined if the answer is not kept. */
const flights = new WeakMap<CacheStore, Map<string, Promise<CachedAnswer | undefined>>>()

function flightsOf(store: CacheStore): Map<string, Promise<CachedAnswer | undefined>> {
  return ensure(flights, store, () => new Map())
}

/** Requests that others wait for. */
const leaders = new WeakSet<WSGIController>()

/** Returns the value of a key, made on first use. */
function ensure<K extends WeakKey, V>(map: WeakMap<K, V>, object: K, make: () => V): V {
  const known = map.get(object)
  if (known !== undefined) return known
  const made = make()
  map.set(object, made)
  return made
}

/** Accesses the store. Its errors are logged, and the action runs. */
function attempt<T>(
  controller: WSGIController,
  ask: () => T | Promise<T>,
): T | undefined | Promise<T | undefined> {
  const report = (error: unknown): undefined => {
    controller.app.logger.error(`cached: the store failed, so the action runs\n${errorText(error)}`)
  }
  try {
    const answer = ask()
    return isPromise(answer) ? answer.catch(report) : answer
  } catch (error) {
    return report(error)
  }
}
