/** The application in conformance-app.ts passes the official suite, except for what is explained. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { problemsOf } from '../scoreboard/referee.ts'
import { CONFORMANCE } from './conformance.ts'

describe('the conformance suite', () => {
  for (const { name, run } of CONFORMANCE) {
    it(name, async () => {
      const verdicts = await run()
      assert.ok(verdicts.length > 25)
      assert.deepEqual(problemsOf(verdicts), [])
    })
  }
})
