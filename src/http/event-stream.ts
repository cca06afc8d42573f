/**
 * Server-sent events (HTML Standard §9.2).
 *
 * @module
 */

import { describeValue } from '../base/describe.ts'
import { isDisconnect, memberOf } from '../base/thrown.ts'
import type { Closeable } from '../wsgi/types.ts'
import { Response } from './response.ts'

/** An event of {@link eventStream}. */
export interface ServerSentEvent {
  /** Text is sent as it is, in as many `data` lines as it has lines. Any other value is sent as JSON. */
  readonly data: unknown
  /** Type of the event, for `addEventListener`. Defaults to `message`. */
  readonly event?: string | undefined
  /** The client sends it as `Last-Event-ID` when it reconnects: see `request.lastEventId`. */
  readonly id?: string | number | undefined
  /** Time after which the client reconnects, in milliseconds. */
  readonly retry?: number | undefined
}

/** Options of {@link eventStream}. */
export interface EventStreamOptions {
  /**
   * Time without an event after which a comment is sent, in milliseconds, so that proxies keep the connection. Default
   * 15,000; 0 for never.
   */
  readonly heartbeat?: number | undefined
  /** Time after which the client reconnects, in milliseconds. It is sent first. Defaults to the time of the browser. */
  readonly retry?: number | undefined
}

const DEFAULT_HEARTBEAT = 15_000
/** Longest delay of a timer. */
const MAX_DELAY = 2 ** 31 - 1

const COMMENT = ':\n\n'

/**
 * Returns a response of server-sent events.
 *
 * The head is sent at once, even if there is no event yet. The next event is taken from the source when the client has
 * received the last one. When the client disconnects or the server shuts down, `return()` of the source is called at
 * once. An async generator that is waiting runs its `finally` only when its wait is over, so pass `request.signal` to
 * whatever it waits for.
 *
 * @see docs/reference/events.md
 * @param source - the events. It is not iterated before the response is sent.
 * @throws TypeError - the source is not iterable.
 * @throws RangeError - an option is not a number of milliseconds.
 * @throws TypeError, in the stream - an event has no data, or a line end or NUL in `id` or `event`.
 *
 * @see docs/guides/responses.md
 * @example
 * ```ts
 * import { setInterval } from 'node:timers/promises'
 * import { eventStream, WSGIController } from 'propylon'
 *
 * async function* ticks(last: number) {
 *   for await (const _ of setInterval(1000)) yield { id: ++last, event: 'tick', data: { time: new Date() } }
 * }
 *
 * export class ClockController extends WSGIController {
 *   index() {
 *     return eventStream(ticks(Number(this.request.lastEventId ?? 0)), { retry: 2000 })
 *   }
 * }
 * ```
 */
export function eventStream(source: AsyncIterable<ServerSentEvent>, options: EventStreamOptions = {}): Response {
  const { heartbeat = DEFAULT_HEARTBEAT, retry } = options
  if (!isDelay(heartbeat)) {
    throw new RangeError(
      `heartbeat is ${describeValue(heartbeat)}. Give milliseconds from 0 to ${MAX_DELAY}; 0 sends no comments.`,
    )
  }
  return new Response(new EventStreamBody(iteratorOf(source), heartbeat, retry), {
    contentType: 'text/event-stream',
    // nginx would buffer the events otherwise.
    headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  })
}

function iteratorOf(source: AsyncIterable<ServerSentEvent>): AsyncIterator<ServerSentEvent> {
  if (typeof source === 'object' && source !== null && Symbol.asyncIterator in source) {
    return source[Symbol.asyncIterator]()
  }
  throw new TypeError(
    `eventStream() received ${describeValue(source)}. Give an async iterable of events, such as an async generator.`,
  )
}

/** The method of a {@link TextSource}. */
export const NEXT_TEXT: unique symbol = Symbol('propylon.next_text')

/** A source that has the texts of its events, which are made once for all streams. */
export interface TextSource {
  /** Returns the text of the next event in place of `next()`. Undefined at the end. */
  [NEXT_TEXT](): Promise<string | undefined>
}

function hasTexts(source: object): source is TextSource {
  return NEXT_TEXT in source
}

/** The end of a call for the next event: its text, undefined at the end of the events, or an error. */
type Settled = { readonly text: () => string | undefined } | { readonly error: unknown }

/**
 * The body of an event stream. Only one call of the source is pending at a time. A comment is sent in place of an
 * event if that takes longer than the heartbeat.
 */
class EventStreamBody implements AsyncIterableIterator<string>, Closeable {
  readonly #source: AsyncIterator<ServerSentEvent>
  readonly #heartbeat: number
  /** A generator answers one call of `next()` after the other. */
  readonly #chunks: AsyncGenerator<string, undefined, undefined>
  #isClosed = false
  #closing: Promise<void> | undefined
  /** Whether a call of the source is pending. */
  #isPending = false
  /** End of the last call, which has not been sent. */
  #settled: Settled | undefined
  #wake: (() => void) | undefined

