import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Returns the code blocks of a page, and what their comments say that they print. */
function blocksOf(
  page: string,
): { readonly line: number; readonly code: string; readonly printed: string[] }[] {
  return [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ index, 1: code = '' }) => ({
    line: page.slice(0, index).split('\n').length,
    code,
    printed: [...code.matchAll(/^\s*console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text = '']) => text),
  }))
}

for (const path of globSync('docs/guides/**/*.md', { cwd: root }).sort()) {
  describe(path, () => {
    // Within the project, so that its packages resolve.
    const directory = mkdtempSync(join(root, 'test/.guides-'))
    after(() => rmSync(directory, { recursive: true }))
    const blocks = blocksOf(readFileSync(join(root, path), 'utf8'))

    it('has code blocks', () => assert.ok(blocks.length > 0))

    for (const { line, code, printed } of blocks) {
      it(`has a code block in line ${line} that runs and prints what it says`, async (context) => {
        const file = join(directory, `line-${line}.ts`)
        writeFileSync(file, code)
        const log = context.mock.method(console, 'log', () => {})
        await import(pathToFileURL(file).href)
        const written = log.mock.calls.map(({ arguments: texts }) => texts.join(' '))
        assert.deepEqual(written, printed)
      })
    }
  })
}
