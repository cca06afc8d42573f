/** Documents in the recommended rules of Redocly and Spectral. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documents, withoutLicense } from './documents.ts'
import { redoclyProblems, spectralProblems } from './linters.ts'

async function problemsOf(document: object): Promise<string[]> {
  return [
    ...(await redoclyProblems(document)).map((problem) => `Redocly ${problem}`),
    ...(await spectralProblems(document)).map((problem) => `Spectral ${problem}`),
  ]
}

describe('linters have no warning about', () => {
  for (const [name, document] of documents) {
    it(name, async () => assert.deepEqual(await problemsOf(await document()), []))
  }

  it('but about one without a license', async () => {
    assert.match((await problemsOf(await withoutLicense())).join('\n'), /Redocly info-license/)
  })
})
