import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'

describe('a runtime', () => {
  test('that does not compile functions from text is named in the error', () => {
    const module = import.meta.resolve('propylon')
    const script = `import { templateEngine } from ${JSON.stringify(module)}; templateEngine({ a: 'a' })`
    const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', script]
    const { status, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /This runtime does not compile functions from text after start-up/)
  })
})
