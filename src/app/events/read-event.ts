import { eventText } from '../../http/event-stream.ts'
import type { ChannelEvent, StoredEvent } from './event-log.ts'

/** An event that was read for all subscriptions that wait for it. */
export class ReadEvent {
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
