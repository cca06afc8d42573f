import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

const page = await readFile(new URL('../../docs/routing.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)

describe('the examples of docs/routing.md run', () => {
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(fileURLToPath(new URL('.', import.meta.url)), '.docs-'))
  })
  after(() => rm(directory, { recursive: true }))

  test('there are some', () => assert.ok(examples.length >= 8))

  for (const [index, code] of examples.entries()) {
    const line = page.slice(0, page.indexOf(code)).split('\n').length
    test(`the one in line ${line}`, async () => {
      const file = join(directory, `example-${index}.ts`)
      await writeFile(file, code.replaceAll('console.log(', 'String('))
      await import(pathToFileURL(file).href)
    })
  }
})

test('routing imports nothing but its own files and those for text', async () => {
  const folder = new URL('../../src/routing/', import.meta.url)
  const { readdir } = await import('node:fs/promises')
  for (const name of await readdir(folder)) {
    const source = await readFile(new URL(name, folder), 'utf8')
    for (const [, specifier = ''] of source.matchAll(
      /^(?:import|export) (?:type )?(?:\{[^}]*\}|\w+) from '([^']+)'/gm,
    )) {
      assert.match(specifier, /^\.\.?\/(?:text\/)?[a-z-]+\.ts$/, `${name} imports ${specifier}`)
    }
  }
})
