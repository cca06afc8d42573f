/** Keeps finished answers and sends them again. */
import type { Application } from '../controllers/application.ts'
import { stateOf } from '../controllers/lifecycle.ts'
import { type Responder, respond } from '../controllers/responder.ts'
import type { WSGIController } from '../controllers/wsgi-controller.ts'
import type { ResponseBody } from '../http/body.ts'
import { Response } from '../http/response.ts'
import { concatBytes, toBytes } from '../wsgi/bytes.ts'
import { errorText } from '../wsgi/errors.ts'
import { isPromise } from '../wsgi/promise.ts'
import type { Chunk, HeaderPair } from '../wsgi/types.ts'
import { type ActionDecorator, type Around, andThen, makeDecorator } from './action-decorator.ts'
import { cacheKey, type KeyOptions } from './cache-key.ts'
import { type CachedAnswer, type CacheStore, MemoryCache } from './memory-cache.ts'

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
  'vary',
]

/**
 * Keeps the finished answer of an action, status, headers and body, and sends it again while it is fresh, without
 * running the action. Hooks run for every request; what they set on `this.response` is added each time.
 *
 * Only an answer of GET with status 200 and a body at hand (text, bytes, JSON) is kept; HEAD is answered from it. Never
 * kept are answers that set a cookie, that forbid it (`Cache-Control: no-store` or `private`), or in whose making the
 * session was read or changed, and nothing is looked up for a request that has used its session before the action, or
 * has `Authorization`. An answer with `Vary` is kept only where `key` says what it varies by. What an action reads of
 * cookies, headers or `this.c` cannot be seen: put it into `key`, or do not cache.
 *
 * An answer belongs to its class, action, host, match, arguments and query. Where the action has few fields, name them
 * in `query`, so that others make no new answers. While an action runs for a key, other requests with that key wait
 * for its answer and do not run it again.
 *
 * A store of one's own that fails is logged and passed by: the action runs.
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
  const { expires, store: ownStore, key } = options
  if (!(expires > 0 && Number.isFinite(expires))) {
    throw new RangeError('cached({ expires }) takes a number of seconds above 0')
  }
  const keptHeaders: ReadonlySet<string> = new Set([
    ...KEPT_HEADERS,
    ...(options.headers ?? []).map((name) => name.toLowerCase()),
  ])

  function makeAround(action: string): Around {
    return (controller, args, proceed) => {
      const found = mayReplay(controller) ? cacheKey(controller, action, args, options) : undefined
      if (found === undefined) return proceed(controller, args)
      const place: Place = { store: ownStore ?? storeOf(controller), key: found }
      return andThen(lookUp(controller, place), (hit) => {
        if (hit !== undefined) return replay(controller, hit)
        const flight = flightsOf(place.store).get(place.key)
        if (flight !== undefined) {
          return flight.then((landed) =>
            landed === undefined ? proceed(controller, args) : replay(controller, landed),
          )
        }
        // An action may leave the body out for HEAD, so that its answer would not do for GET.
        if (controller.request.method === 'HEAD') return proceed(controller, args)
        return fly(place, proceed(controller, args), (result) => finish(controller, place, result))
      })
    }
  }

  /** Makes the answer of what the action returned, and keeps it where that may be. */
  function finish(controller: WSGIController, place: Place, result: unknown): Finished | Promise<Finished> {
    const answer = respond(controller, result)
    const keepable = isPublic(controller, answer, key !== undefined)
      ? snapshot(answer, keptHeaders)
      : undefined
    if (keepable === undefined) return { answer, kept: undefined }
    const finished: Finished = { answer, kept: keepable }
    const stored = attempt(controller, () => place.store.set(place.key, keepable, expires))
    return isPromise(stored) ? stored.then(() => finished) : finished
  }

  return makeDecorator('cached', makeAround)
}

/** Where an answer is to be found. */
interface Place {
  readonly store: CacheStore
  readonly key: string
}

/** An answer, and what was kept of it. */
interface Finished {
  readonly answer: Responder
  readonly kept: CachedAnswer | undefined
}

const stores = new WeakMap<Application, WeakMap<object, MemoryCache>>()

