import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

/** The separator of `api/` between exported names and the types that they refer to. */
const HIDDEN = '# Types without an export'
const DECLARATION = /^(?:abstract )?(class|interface|type|const|function) (\w+)(<?)/

const surfaces = globSync('api/*.txt', { cwd: new URL('../', import.meta.url) }).map((file) => {
  const [shown = '', hidden = ''] = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').split(HIDDEN)
  return { file, shown: shown.split('\n'), hidden: hidden.split('\n') }
})

const exported = new Set(surfaces.flatMap(({ shown }) => shown.map((line) => DECLARATION.exec(line)?.[2])))

/** Types that no entry exports, except generic aliases, with which the compiler computes other types. */
const hidden = new Set(
  surfaces.flatMap(({ hidden }) =>
    hidden.flatMap((line) => {
      const [, kind, name = '', generic] = DECLARATION.exec(line) ?? []
      const isComputed = kind === 'type' && generic === '<'
      return kind === undefined || kind === 'const' || isComputed || exported.has(name) ? [] : [name]
    }),
  ),
)

describe('public signatures', () => {
  for (const { file, shown } of surfaces) {
    it(`name types that can be imported: ${file}`, () => {
      const missing = shown.flatMap((line) =>
        (line.replaceAll(/'[^']*'|"[^"]*"/g, '').match(/\b[A-Z]\w+/g) ?? [])
          .filter((name) => hidden.has(name))
          .map((name) => `${name} in ${line.trim()}`),
      )
      assert.deepEqual(missing, [], 'export these types from an entry')
    })
  }
})

describe('propylon', () => {
  it('exports at most 95 values', async () => {
    const names = Object.keys(await import('propylon'))
    assert.ok(names.length <= 95, `${names.length} values: ${names.join(', ')}`)
  })
})
