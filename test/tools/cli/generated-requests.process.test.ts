/** Sends random requests to the resource of a created project. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { FrameworkApp } from 'propylon'
import { assertAnswersAsDocumented } from '../../app/openapi/random-requests.ts'
import { createdProject, propylon } from './command-process.ts'

describe('a generated resource', () => {
  test('answers random requests as its document says', async () => {
    const project = await createdProject()
    const made = await propylon(['restcontroller', 'thing', 'things', '--route'], { cwd: project })
    assert.deepEqual([made.status, made.stderr], [0, ''])
    const file = join(project, 'app.ts')
    const text = readFileSync(file, 'utf8')
    const changed = text.replace(
      '\n  map,',
      "$&\n  openapi: { title: 'Things', version: '1.0.0' },\n  logger: { info() {}, warn() {}, error() {} },",
    )
    assert.notEqual(changed, text)
    writeFileSync(file, changed)
    const { default: app }: { default: FrameworkApp } = await import(pathToFileURL(file).href)
    const { valid, succeeded } = await assertAnswersAsDocumented({
      document: JSON.parse(JSON.stringify(await app.openapi())),
      send: (request) => app.fetch(request),
      // White space is removed before its length is checked.
      isBeyondSchema: ({ status, errors }) =>
        status === 400 && errors.length > 0 && errors.every(({ detail }) => detail === 'must not be empty'),
    })
    assert.ok(valid > 50, `only ${valid} requests were valid`)
    assert.deepEqual(
      [...succeeded].sort(),
      ['create', 'delete', 'index', 'show', 'update'].map((action) => `things_${action}`),
    )
  })
})
