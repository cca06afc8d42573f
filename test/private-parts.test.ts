import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const root = new URL('../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, root), 'utf8')

/** Reads of members whose names begin with an underscore, and other parts that are not documented. */
const PRIVATE = new RegExp(
  [
    /(?<=\.|readonly |declare )_[a-zA-Z]\w*/,
    /(?<=(?:const|let) \{ (?:\w+(?:: \w+)?, )*)_[a-zA-Z]\w*/,
    /\b__eta\b|(?<=')chunkedEncoding(?=')|internalMessage/,
    /(?<=\.)(?:exitedAfterDisconnect|parser|shouldKeepAlive|assignSocket|detachSocket)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** Names with an underscore that the specification gives, and keys in messages of MCP. */
const OURS = /^_(?:get_method_args|created_regs|find_method_name|publish_method_name|meta)$/

const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

const used = globSync('src/**/*.ts', { cwd: root, exclude: ['src/tools/cli/templates/**'] }).flatMap((file) =>
  [...new Set(read(file).replaceAll(COMMENTS, '').match(PRIVATE))]
    .filter((part) => !OURS.test(part))
    .map((part) => `${part} in ${file}`),
)

const rows = [...read('docs/contributing/private-parts.md').matchAll(/^\| `.*$/gm)].map(([row]) =>
  row.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)),
)

describe('private parts of Node and of packages', () => {
  it('are those that the page lists', () => {
    const listed = rows.flatMap(([, [part = ''] = [], files = []]) => files.map((file) => `${part} in ${file}`))
    assert.deepEqual(used.toSorted(), listed.toSorted())
  })

  for (const [, [part] = [], , , , tests = []] of rows) {
    it(`have tests: ${part}`, () => {
      assert.ok(tests.length > 0)
      for (const test of tests) assert.ok(existsSync(new URL(test, root)), `${test} does not exist`)
    })
  }
})
