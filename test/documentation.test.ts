import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { HTTPException } from 'propylon'
import { PAGES, pagesIn } from './docs/blocks.ts'
import { compile, compilePages } from './docs/compile.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Source of each entry of the package, by the name that applications import: `propylon/wsgi`. */
const entries = new Map<string, string>()
const manifest: { exports: Record<string, string | Record<string, string>> } = JSON.parse(
  read('package.json'),
)
for (const [path, target] of Object.entries(manifest.exports)) {
  const source = typeof target === 'string' ? undefined : target['propylon-source']
  if (source !== undefined) entries.set(path.replace('.', 'propylon'), join(root, source))
}

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

/** Returns true if the doc comment of an exported function, class or constant has an example. */
function hasExample(name: string): boolean {
  const declaration = new RegExp(
    String.raw`/\*\*((?:(?!\*/)[^])*)\*/\s*export (?:abstract )?(?:async )?(?:function\*?|class|const) ${name}\b`,
  )
  return [...sources.values()].some((text) => declaration.exec(text)?.[1]?.includes('@example'))
}

/** Returns true for the exceptions of one status each, for which the example of `HTTPException` is enough. */
function isOneOfMany(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof HTTPException
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

  for (const [entry, source] of entries) {
    it(`has an example of each function and class of ${entry}`, async () => {
      const exported: Record<string, unknown> = await import(source)
      const missing = Object.entries(exported)
        .filter(([name, value]) => typeof value === 'function' && !isOneOfMany(value) && !hasExample(name))
        .map(([name]) => name)
      assert.deepEqual(missing, [], 'add an @example to their doc comments')
    })
  }
})

describe('the pages of the documentation', () => {
  const pages = pagesIn(...PAGES)

  it('have code that compiles', () => assert.deepEqual([...compilePages(pages)], []))

  it('run or compile each block', () => {
    const unmarked = pages.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'unmarked'))
    assert.deepEqual(
      unmarked.map(({ page, line }) => `${page}:${line}`),
      [],
      'begin each command with "$ ", or mark the block as a fragment',
    )
  })
})
