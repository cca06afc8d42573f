import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MixedLoad, ROUND } from './mixed-load.ts'
import { Program } from './program.ts'

/** Rounds in which caches fill, as that of compiled templates. */
const WARM_UP = 3
const ROUNDS = 12

describe('a server after mixed requests', () => {
  let program: Program
  before(async () => {
    program = await Program.start()
  })
  after(() => program?.stop())

  it('holds no more objects, descriptors, listeners and timers than before', async (t) => {
    const load = new MixedLoad(program.url)
    for (let round = 0; round < WARM_UP; round++) await load.round()
    const { heap, resident: _, ...early } = await program.inventory()
    for (let round = 0; round < ROUNDS; round++) {
      await load.round()
      program.process.kill('SIGHUP')
    }
    const { heap: later, resident: __, ...late } = await program.inventory()
    const growth = (later - heap) / (ROUNDS * ROUND)
    t.diagnostic(`${ROUNDS * ROUND} requests, ${growth.toFixed(0)} bytes of heap for each`)
    // The connection of a request that has just ended may still close.
    const most = (count: number) => count + 3
    assert.ok(late.descriptors <= most(early.descriptors), JSON.stringify({ early, late }))
    assert.ok(late.resources <= most(early.resources), JSON.stringify({ early, late }))
    assert.equal(late.listeners, early.listeners)
    for (const [name, count] of Object.entries(late.objects)) {
      assert.ok(count <= most(early.objects[name] ?? 0), `${name}: ${early.objects[name]}, then ${count}`)
    }
  })
})
