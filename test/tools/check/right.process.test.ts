import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { FrameworkApp } from 'propylon'
import { findingsOf } from '../../../src/tools/check/check.ts'
import { loadProject } from '../../../src/tools/check/project.ts'
import { check } from './project.ts'
import { RIGHT } from './right-programs.ts'
import { typedProject } from './typed-project.ts'

describe('a right program is not reported', () => {
  for (const [title, files] of RIGHT) {
    it(title, async () => {
      const { status, findings, stderr } = await check(typedProject(files))
      assert.deepEqual(findings, [])
      assert.deepEqual([status, stderr], [0, ''])
    })
  }
})

it('the example application is not reported', async () => {
  const entry = fileURLToPath(new URL('../../../examples/users/app.ts', import.meta.url))
  const { default: app }: { default: FrameworkApp } = await import(pathToFileURL(entry).href)
  assert.deepEqual(findingsOf(await loadProject(app, entry, dirname(entry))), [])
})
