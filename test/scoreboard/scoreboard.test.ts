import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { problemsOf } from './referee.ts'
import { QUICK } from './referees.ts'

describe('the cases of', () => {
  for (const referee of QUICK) {
    it(`${referee.name} pass, or have an explanation`, async () => {
      assert.deepEqual(problemsOf(await referee.run()), [])
    })
  }
})
