import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

describe('docs/hosts.md', () => {
  it('has examples that run', async () => {
    const page = await readFile(new URL('../../docs/hosts.md', import.meta.url), 'utf8')
    const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
    assert.ok(examples.length > 0)
    const directory = await mkdtemp(join(fileURLToPath(new URL('.', import.meta.url)), '.docs-'))
    try {
      for (const [index, code] of examples.entries()) {
        const file = join(directory, `example-${index}.ts`)
        await writeFile(file, code)
        await import(pathToFileURL(file).href)
      }
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
