/** A short run with fixed seeds, and everything that ever failed. `npm run fuzz` goes on for as long as you like. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, it } from 'node:test'
import { corpusOf } from './corpus.ts'
import { shortRun } from './short-run.ts'
import { subjects } from './subjects.ts'

for (const subject of subjects) {
  if (subject.needs === undefined) shortRun(subject)
}

describe('the corpus', () => {
  const files = globSync('*.json', { cwd: new URL('corpus/', import.meta.url) })

  for (const file of files) {
    it(`${file} has inputs of properties that exist`, () => {
      const name = basename(file, '.json')
      const properties = subjects.find((subject) => subject.name === name)?.properties ?? []
      const names = properties.map((property) => property.name)
      for (const { property, found } of corpusOf(name)) {
        assert.ok(names.includes(property), `${name} has no property ${JSON.stringify(property)}`)
        assert.notEqual(found, '')
      }
    })
  }
})
