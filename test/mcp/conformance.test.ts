/** The application in conformance-app.ts passes the official suite, except for what is explained. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { problemsOf } from '../conformance/cases.ts'
import { CONFORMANCE } from './conformance.ts'

describe('the conformance suite', () => {
  for (const { name, cases } of CONFORMANCE) {
    it(name, async () => {
      const found = await cases()
      assert.ok(found.length > 25)
      assert.deepEqual(await problemsOf(found, (outcome) => outcome), [])
    })
  }
})
