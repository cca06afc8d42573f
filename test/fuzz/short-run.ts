/** Tests of a subject with fixed seeds and its corpus. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inputsOf } from './corpus.ts'
import type { Subject } from './property.ts'

/** Inputs of each property in a short run. */
const RUNS = 100

/** Declares a test for each property of a subject. */
export function shortRun(subject: Subject): void {
  describe(subject.name, () => {
    before(() => subject.open?.())
    after(() => subject.close?.())
    for (const property of subject.properties) {
      it(property.name, async () => {
        const corpus = inputsOf(subject.name, property.name)
        const { runs, failure } = await property.attempt({ seed: 1, runs: RUNS, corpus })
        assert.ok(
          failure === undefined,
          `failed after ${runs} inputs with ${JSON.stringify(failure?.input)}\n${failure?.message}`,
        )
      })
    }
  })
}
