import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { channel } from 'propylon/events'
import { uniqueName } from './places.ts'

describe('a channel in Redis', () => {
  it('closes a connection that opens after the subscription has ended', async () => {
    const opened = Promise.withResolvers<void>()
    let isOpen = false
    // destroy() of the client does nothing before a connection is open.
    const subscriber = {
      async connect() {
        await opened.promise
        isOpen = true
      },
      pSubscribe: async () => {},
      on: () => {},
      destroy() {
        isOpen = false
      },
    }
    const redis = { sendCommand: async () => [], duplicate: () => subscriber }
    const events = channel(uniqueName(), { redis }).subscribe()
    const next = events.next()
    await events.return()
    await next
    // The watcher has closed the client.
    await setImmediate()
    opened.resolve()
    await setImmediate()
    assert.equal(isOpen, false)
  })
})
