/** Stores finished responses and sends them again. */

import { concatBytes, toBytes } from '../../base/bytes.ts'
import { isRead } from '../../base/methods.ts'
import { oncePer } from '../../base/once-per.ts'
import { drive, type Steps, wait } from '../../base/promise.ts'
import { errorText } from '../../base/thrown.ts'
import { HeaderList } from '../../http/headers.ts'
import { translationOf } from '../../http/languages/translation.ts'
import { Response } from '../../http/response.ts'
import type { ResponseBody } from '../../http/response-body.ts'
import type { Chunk, HeaderPair } from '../../wsgi/types.ts'
import type { Application } from '../application.ts'
import { stateOf, whenFinished } from '../call-state.ts'
import { declaredResponse } from '../declared-response.ts'
import { isShowing } from '../forms/show-form.ts'
import { isGenerator } from '../generator-body.ts'
import { toResponder } from '../responder.ts'
import type { WSGIController } from '../wsgi-controller.ts'
import { type ActionDecorator, makeDecorator } from './action-decorator.ts'
import { CacheRules, type KeyOptions, reasonInHeaders, varyFields } from './cache-rules.ts'
import { type CachedResponse, type CacheStore, MemoryCache } from './cache-store.ts'

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

/** Header fields that are stored: those that describe the body or its caching. `Vary` is added when the response is finished. */
const STORED_FIELDS =
  /^(?:content-(?:type|language|disposition|encoding|location)|cache-control|etag|expires|last-modified|link)$/

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
  const { expires } = options
  if (!(expires > 0 && Number.isFinite(expires))) {
    throw new RangeError(`cached({ expires: ${expires} }): give a number of seconds above 0.`)
  }
  return makeDecorator('cached', (action) => (controller, args, proceed) => {
    const run = () => proceed(controller, args)
    // A stored page has no errors of a form.
    if (!isRead(controller.request.method) || isShowing(controller)) return run()
    const rules = new CacheRules(controller, action, args, options)
    const reason = rules.reasonNotToReplay()
    if (rules.key === undefined || reason !== undefined) {
      explain(controller, action, reason ?? 'the option key returned undefined')
      return run()
    }
    const store = options.store ?? storeOf(controller.app)(controller.constructor)
    return drive(respond({ controller, action, options, store, rules, run }))
  })
}

/** A call of a cached action. */
interface Call {
  readonly controller: WSGIController
  readonly action: string
  readonly options: CachedOptions
  readonly store: CacheStore
  readonly rules: CacheRules
  /** Runs the action. */
  run(): unknown
}

/** Ends a claim: with the response for which other requests wait, or with the reason why it cannot be shared, which is logged. */
type End = (outcome: CachedResponse | string | undefined) => void

/** Responds from the store, with the response of a concurrent request, or by running the action. */
function* respond(call: Call): Steps<unknown> {
  const { controller, store, rules, run } = call
  // Request headers that the response is known to vary by.
  let fields = varyFields(stateOf(controller).response?.headers)
  for (;;) {
    const key = rules.variant(fields)
    const found = (yield* attempt(controller, () => store.get(key))) ?? (yield* claim(call, key))
    if (found === undefined) return run()
    if (typeof found === 'function') return yield* lead(call, key, fields, found)
    // A stored response that varies by more fields than its key contains has other values of them, or is a pointer.
    const all = union(fields, varyFields(new HeaderList(found.headers)))
    if (all.length === fields.length) {
      // A hook may have prepared another response by the cookies of this request.
      return rules.needsCookies(all) ? run() : replay(controller, found)
    }
    fields = all
  }
}

/**
 * Claims a key whose response is missing.
 *
 * @returns a function if this request is to run the action for others; the response of another request; or undefined to run
 *   the action for this request only.
 */
function* claim({ controller, action, store }: Call, key: string): Steps<CachedResponse | End | undefined> {
  const pending = pendingOf(store)
  const other = pending.get(key)
  // Other requests may wait for this one, so it does not wait: two requests could wait for each other.
  if (other !== undefined) return leaders.has(controller) ? undefined : yield* wait(other)
  // An action may omit the body for HEAD, so its response cannot be sent for GET.
  if (controller.request.method === 'HEAD') return undefined
  const { promise, resolve } = Promise.withResolvers<CachedResponse | undefined>()
  pending.set(key, promise)
  leaders.add(controller)
  const claimed = yield* attempt(controller, () => store.claim?.(key))
  const isLeader = claimed === undefined || 'release' in claimed
  const end: End = (outcome) => {
    pending.delete(key)
    resolve(typeof outcome === 'string' ? undefined : outcome)
    if (typeof outcome === 'string') explain(controller, action, outcome)
    if (isLeader) void drive(attempt(controller, () => claimed?.release()))
  }
  if (isLeader) return end
  end(claimed)
  return claimed
}

