import type { ChannelEvent, StoredEvent } from './event-log.ts'
import type { Feed } from './feed.ts'

const DONE = { done: true, value: undefined } as const

/** The events of a channel for one reader. */
export interface Subscription<Data = unknown> extends AsyncIterableIterator<ChannelEvent<Data>, undefined> {
  /**
   * Resolves when the subscription has begun. It then receives whatever is published, by any process. It rejects with the error of
   * the database if that cannot be read.
   */
  readonly begun: Promise<void>
  /**
   * Resolves when there is an event, or when the subscription has ended.
   *
   * @throws the error of the database, as a rejection, if it cannot be read when the subscription begins. Later errors are logged, and
   *   the subscription goes on when the database is back.
   */
  next(): Promise<IteratorResult<ChannelEvent<Data>, undefined>>
  /** Ends the subscription. A pending {@link next} resolves at once. */
  return(): Promise<IteratorReturnResult<undefined>>
}

/**
 * The events of a log for one reader, from a position on. It reads when the reader asks for the next event, so a slow reader
 * holds the events of one read and delays no other reader. A reader that is further behind than the channel keeps goes on at the oldest event.
 */
export class LogSubscription<Data> implements Subscription<Data> {
  readonly begun: Promise<void>
  readonly #feed: Feed
  readonly #start: Promise<number>
  readonly #onEnd: () => void
  /** The id behind which the next read begins. */
  #position: number | undefined
  #events: Iterator<StoredEvent> = [].values()
  #leave: (() => void) | undefined
  #isEnded = false
  #wake = () => {}
  #turn: Promise<unknown> = Promise.resolve()

  /** @param start - the id behind which the subscription begins. */
  constructor(feed: Feed, start: Promise<number>, begun: Promise<void>, onEnd: () => void) {
    this.#feed = feed
    this.#start = start
    this.#onEnd = onEnd
    this.begun = begun
  }

  next(): Promise<IteratorResult<ChannelEvent<Data>, undefined>> {
    const next = this.#turn.then(() => this.#next())
    this.#turn = next.catch(() => {})
    return next
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    if (!this.#isEnded) {
      this.#isEnded = true
      this.#events = [].values()
      this.#leave?.()
      this.#wake()
      this.#onEnd()
    }
    return DONE
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #next(): Promise<IteratorResult<ChannelEvent<Data>, undefined>> {
    while (!this.#isEnded) {
      const { done, value } = this.#events.next()
      if (!done) {
        this.#position = value.id
        return { done: false, value: toEvent(value) }
      }
      try {
        await Promise.race([this.#read(), new Promise<void>((resolve) => (this.#wake = resolve))])
      } catch (error) {
        // A loop does not call return() of an iterator that has thrown.
        void this.return()
        throw error
      }
    }
    return DONE
  }

  /** Reads the next events, or waits until there may be some. */
  async #read(): Promise<void> {
    const feed = this.#feed
    this.#leave ??= feed.join()
    this.#position ??= await this.#start
    const { version } = feed
    const events = await feed.read(this.#position)
    if (this.#isEnded) return
    this.#events = events.values()
    if (events.length > 0) return
    await new Promise<void>((resolve) => {
      const stop = feed.wait(version, resolve)
      const end = this.#wake
      this.#wake = () => {
        stop()
        end()
      }
    })
  }
}

function toEvent<Data>({ id, event, json }: StoredEvent): ChannelEvent<Data> {
  const data: Data = JSON.parse(json)
  return event === undefined ? { id: String(id), data } : { id: String(id), event, data }
}
