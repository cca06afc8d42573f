import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'

describe('requestLog', () => {
  it('writes to the standard output, whose reader may leave', async () => {
    const script = `
      import { requestLog } from 'propylon/middleware'
      import { createEnviron, run } from 'propylon/wsgi'
      const app = requestLog()((environ, start_response) => {
        start_response('200 OK', [])
        return []
      })
      const request = async () => (await run(app, createEnviron({ url: '/x' }))).bytes()
      await request()
      process.stdin.resume().once('end', async () => {
        for (let i = 0; i < 3; i++) {
          await request()
          await new Promise((resolve) => setImmediate(resolve))
        }
        process.exitCode = 7
      })`
    const args = ['--conditions=propylon-source', '--input-type=module', '--eval', script]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const [line] = await once(child.stdout, 'data')
    assert.equal(JSON.parse(String(line)).path, '/x')
    child.stdout.destroy()
    child.stdin.end()
    assert.deepEqual(await once(child, 'exit'), [7, null])
  })
})
