import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { HTTPException } from 'propylon'
import { PAGES, pagesIn } from './docs/blocks.ts'
import { LIMITS, PROMISES } from './docs/security-sources.ts'
import { amountOf, linesBelow, literalsOf, NO_LIMITS, rowsBelow, valueIn } from './docs/security-tables.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Source of each entry of the package, by the name that applications import: `propylon/wsgi`. */
const entries = new Map<string, string>()
const manifest: { exports: Record<string, string | Record<string, string>> } = JSON.parse(read('package.json'))
for (const [path, target] of Object.entries(manifest.exports)) {
  const source = typeof target === 'string' ? undefined : target['propylon-source']
  if (source !== undefined) entries.set(path.replace('.', 'propylon'), join(root, source))
}

const sources = new Map(globSync('src/**/*.ts', { cwd: root }).map((path) => [path, read(path)]))

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
  it('has comments that begin with their subject', () => {
    // "How to …" names a way, so that it is a subject.
    const clause = /\/\*\*\s*(?:\*\s*)?(?:What|Who|Whose|Whoever|Whatever|Where|Which|Why|How(?! to))\b[^\n]*/g
    const found = [...sources].flatMap(([path, text]) =>
      [...text.matchAll(clause)].map(([comment]) => `${path}: ${comment}`),
    )
    assert.deepEqual(found, [], 'begin with a verb or a noun phrase that names the thing')
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

  it('run or compile each block', () => {
    const unmarked = [...pages, ...pagesIn('docs/recipes/*.md')].flatMap(({ blocks }) =>
      blocks.filter(({ kind }) => kind === 'unmarked'),
    )
    assert.deepEqual(
      unmarked.map(({ page, line }) => `${page}:${line}`),
      [],
      'begin each command with "$ ", mark the block as a fragment, or use a language that test/docs/blocks.ts lists',
    )
  })
})

/** Phrases that readers had to read twice. "There is no X" is a plain statement, so it may stay. */
const PHRASES: readonly (readonly [phrase: RegExp, advice: string])[] = [
  [/(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b)[a-z`]+/gi, 'write "is not a"'],
  [/\bthe one (?:that|which|behind|of|in)\b/gi, 'repeat the noun'],
  [/\b(?:that|those) of (?:the|a|an|its|all)\b/gi, 'repeat the noun'],
  [/\bneither (?:does|do|is|are)\b/gi, 'write a whole sentence'],
  [/\bworth nothing\b/gi, 'write "invalid"'],
  [/\bfor ever\b/gi, 'write "without end"'],
]

it('the pages avoid phrases that readers had to read twice', () => {
  const paths = globSync(['*.md', 'docs/*.md', 'docs/{contributing,guides,recipes,reference}/**/*.md'], {
    cwd: root,
  })
  const found = paths
    .filter((path) => path !== 'CHANGELOG.md')
    .flatMap((path) =>
      PHRASES.flatMap(([phrase, advice]) =>
        [...read(path).matchAll(phrase)].map(([text]) => `${path}: "${text}": ${advice}`),
      ),
    )
  assert.deepEqual(found, [])
})

it('guides name the file of each block of code', () => {
  const code = pagesIn('docs/guides/**/*.md').flatMap(({ blocks }) =>
    blocks.filter(({ language }) => language === 'ts'),
  )
  const without = code.filter(({ file }) => file === undefined)
  assert.deepEqual(
    without.map(({ page, line }) => `${page}:${line}`),
    [],
    'write its path on a line above the block: `app.ts`',
  )
})

describe('docs/security.md', () => {
  const text = read('docs/security.md')

  it('has a test for each line', () => {
    assert.ok(PROMISES.length > 50)
    assert.deepEqual(
      [...linesBelow(text, 'Vulnerabilities'), ...linesBelow(text, 'Not vulnerabilities')],
      PROMISES.map(([line]) => line),
      'correct PROMISES of test/docs/security-sources.ts',
    )
  })

  it('has tests that exist', () => {
    const missing = PROMISES.filter(
      ([, file, title]) => !existsSync(join(root, file)) || !literalsOf(read(file)).has(title),
    )
    assert.deepEqual(missing, [], 'correct PROMISES, or give the test its title again')
  })

  it('has the limits of the sources', () => {
    const rows = rowsBelow(text, 'Limits')
    const nameOf = ([limit = '']: readonly string[]) => limit.replace(/, `[^()]*(?:\(.*\)|\.\w+)?`.*$/, '')
    assert.ok(LIMITS.length > 60)
    assert.deepEqual(
      rows.map(nameOf),
      LIMITS.map(([limit]) => limit),
      'correct LIMITS of test/docs/security-sources.ts',
    )
    for (const [index, [limit, name, file]] of LIMITS.entries()) {
      const cell = rows[index]?.[1] ?? ''
      const value: unknown =
        file === 'node:http'
          ? Reflect.get({ ...http.createServer(), maxHeaderSize: http.maxHeaderSize }, name)
          : valueIn(read(file), name)
      const stated = amountOf(cell)
      const label = `${limit}: docs/security.md has ${cell}, ${name} of ${file} is ${value}`
      if (stated === undefined) assert.ok(value === undefined || value === 0, label)
      else if (/ (s|days)$/.test(cell)) assert.ok(value === stated || value === stated * 1000, label)
      else assert.equal(value, stated, label)
    }
  })

  it('has every limit of the sources', () => {
    const places = LIMITS.map(([, name, file]) => `${name} of ${file}`)
    const missing = globSync(
      'src/{base/{passwords,sqlite},wsgi,routing,http,controllers,app,rpc/{controllers,faces,mcp,jsonrpc,transport,xmlrpc}}/**/*.ts',
      {
        cwd: root,
      },
    )
      .flatMap((file) => {
        const names = read(file).matchAll(/^(?:export )?const ((?:DEFAULT|MAX|MIN)_\w+|\w+_TIMEOUT) = \d/gm)
        return [...names]
          .map(([, name = '']) => name)
          .filter((name) => !NO_LIMITS.includes(name))
          .map((name) => `${name} of ${file}`)
      })
      .filter((place) => !places.includes(place) && !NO_LIMITS.includes(place))
    assert.deepEqual(missing, [], 'add them to docs/security.md and LIMITS, or to NO_LIMITS if no client reaches them')
  })
})
