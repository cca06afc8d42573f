import { NEXT_TEXT, type TextSource } from '../../http/event-stream.ts'
import type { ChannelEvent } from './event-log.ts'
import type { Feed } from './feed.ts'
import type { ReadEvent } from './read-event.ts'

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

/** A call that waits for an event. */
interface Waiting {
  /** Receives the event, undefined if the subscription has ended. */
  resolve(event: ReadEvent | undefined): void
  reject(error: unknown): void
}

/**
 * The events of a log for one reader, from a position on. It reads when the reader takes the next event, so a slow
 * reader holds the events of one read and delays no other reader. A reader that is further behind than the channel
 * keeps goes on at the oldest event.
 */
export class LogSubscription<Data> implements Subscription<Data>, TextSource {
  readonly begun: Promise<void>
  readonly #feed: Feed
  readonly #start: Promise<number>
  readonly #onEnd: () => void
  /** The id behind which the next read begins. */
  #position: number | undefined
  #events: readonly ReadEvent[] = []
  /** Number of {@link #events} that the reader has received. */
  #taken = 0
  /** Calls that wait, in their order. */
  readonly #waiting: Waiting[] = []
  #isReading = false
  #leave: (() => void) | undefined
  /** Ends the wait for news. */
  #stopWaiting: (() => void) | undefined
  #isEnded = false

  /** @param start - the id behind which the subscription begins. */
  constructor(feed: Feed, start: Promise<number>, begun: Promise<void>, onEnd: () => void) {
    this.#feed = feed
    this.#start = start
    this.#onEnd = onEnd
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
      this.#events = []
      this.#leave?.()
      this.#stopWaiting?.()
      for (const { resolve } of this.#waiting.splice(0)) resolve(undefined)
      this.#onEnd()
    }
    return DONE
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #take(): Promise<ReadEvent | undefined> {
    if (this.#isEnded) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#deliver()
    })
  }

  /** Gives the events to the calls that wait, and reads on if calls are left. */
  #deliver(): void {
    while (this.#waiting.length > 0) {
      const event = this.#events[this.#taken]
      if (event === undefined) {
        this.#read()
        return
      }
      this.#taken += 1
      this.#position = event.id
      this.#waiting.shift()?.resolve(event)
    }
  }

  #read(): void {
    if (this.#isReading) return
    this.#isReading = true
    // The wait for news may be long, and the events may be large.
    this.#events = []
    this.#leave ??= this.#feed.join()
    if (this.#position !== undefined) this.#readBehind(this.#position)
    else
      this.#start.then(
        (position) => this.#readBehind(position),
        (error: unknown) => this.#fail(error),
      )
  }

  /** Reads the next events, and reads again when there may be some if there are none. */
  #readBehind(position: number): void {
    if (this.#isEnded) return
    this.#position = position
    const { version } = this.#feed
    void this.#feed.read(position).then((events) => {
      if (this.#isEnded) return
      if (events.length === 0) {
        this.#stopWaiting = this.#feed.wait(version, () => this.#readBehind(position))
        return
      }
      this.#isReading = false
      this.#events = events
      this.#taken = 0
      this.#deliver()
    })
  }

  /** Ends the subscription: a loop does not call `return()` of an iterator that has thrown. */
  #fail(error: unknown): void {
    this.#waiting.shift()?.reject(error)
    void this.return()
  }
}
