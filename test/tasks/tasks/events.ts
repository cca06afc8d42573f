import assert from 'node:assert/strict'
import type { Task } from '../task.ts'

/**
 * `GET /ticks` sends three server-sent events with the ids 1, 2 and 3 and the data `{"tick":1}` to `{"tick":3}`, then
 * ends. A browser that reconnects with `Last-Event-ID: 1` receives only what it has missed.
 */
const task: Task = {
  async check({ visitor }) {
    const all = await visitor().get('/ticks')
    assert.equal(all.contentType, 'text/event-stream')
    const eventsIn = (text: string) =>
      text
        .split('\n\n')
        .filter((event) => event.includes('data:'))
        .map((event) => [
          /^id: ?(.*)$/m.exec(event)?.[1],
          JSON.parse(/^data: ?(.*)$/m.exec(event)?.[1] ?? ''),
        ])
    assert.deepEqual(
      eventsIn(all.text),
      [1, 2, 3].map((tick) => [String(tick), { tick }]),
    )
    const rest = await visitor().get('/ticks', { headers: { 'Last-Event-ID': '1' } })
    assert.deepEqual(
      eventsIn(rest.text).map(([id]) => id),
      ['2', '3'],
    )
  },
}

export default task