function storeOf(controller: WSGIController): MemoryCache {
  const ofApplication = kept(stores, controller.app, () => new WeakMap<object, MemoryCache>())
  return kept(ofApplication, controller.constructor, () => new MemoryCache())
}

/** The answers that are being made, by store and key: what becomes of them, undefined where they are not kept. */
const flights = new WeakMap<CacheStore, Map<string, Promise<CachedAnswer | undefined>>>()

function flightsOf(store: CacheStore): Map<string, Promise<CachedAnswer | undefined>> {
  return kept(flights, store, () => new Map())
}

/** What a map holds for an object, made when it is first asked for. */
function kept<K extends WeakKey, V>(map: WeakMap<K, V>, object: K, make: () => V): V {
  const known = map.get(object)
  if (known !== undefined) return known
  const made = make()
  map.set(object, made)
  return made
}

/** Finishes an answer; while that takes time, others can wait for it. */
function fly(
  { store, key }: Place,
  result: unknown,
  finish: (result: unknown) => Finished | Promise<Finished>,
): unknown {
  const work = isPromise(result) ? result.then(finish) : finish(result)
  if (!isPromise(work)) return work.answer
  const ofStore = flightsOf(store)
  ofStore.set(
    key,
    // Whoever waits runs the action himself when this one failed, so the error is not lost.
    work.then(
      (finished) => finished.kept,
      () => undefined,
    ),
  )
  return work.finally(() => ofStore.delete(key)).then((finished) => finished.answer)
}

/** Whether the request is one that an answer made for another may serve. */
function mayReplay(controller: WSGIController): boolean {
  const { request } = controller
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  if (request.headers.has('authorization') || usesSession(controller)) return false
  const standing = stateOf(controller).response
  return standing === undefined || (standing.status === 200 && standing.body === null)
}

function usesSession(controller: WSGIController): boolean {
  const session = stateOf(controller).session
  return session !== undefined && (session.used || session.changed)
}

const UNSHARED = /(?:^|,)\s*(?:no-store|private)\s*(?:[,=]|$)/i

/** Whether an answer may be shown to anybody. */
function isPublic(controller: WSGIController, answer: Responder, hasOwnKey: boolean): answer is Response {
  if (!(answer instanceof Response) || answer.status !== 200) return false
  if (usesSession(controller) || stateOf(controller).response?.headers.has('set-cookie')) return false
  const { headers } = answer
  if (headers.has('set-cookie') || UNSHARED.test(headers.get('cache-control') ?? '')) return false
  const vary = headers.get('vary')
  return vary === undefined || (hasOwnKey && !vary.includes('*'))
}

/** What is kept of an answer; undefined when its body is made while it is sent. */
function snapshot(answer: Response, names: ReadonlySet<string>): CachedAnswer | undefined {
  const body = bodyAtHand(answer.body)
  if (body === undefined) return undefined
  const headers: HeaderPair[] = []
  for (const pair of answer.headers) if (names.has(pair[0].toLowerCase())) headers.push(pair)
  if (answer.contentType !== null && !answer.headers.has('content-type')) {
    headers.push(['Content-Type', answer.contentType])
  }
  return { status: answer.statusLine, headers, body }
}

function bodyAtHand(body: ResponseBody): string | Uint8Array | undefined {
  if (body === null) return ''
  if (typeof body === 'string') return body
  // A copy, for the action may use its buffer again.
  if (body instanceof Uint8Array) return body.slice()
  return Array.isArray(body) ? concatBytes(body.map((chunk: Chunk) => toBytes(chunk))) : undefined
}

/** Sends an answer again, in a response that the hooks may change; 304 where the client has it already. */
function replay(controller: WSGIController, { status, headers, body }: CachedAnswer): Response {
  const response = new Response(body, { status, headers })
  if (!response.headers.has('content-type')) response.contentType = null
  return response.makeConditional(controller.request)
}

function lookUp(
  controller: WSGIController,
  { store, key }: Place,
): CachedAnswer | undefined | Promise<CachedAnswer | undefined> {
  return attempt(controller, () => store.get(key))
}

/** Asks the store; one that fails must not take the page down with it. */
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
