/** Compiles the examples of doc comments and the pages. */
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { PAGES, pagesIn } from './docs/blocks.ts'
import { compile, compilePages } from './docs/compile.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = new Map(globSync('src/**/*.ts', { cwd: root }).map((path) => [path, read(path)]))

/** Returns the code blocks of the doc comments of a source. */
function codeBlocks(text: string): string[] {
  const plain = text.replaceAll(/^ *\*(?!\/) ?/gm, '')
  return [...plain.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => (code ?? '').replaceAll('*\\/', '*/'))
}

/** Returns an import of all values that a source exports, for examples of internal functions, which have no import. */
function importsOf(path: string, text: string): string {
  const names = [...text.matchAll(/^export (?:abstract |async )*(?:function\*?|class|const) (\w+)/gm)].map(
    ([, name]) => name,
  )
  return `import { ${names.join(', ')} } from '${join(root, path)}'\n`
}

describe('the documentation of the source', () => {
  // Within the project, so that its packages resolve.
  const out = mkdtempSync(join(root, 'test/.documentation-'))
  after(() => rmSync(out, { recursive: true }))

  it('has examples that compile', () => {
    const origins = new Map<string, string>()
    for (const [path, text] of sources) {
      for (const [i, code] of codeBlocks(text).entries()) {
        const file = `${path.replaceAll(/\W/g, '_')}_${i}.ts`
        origins.set(file, path)
        writeFileSync(join(out, file), /^import /m.test(code) ? code : importsOf(path, text) + code)
      }
    }
    assert.ok(origins.size > 70, `${origins.size} examples were found`)
    const errors = compile(out, ['*.ts']).map((line) => `${origins.get(line.replace(/\(.*/s, ''))}: ${line}`)
    assert.deepEqual(errors, [], 'import what the example uses, so that it compiles on its own')
  })
})

describe('the pages of the documentation', () => {
  it('have code that compiles', () => assert.deepEqual([...compilePages(pagesIn(...PAGES))], []))
})
