/** The gateway of node:http leans on what its streams do, which differs between versions: its tests run on each. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { installed } from '../packages/packages.ts'

const project = fileURLToPath(new URL('../../', import.meta.url))
const script = `${project}scripts/test.ts`

describe('the gateway’s own tests', () => {
  for (const version of ['node-22', 'node-26']) {
    it(`pass on ${version}`, () => {
      const node = installed('runtimes', `${version}/bin/node`)
      const words = [script, '--test-reporter=tap', 'test/wsgi/node/']
      // Told of the runner that it runs in, another one would report to it.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env
      const settings = { cwd: project, env, encoding: 'utf8', maxBuffer: 1e8, timeout: 600_000 } as const
      const run = spawnSync(node, words, settings)
      assert.match(run.stdout, /^# pass [1-9]/m, run.stdout + run.stderr)
      assert.equal(run.status, 0, run.stdout)
    })
  }
})
