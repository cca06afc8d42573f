import { getOrCreate } from '../../base/get-or-create.ts'
import type { EventLog, StoredEvent } from './event-log.ts'

/** The events of a channel in the memory of the process, by id. Their ids are consecutive. */
interface Kept {
  readonly events: Map<number, StoredEvent>
  last: number
}

/** The events of all channels of the process by name: channels of one name are one channel. */
const channels = new Map<string, Kept>()

/** Listeners by name. */
const listeners = new Map<string, Set<() => void>>()

/** Events in memory. */
export class MemoryLog implements EventLog {
  readonly #kept: Kept
  readonly #listeners: Set<() => void>
  readonly #keep: number

  constructor(name: string, keep: number) {
    this.#kept = getOrCreate(channels, name, () => ({ events: new Map(), last: Date.now() * 1000 }))
    this.#listeners = getOrCreate(listeners, name, () => new Set())
    this.#keep = keep
  }

  async append(event: string | undefined, json: string): Promise<number> {
    const { events } = this.#kept
    const id = ++this.#kept.last
    events.set(id, { id, event, json })
    for (const oldest of events.keys()) {
      if (oldest > id - this.#keep) break
      events.delete(oldest)
    }
    for (const wake of this.#listeners) wake()
    return id
  }

  async positionOf(id: number | undefined): Promise<number> {
    const { events, last } = this.#kept
    if (id === undefined) return last
    return events.has(id) ? id : last - events.size
  }

  async after(id: number, count: number): Promise<readonly StoredEvent[]> {
    const { events, last } = this.#kept
    const found: StoredEvent[] = []
    const first = Math.max(id + 1, last - events.size + 1)
    for (let next = first; next <= last && found.length < count; next++) {
      const event = events.get(next)
      if (event !== undefined) found.push(event)
    }
    return found
  }

  watch(wake: () => void): () => void {
    this.#listeners.add(wake)
    return () => void this.#listeners.delete(wake)
  }
}
