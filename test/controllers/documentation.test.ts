import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

// Inside of this package, so that the examples can import it by name.
const directory = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), '.docs-'))
after(() => rmSync(directory, { recursive: true }))

for (const name of ['arguments', 'return-values']) {
  describe(`docs/${name}.md`, () => {
    const page = readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')
    const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)]
    assert.ok(examples.length >= 2)

    for (const [index, { 1: code = '', index: offset }] of examples.entries()) {
      it(`has an example that runs in line ${page.slice(0, offset).split('\n').length}`, async () => {
        const file = join(directory, `${name}-${index}.ts`)
        writeFileSync(file, code.replaceAll('console.log(', 'String('))
        await import(pathToFileURL(file).href)
      })
    }
  })
}
