import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { HTTPException } from 'propylon'
import { PAGES, pagesIn } from './docs/blocks.ts'
import { amountOf, literalsOf, NO_LIMITS, rowsBelow, valueIn } from './docs/security-tables.ts'

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
    const clause =
      /\/\*\*\s*(?:\*\s*)?(?:What|Who|Whose|Whoever|Whatever|Where|Which|Why|How(?! to))\b[^\n]*/g
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
  const lines = [...rowsBelow(text, 'Vulnerabilities'), ...rowsBelow(text, 'Not vulnerabilities')]

  it('has a test for each line', () => {
    assert.ok(lines.length > 50)
    const without = lines.filter(([, tests = '']) => !/`test\/[^`]+`: “/.test(tests))
    assert.deepEqual(without, [])
  })

  it('names tests that exist', () => {
    const missing: string[] = []
    for (const [, tests = ''] of lines) {
      for (const [, file = '', titles = ''] of tests.matchAll(/`(test\/[^`]+)`: ((?:(?!`test\/).)+)/g)) {
        const literals = existsSync(join(root, file)) ? literalsOf(read(file)) : new Set()
        for (const [, title = ''] of titles.matchAll(/“([^”]+)”/g)) {
          if (!literals.has(title)) missing.push(`${file}: ${title}`)
        }
      }
    }
    assert.deepEqual(missing, [], 'correct docs/security.md, or give the test its title again')
  })

  it('has the limits of the sources', () => {
    const limits = rowsBelow(text, 'Limits')
    assert.ok(limits.length > 60)
    for (const [limit = '', cell = '', , , place = ''] of limits) {
      const [, name = '', file] = /^`(\w+)`(?: of node:http|, `([^`]+)`)$/.exec(place) ?? []
      const value: unknown =
        file === undefined
          ? Reflect.get({ ...http.createServer(), maxHeaderSize: http.maxHeaderSize }, name)
          : valueIn(read(file), name)
      const stated = amountOf(cell)
      const label = `${limit}: docs/security.md has ${cell}, ${name} of ${file ?? 'node:http'} is ${value}`
      if (stated === undefined) assert.ok(value === undefined || value === 0, label)
      else if (/ (s|days)$/.test(cell)) assert.ok(value === stated || value === stated * 1000, label)
      else assert.equal(value, stated, label)
    }
  })

  it('has every limit of the sources', () => {
    const table = rowsBelow(text, 'Limits')
      .map((row) => row.at(-1) ?? '')
      .join('\n')
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
          .filter((name) => !NO_LIMITS.includes(name) && !NO_LIMITS.includes(`${name} of ${file}`))
          .map((name) => `\`${name}\`, \`${file}\``)
      })
      .filter((place) => !table.includes(place))
    assert.deepEqual(
      missing,
      [],
      'add them to the limits in docs/security.md, or to NO_LIMITS if no client reaches them',
    )
  })
})
