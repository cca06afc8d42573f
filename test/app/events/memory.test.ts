/** The events that subscriptions hold. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eventStream } from 'propylon'
import { channel, type Subscription } from 'propylon/events'
import { createEnviron, run } from 'propylon/wsgi'
import { uniqueName } from './places.ts'

const COUNT = 20

/** Length of each event. */
const LENGTH = 1_000_000

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Number of bytes of the heap that something still holds. */
function usedMemory(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** A Redis that has large events, and a promise of the first read that finds none. */
function largeEvents() {
  const read = Promise.withResolvers<void>()
  const jsonOf = (n: number) => JSON.stringify(`${n}${' '.repeat(LENGTH)}`)
  const redis = {
    duplicate: () => ({
      connect: async () => {},
      pSubscribe: async () => {},
      on: () => {},
      destroy: () => {},
    }),
    sendCommand: async ([, , from]: string[]) => {
      const first = Number.parseInt(from ?? '', 10)
      if (first === 0) return []
      if (first > COUNT) read.resolve()
      return Array.from({ length: COUNT }, (_, n) => [`${n + 1}-0`, ['json', jsonOf(n)]]).slice(first - 1)
    },
  }
  return { redis, read: read.promise }
}

/** Takes all events, and calls for the next one. */
const READERS: Readonly<Record<string, (events: Subscription) => Promise<unknown>>> = {
  async 'a subscription'(events) {
    for (let n = 0; n < COUNT; n++) await events.next()
    return events.next()
  },
  async 'an event stream'(events) {
    const { body } = await run(eventStream(events, { heartbeat: 0 }), createEnviron())
    for await (const _ of body);
  },
}

describe('the events that were read', () => {
  for (const [title, readAll] of Object.entries(READERS)) {
    it(`are dropped while ${title} waits`, async () => {
      const { redis, read } = largeEvents()
      const events = channel(uniqueName(), { redis }).subscribe('0')
      const before = usedMemory()
      const end = readAll(events)
      await read
      await setImmediate()
      const kept = usedMemory() - before
      await events.return()
      await end
      assert.ok(kept < (COUNT * LENGTH) / 4, `${kept} bytes are kept`)
    })
  }
})
