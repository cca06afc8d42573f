import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { check, project } from './project.ts'
import { RIGHT } from './right-programs.ts'

describe('a right program is not reported', () => {
  for (const [title, files] of RIGHT) {
    it(title, async () => {
      const { status, findings, stderr } = await check(project(files))
      assert.deepEqual(findings, [])
      assert.deepEqual([status, stderr], [0, ''])
    })
  }
})
