import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

const page = await readFile(new URL('../../docs/middleware.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)

describe('docs/middleware.md', () => {
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(fileURLToPath(new URL('.', import.meta.url)), '.docs-'))
  })
  after(() => rm(directory, { recursive: true }))

  it('has examples', () => assert.ok(examples.length > 1))

  for (const [index, code] of examples.entries()) {
    const line = page.slice(0, page.indexOf(code)).split('\n').length
    it(`has an example in line ${line} that runs`, async () => {
      const file = join(directory, `example-${index}.ts`)
      await writeFile(file, code.replaceAll('console.log(', 'String('))
      await import(pathToFileURL(file).href)
    })
  }
})
