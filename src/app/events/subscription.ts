import { NEXT_TEXT, type TextSource } from '../../http/event-stream.ts'
import type { ChannelEvent } from './event-log.ts'
import type { Feed, ReadEvent } from './feed.ts'

const DONE = { done: true, value: undefined } as const

/** The events of a channel for one reader. */
export interface Subscription<Data = unknown> extends AsyncIterableIterator<ChannelEvent<Data>, undefined> {
  /**
   * Resolves when the subscription has begun. It then receives whatever is published, by any process. It rejects with
   * the error of the database if that cannot be read.
   */
  readonly begun: Promise<void>
  /**
   * Resolves when there is an event, or when the subscription has ended.
   *
   * @throws the error of the database, as a rejection, if it cannot be read when the subscription begins. Later
   *   errors are logged, and the subscription goes on when the database is back.
   */
  next(): Promise<IteratorResult<ChannelEvent<Data>, undefined>>
  /** Ends the subscription. A pending {@link next} resolves at once. */
  return(): Promise<IteratorReturnResult<undefined>>
}

/**
 * The events of a log for one reader, from a position on. It reads when the reader takes the next event, so a slow
 * reader holds the events of one read and delays no other reader. A reader that is further behind than the channel
 * keeps goes on at the oldest event.
 */
export class LogSubscription<Data> implements Subscription<Data>, TextSource {
  readonly begun: Promise<void>
  readonly #feed: Feed
  readonly #onEnd: () => void
  readonly #events: AsyncGenerator<ReadEvent, undefined>
  /** Functions that end the calls which wait for an event. */
  readonly #waiting = new Set<() => void>()
  #leave: (() => void) | undefined
  /** Ends the wait for news. */
  #stopWaiting: (() => void) | undefined
  #isEnded = false

  /** @param start - the id behind which the subscription begins. */
  constructor(feed: Feed, start: Promise<number>, begun: Promise<void>, onEnd: () => void) {
    this.#feed = feed
    this.#onEnd = onEnd
    this.#events = this.#eventsBehind(start)
    this.begun = begun
  }

  async next(): Promise<IteratorResult<ChannelEvent<Data>, undefined>> {
    const event = await this.#take()
    return event === undefined ? DONE : { done: false, value: event.toEvent() }
  }

  async [NEXT_TEXT](): Promise<string | undefined> {
    const event = await this.#take()
    return event?.text
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    if (!this.#isEnded) {
      this.#isEnded = true
      this.#leave?.()
      this.#stopWaiting?.()
      for (const end of this.#waiting) end()
      this.#onEnd()
    }
    return DONE
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #take(): Promise<ReadEvent | undefined> {
    if (this.#isEnded) return Promise.resolve(undefined)
    const { promise, resolve, reject } = Promise.withResolvers<ReadEvent | undefined>()
    // The database may not respond when the subscription ends.
    const end = () => resolve(undefined)
    this.#waiting.add(end)
    this.#events.next().then(
      ({ value }) => {
        this.#waiting.delete(end)
        resolve(value)
      },
      (error: unknown) => {
        reject(error)
        // A loop does not call return() of an iterator that has thrown.
        void this.return()
      },
    )
    return promise
  }

  async *#eventsBehind(start: Promise<number>): AsyncGenerator<ReadEvent, undefined> {
    this.#leave = this.#feed.join()
    let position = await start
    while (!this.#isEnded) {
      const { version } = this.#feed
      const events = await this.#feed.read(position)
      for (const event of events) {
        position = event.id
        yield event
      }
      if (this.#isEnded || events.length > 0) continue
      await new Promise<void>((resolve) => {
        this.#stopWaiting = this.#feed.wait(version, resolve)
      })
    }
  }
}
