import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { TestApp } from 'propylon/testing'

const page = await readFile(new URL('../../docs/files.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
const STYLE = 'body { margin: 0 }\n'

/** A path that the application of each example serves. */
const PATHS = ['/static/app.css', '/manual/app.css', '/invoices/7']

describe('docs/files.md', () => {
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(fileURLToPath(new URL('.', import.meta.url)), '.docs-'))
    await mkdir(join(directory, 'public'))
    await writeFile(join(directory, 'public/app.css'), STYLE)
  })
  after(() => rm(directory, { recursive: true }))

  it('has an example for each path', () => assert.equal(examples.length, PATHS.length))

  for (const [index, path] of PATHS.entries()) {
    it(`has an example that serves ${path}`, async () => {
      const file = join(directory, `example-${index}.ts`)
      await writeFile(file, (examples[index] ?? '').replaceAll('console.log(', 'String('))
      const { default: app } = await import(pathToFileURL(file).href)
      const response = await new TestApp(app).get(path)
      assert.equal(response.text, STYLE)
    })
  }
})
