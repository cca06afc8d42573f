import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Graph } from '../../scripts/testing/changed.ts'
import { isProcessTest, needOf, ROOT, testFiles } from '../../scripts/testing/files.ts'

describe('npm run test:changed', () => {
  const graph = new Graph()

  it('follows the names that an index exports to the modules that define them', () => {
    const reached = graph.reached('test/routing/url.test.ts')
    assert.ok(reached.has('src/routing/url.ts'))
    assert.ok(reached.has('src/base/suggest.ts'))
    assert.deepEqual(
      [...reached].filter((path) => /^src\/(?:http|wsgi|app|rpc)\//.test(path)),
      [],
    )
  })

  it('follows paths of programs and folders that a module names', () => {
    assert.ok(graph.reached('test/tools/cli/serve.process.test.ts').has('src/tools/cli/main.ts'))
    assert.ok(graph.reached('test/tools/cli/generated.process.test.ts').has('src/tools/cli/templates/'))
    assert.ok(graph.reached('test/packages.test.ts').has('package-lock.json'))
  })

  it('includes the indexes that export a name', () => {
    assert.ok(graph.reached('test/http/nested.test.ts').has('src/http/index.ts'))
  })

  it('follows the modules of created projects', () => {
    const reached = graph.reached('test/tools/cli/redis-sessions.process.test.ts')
    assert.ok(reached.has('src/tools/cli/templates/variants/redis/config/session.ts'))
    assert.ok(reached.has('src/http/sessions/redis-store.ts'))
  })

  it('finds a test for each source', () => {
    const reached = new Set(testFiles().flatMap((file) => [...graph.reached(file)]))
    const sources = globSync('src/**/*.ts', { cwd: ROOT })
    assert.ok(sources.length > 700)
    assert.deepEqual(
      sources.filter((file) => !reached.has(file)),
      [],
    )
  })
})

describe('the kinds of test files', () => {
  it('are told by the name and the folder', () => {
    assert.equal(isProcessTest('test/wsgi/node/shutdown.process.test.ts'), true)
    assert.equal(isProcessTest('test/wsgi/run.test.ts'), false)
    assert.equal(needOf('test/browser/users.test.ts'), 'Chromium')
    assert.equal(needOf('test/wsgi/run.test.ts'), undefined)
    assert.equal(needOf('test/architecture.test.ts'), undefined)
  })
})