  constructor(source: AsyncIterator<ServerSentEvent>, heartbeat: number, retry: number | undefined) {
    this.#source = source
    this.#heartbeat = heartbeat
    this.#chunks = this.#write(retry === undefined ? undefined : `${retryLine(retry)}\n`)
  }

  next(): Promise<IteratorResult<string>> {
    return this.#chunks.next()
  }

  async *#write(preamble: string | undefined): AsyncGenerator<string, undefined, undefined> {
    if (this.#isClosed) return
    if (preamble !== undefined) yield preamble
    // The first chunk is due at once, because the head waits for it.
    let wait: number | undefined = preamble === undefined ? 0 : this.#heartbeat || undefined
    for (;;) {
      await this.#settle(wait)
      if (this.#isClosed) return
      wait = this.#heartbeat || undefined
      const settled = this.#settled
      this.#settled = undefined
      if (settled !== undefined && 'error' in settled) {
        if (isAbort(settled.error)) return
        throw settled.error
      }
      const text = settled === undefined ? COMMENT : settled.text()
      if (text === undefined) return
      yield text
    }
  }

  async return(): Promise<IteratorResult<string>> {
    await this.close()
    return { done: true, value: undefined }
  }

  /** Ends the stream: a pending `next()` ends without an event, and `return()` of the source is called. */
  close(): Promise<void> {
    this.#isClosed = true
    this.#wake?.()
    this.#closing ??= this.#return()
    return this.#closing
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #return(): Promise<void> {
    try {
      await this.#source.return?.()
    } catch (error) {
      if (!isAbort(error)) throw error
    }
    // The call that was pending may have failed.
    const settled = this.#settled
    if (settled !== undefined && 'error' in settled && !isAbort(settled.error)) throw settled.error
  }

  /**
   * Waits for the next event, at most some milliseconds. An event that comes later is kept, because a comment is sent
   * before it.
   */
  async #settle(wait: number | undefined): Promise<void> {
    if (!this.#isPending) this.#pull()
    if (this.#settled !== undefined || this.#isClosed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = wait === undefined ? undefined : setTimeout(resolve, wait)
    this.#wake = resolve
    await promise
    clearTimeout(timer)
  }

  #pull(): void {
    const settle = (settled: Settled) => {
      this.#isPending = false
      this.#settled = settled
      this.#wake?.()
    }
    this.#isPending = true
    const source = this.#source
    const call = async () => {
      if (hasTexts(source)) {
        const text = await source[NEXT_TEXT]()
        return () => text
      }
      const result = await source.next()
      return () => textOf(result)
    }
    call().then(
      (text) => settle({ text }),
      (error: unknown) => settle({ error }),
    )
  }
}

/** Returns the text of an event, undefined at the end. An event that is not sent is not checked. */
function textOf({ done, value }: IteratorResult<ServerSentEvent>): string | undefined {
  return done === true ? undefined : eventText(value)
}

const ABORTS: ReadonlySet<unknown> = new Set(['AbortError', 'ClientDisconnected', 'ServerClosing'])

/** Returns true for the error of a source that was waiting with the signal of a request that has ended. */
function isAbort(error: unknown): boolean {
  return isDisconnect(error) || ABORTS.has(memberOf(error, 'name'))
}

/**
 * Returns the text of an event.
 *
 * @throws TypeError - the event has no data, or a line end or NUL in `id` or `event`.
 * @throws RangeError - `retry` is not a number of milliseconds.
 */
export function eventText(event: ServerSentEvent): string {
  if (typeof event !== 'object' || event === null) {
    throw new TypeError(`The source of eventStream() yielded ${describeValue(event)}. Yield { data }.`)
  }
  const { id, event: type, data, retry } = event
  let text = ''
  if (id !== undefined) text += `id: ${fieldValue('id', String(id))}\n`
  if (type !== undefined) text += `event: ${fieldValue('event', type)}\n`
  if (retry !== undefined) text += retryLine(retry)
  for (const line of dataText(data).split(/\r\n|[\r\n]/)) text += `data: ${line}\n`
  return `${text}\n`
}

function fieldValue(name: string, value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a browser ignores an id with NUL
  if (typeof value === 'string' && !/[\r\n\u0000]/.test(value)) return value
  throw new TypeError(
    `The ${name} of a server-sent event is ${JSON.stringify(value)}. Give text without line ends and NUL.`,
  )
}

function dataText(data: unknown): string {
  if (typeof data === 'string') return data
  const json: string | undefined = JSON.stringify(data)
  if (json !== undefined) return json
  throw new TypeError(
    `The data of a server-sent event is ${describeValue(data)}. Give text or a value that JSON can express; '' for none.`,
  )
}

function retryLine(retry: number): string {
  if (isDelay(retry)) return `retry: ${retry}\n`
  throw new RangeError(
    `The retry of server-sent events is ${describeValue(retry)}. Give milliseconds: an integer from 0 to ${MAX_DELAY}.`,
  )
}

function isDelay(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_DELAY
}
