/** The gateway of node:http leans on what its streams do, which differs between versions: its tests run on each. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../../', import.meta.url))
const files = globSync('test/wsgi/node/*.test.ts', { cwd: project })

describe('the gateway’s own tests', () => {
  for (const version of ['node-22', 'node-26']) {
    it(`pass on ${version}`, () => {
      const node = `${project}test/runtimes/binaries/node_modules/${version}/bin/node`
      const settings = [
        '--conditions=propylon-source',
        '--test',
        '--test-timeout=300000',
        '--test-reporter=tap',
      ]
      // Told of the runner that it runs in, another one would report to it.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env
      const run = spawnSync(node, [...settings, ...files], { cwd: project, env, encoding: 'utf8' })
      assert.ok(files.length > 0)
      assert.match(run.stdout, /^# pass [1-9]/m, run.stdout + run.stderr)
      assert.equal(run.status, 0, run.stdout)
    })
  }
})
