import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { channel } from 'propylon/events'
import { PLACES, type Place, uniqueName } from './places.ts'

const run = promisify(execFile)
const publisher = fileURLToPath(new URL('publisher.ts', import.meta.url))

for (const [kind, place, url] of [
  ['redis', PLACES.Redis, process.env.PROPYLON_TEST_REDIS],
  ['postgres', PLACES.PostgreSQL, process.env.PROPYLON_TEST_POSTGRES],
] as const) {
  const skip = place === undefined && `needs PROPYLON_TEST_${kind.toUpperCase()}`
  describe(`a channel of several processes on ${kind}`, { skip }, () => {
    let opened: Place | undefined
    before(async () => {
      opened = await place?.()
    })
    after(() => opened?.close())

    it('misses no event of concurrent publishers, and has them in the order of their ids', async () => {
      const name = uniqueName()
      const count = 200
      // Reads while the others publish: an id that became visible after a greater one would be missed.
      const events = channel<number>(name, opened?.options).subscribe('0')
      const reading = (async () => {
        const read: number[] = []
        while (read.length < 3 * count) {
          const { done, value } = await events.next()
          assert.ok(!done)
          read.push(Number(value.id))
        }
        return read
      })()
      const words = ['--conditions=propylon-source', publisher, kind, url ?? '', name, String(count)]
      const outputs = await Promise.all([1, 2, 3].map(() => run(process.execPath, words)))
      const published: string[] = outputs.flatMap(({ stdout }) => JSON.parse(stdout))
      const sorted = published.map(Number).sort((a, b) => a - b)
      assert.deepEqual(await reading, sorted)
      await events.return()
    })
  })
}
