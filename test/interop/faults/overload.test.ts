import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { size } from '../wiki/size.ts'
import { openLoad, quantile } from './open-load.ts'
import { Program } from './program.ts'

const SECONDS = size(2, 10)

for (const [kind, path, least] of [
  ['waits for one of 8 connections for 100 ms', '/pooled', 60],
  ['computes for 20 ms', '/block/20', 35],
] as const) {
  describe(`a server with five times the load that it can bear, whose action ${kind}`, () => {
    let program: Program
    before(async () => {
      program = await Program.start({
        options: { maxRequests: 32, maxDelay: 200, backlog: 4096, keepAliveTimeout: 60_000 },
      })
    })
    after(() => program?.stop())

    it('serves some requests, refuses the others, and loses none', async (t) => {
      const { url } = program
      const times = { seconds: SECONDS, warmUp: size(1, 3) }
      // The capacity is what is served just below the overload.
      const probe = await openLoad({ url, path, rate: 2 * least, ...times })
      const capacity = probe.goodput
      const { goodput, offered, accepted, refused, lost } = await openLoad({
        url,
        path,
        rate: 5 * Math.max(capacity, least),
        ...times,
      })
      const line = [
        `capacity ${capacity.toFixed(0)}/s (${probe.refused.length} refused)`,
        `offered ${offered.toFixed(0)}/s, served ${goodput.toFixed(0)}/s (${((100 * goodput) / capacity).toFixed(0)} %)`,
        `accepted p50 ${quantile(accepted, 0.5).toFixed(0)} ms, p99 ${quantile(accepted, 0.99).toFixed(0)} ms`,
        `refused p50 ${quantile(refused, 0.5).toFixed(0)} ms, p99 ${quantile(refused, 0.99).toFixed(0)} ms, lost ${lost}`,
      ]
      t.diagnostic(line.join('; '))
      assert.equal(lost, 0)
      assert.ok(refused.length > 0)
      assert.ok(accepted.length > 0)
    })
  })
}
