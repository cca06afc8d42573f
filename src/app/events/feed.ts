import { errorText } from '../../base/thrown.ts'
import type { EventLog, StoredEvent } from './event-log.ts'
import { ReadEvent } from './read-event.ts'

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

/** The reads of all subscriptions of a channel. Subscriptions that wait behind one event share a read. */
export class Feed {
  readonly #log: EventLog
  readonly #name: string
  readonly #reads = new Map<number, Promise<readonly ReadEvent[]>>()
  readonly #waiting = new Set<() => void>()
  #readers = 0
  #stop = () => {}
  #version = 0
  #isFailing = false

  constructor(name: string, log: EventLog) {
    this.#name = name
    this.#log = log
  }

  /** A number that changes whenever there may be news. */
  get version(): number {
    return this.#version
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
    this.#version += 1
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

  /** Calls a listener once when there may be news since a version. Returns a function that ends the wait. */
  wait(version: number, listener: () => void): () => void {
    if (version !== this.#version) listener()
    else this.#waiting.add(listener)
    return () => void this.#waiting.delete(listener)
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
