import { getOrCreate } from '../../base/get-or-create.ts'
import type { EventLog, StoredEvent } from './event-log.ts'

/** A channel in the memory of the process. The ids of its events are consecutive. */
interface Kept {
  readonly events: Map<number, StoredEvent>
  readonly listeners: Set<() => void>
  last: number
}

/** All channels of the process by name: channels of one name are one channel. */
const channels = new Map<string, Kept>()

export function memoryLog(name: string, keep: number): EventLog {
  const create = () => ({ events: new Map(), listeners: new Set<() => void>(), last: Date.now() * 1000 })
  const kept = getOrCreate(channels, name, create)
  const { events, listeners } = kept
  return {
    async append(event, json) {
      const id = ++kept.last
      events.set(id, { id, event, json })
      for (const oldest of events.keys()) {
        if (oldest > id - keep) break
        events.delete(oldest)
      }
      for (const wake of listeners) wake()
      return id
    },

    async positionOf(id) {
      if (id === undefined) return kept.last
      return events.has(id) ? id : kept.last - events.size
    },

    async after(id, count) {
      const found: StoredEvent[] = []
      const first = Math.max(id + 1, kept.last - events.size + 1)
      for (let next = first; next <= kept.last && found.length < count; next++) {
        const event = events.get(next)
        if (event !== undefined) found.push(event)
      }
      return found
    },

    watch(wake) {
      listeners.add(wake)
      return () => void listeners.delete(wake)
    },
  }
}