/** Runs the action while other requests with the same key wait for the finished response. */
function* lead(call: Call, key: string, fields: readonly string[], end: End): Steps<unknown> {
  const { controller, rules, run } = call
  try {
    const result = yield* wait(asDeclared(controller, yield* wait(run())))
    // It is returned as it is, because it may change the response until its first chunk.
    if (typeof result === 'object' && result !== null && isGenerator(result)) {
      end(STREAMED)
      return result
    }
    const state = stateOf(controller)
    const translation = translationOf(state.environ)
    if (translation?.isUsed === true) translation.describe(state.ownResponse().headers)
    const responder = toResponder(result, state.response)
    const copy = copyToStore(call, responder)
    if (typeof copy === 'string') end(copy)
    else {
      whenFinished(controller, (finished) => {
        // After an error, which is logged.
        if (finished === undefined) return end(undefined)
        const all = union(fields, varyFields(finished.headers))
        const reason = rules.reasonNotToShare(finished, all)
        return reason === undefined ? drive(keep(call, key, all, copy, end)) : end(reason)
      })
    }
    return responder ?? result
  } catch (error) {
    end(undefined)
    throw error
  }
}

/** Converts a result as the class declares it for the action of the request, so that the response is what is stored. */
function asDeclared(controller: WSGIController, result: unknown): unknown {
  const { action, metadata } = stateOf(controller)
  const binding = metadata.action(action)
  return binding?.result === undefined ? result : declaredResponse(controller, binding, result)
}

/** Returns a copy of an action's response, or the reason why it cannot be stored. */
function copyToStore(
  { controller, options }: Call,
  responder: ReturnType<typeof toResponder>,
): CachedResponse | string {
  const own = stateOf(controller).response
  const forbidden = own === undefined ? undefined : reasonInHeaders(own.headers)
  if (forbidden !== undefined) return forbidden
  if (!(responder instanceof Response)) return 'the action returned an application or an HTTP exception'
  if (responder.status !== 200) return `its status is ${responder.status}`
  const response = own?.mergeInto(responder) ?? responder
  const body = bodyInMemory(response.body)
  if (body === undefined) return STREAMED
  const further = new Set(options.headers?.map((name) => name.toLowerCase()))
  const headers = [...response.headers].filter(([sent]) => {
    const name = sent.toLowerCase()
    return STORED_FIELDS.test(name) || (further.has(name) && name !== 'vary')
  })
  if (response.contentType !== null && !response.headers.has('content-type')) {
    headers.push(['Content-Type', response.contentType])
  }
  return { status: response.statusLine, headers, body }
}

function bodyInMemory(body: ResponseBody): string | Uint8Array | undefined {
  if (body === null) return ''
  if (typeof body === 'string') return body
  // Copies, because the action may reuse its buffers. concatBytes() returns a single chunk as it is.
  if (body instanceof Uint8Array) return body.slice()
  return Array.isArray(body) ? concatBytes(body.map((chunk: Chunk) => toBytes(chunk))).slice() : undefined
}

/** Stores a finished response, and a pointer to it under the key of requests that do not know the fields it varies by. */
function* keep(
  { controller, store, rules, options: { expires } }: Call,
  key: string,
  fields: readonly string[],
  { status, headers, body }: CachedResponse,
  end: End,
): Steps<void> {
  const vary: HeaderPair[] = fields.length === 0 ? [] : [['Vary', fields.join(', ')]]
  const response = { status, headers: [...headers, ...vary], body }
  const variant = rules.variant(fields)
  yield* attempt(controller, () => store.set(variant, response, expires))
  if (variant !== key) {
    const pointer = { status: '200 OK', headers: vary, body: '' }
    yield* attempt(controller, () => store.set(key, pointer, expires))
  }
  end(response)
}

/** Creates a response, which hooks may change: 304 if the copy of the client is current. */
function replay(controller: WSGIController, { status, headers, body }: CachedResponse): Response {
  const response = new Response(body, { status, headers })
  if (!response.headers.has('content-type')) response.contentType = null
  return response.makeConditional(controller.request)
}

/** Logs in debug mode why a response is not cached, once for each action and reason. */
function explain(controller: WSGIController, action: string, reason: string): void {
  const { app } = controller
  const logged = loggedBy(app)
  const message = `cached: ${controller.constructor.name}.${action}() was not cached, because ${reason}.`
  if (!app.debug || logged.has(message)) return
  logged.add(message)
  app.logger.info(message)
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])].sort()
}

/** Messages that an application has logged. */
const loggedBy = oncePer((_: Application) => new Set<string>())

/** The default store of a class in an application. */
const storeOf = oncePer((_: Application) => oncePer((_class: object) => new MemoryCache()))

/** The responses of a store for which requests wait, by key. */
const pendingOf = oncePer((_: CacheStore) => new Map<string, Promise<CachedResponse | undefined>>())

/** Controllers whose response other requests wait for. */
const leaders = new WeakSet<WSGIController>()

/** Accesses the store. Its errors are logged, and the action runs. */
function* attempt<T>(controller: WSGIController, access: () => T | Promise<T>): Steps<T | undefined> {
  try {
    return yield* wait(access())
  } catch (err) {
    const message = `cached: the store failed. The action runs instead.\n${errorText(err)}`
    controller.app.logger.error(message, { err })
    return undefined
  }
}
