import { errorText } from '../../base/thrown.ts'
import { eventText, NEXT_TEXT, type TextSource } from '../../http/event-stream.ts'
import type { ChannelEvent, EventLog, StoredEvent } from './event-log.ts'

/** Number of events that are read together, and that a slow reader holds at most. */
const MAX_READ = 100

/** Length of the JSON of these events, in characters. A longer event is alone. */
const MAX_LENGTH = 1_048_576

/** Time after which a channel is read without a notification, in milliseconds: a connection may be lost unnoticed. */
const POLL = 5000

/** Returns the first events that a reader may hold, at least one. The others are read again. */
function firstOf(events: readonly StoredEvent[]): readonly StoredEvent[] {
  let [end, length] = [0, 0]
  for (const { json } of events) {
    length += json.length
    if (length > MAX_LENGTH && end > 0) break
    end += 1
  }
  return events.slice(0, end)
}

/** An event that was read for all subscriptions that wait for it. */
class ReadEvent {
  readonly id: number
  readonly #stored: StoredEvent
  #text: string | undefined

  constructor(stored: StoredEvent) {
    this.id = stored.id
    this.#stored = stored
  }

  /** The text for event streams. */
  get text(): string {
    this.#text ??= eventText(this.toEvent())
    return this.#text
  }

  /** Returns the event with data of its own, which its receiver may change. */
  toEvent<Data>(): ChannelEvent<Data> {
    const { event, json } = this.#stored
    const id = String(this.id)
    const data: Data = JSON.parse(json)
    return event === undefined ? { id, data } : { id, event, data }
  }
}

/** The reads of all subscriptions of a channel. Subscriptions that wait behind one event share a read. */
export class Feed {
  readonly #log: EventLog
  readonly #name: string
  readonly #reads = new Map<number, Promise<readonly ReadEvent[]>>()
  readonly #waiting = new Set<() => void>()
  /** A number that changes whenever there may be news. */
  version = 0
  #readers = 0
  #stop = () => {}
  #isFailing = false

  constructor(name: string, log: EventLog) {
    this.#name = name
    this.#log = log
  }

  /** Watches the log while a subscription reads. Returns a function that ends it. */
  join(): () => void {
    this.#readers += 1
    if (this.#readers === 1) {
      const unwatch = this.#log.watch(this.wake)
      const timer = setInterval(this.wake, POLL)
      timer.unref()
      this.#stop = () => {
        clearInterval(timer)
        unwatch()
      }
    }
    return () => {
      this.#readers -= 1
      if (this.#readers === 0) this.#stop()
    }
  }

  readonly wake = (): void => {
    this.version += 1
    this.#reads.clear()
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }

  /**
   * Returns the next events behind an id. Empty if there are none, or if the log cannot be read now, which is logged.
   */
  read(id: number): Promise<readonly ReadEvent[]> {
    const present = this.#reads.get(id)
    if (present !== undefined) return present
    const read = this.#log.after(id, MAX_READ).then(
      (events) => {
        this.#isFailing = false
        return firstOf(events).map((event) => new ReadEvent(event))
      },
      (error: unknown) => this.#report(error),
    )
    this.#reads.set(id, read)
    void read.then(() => {
      if (this.#reads.get(id) === read) this.#reads.delete(id)
    })
    return read
  }

  /** Calls a listener when there may be news since a version. Returns a function that calls it at once. */
  wait(version: number, listener: () => void): () => void {
    if (version !== this.version) listener()
    else this.#waiting.add(listener)
    return () => {
      this.#waiting.delete(listener)
      listener()
    }
  }

  /** Logs the first error of an outage. Subscriptions wait for its end. */
  #report(error: unknown): readonly ReadEvent[] {
    if (!this.#isFailing) {
      console.error(`The channel ${JSON.stringify(this.#name)} cannot be read. It tries again.\n${errorText(error)}`)
    }
    this.#isFailing = true
    return []
  }
}

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
