import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, it } from 'node:test'

const root = new URL('../', import.meta.url)
const page = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8')
const rows = [...page.matchAll(/^\| `([\w./-]+\/)` \| (.*) \|$/gm)].map(([, folder = '', contents = '']) => ({
  folder,
  contents,
}))

/** Returns the code spans of a text that name a file or a folder. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`(\.?[\w./-]+(?:\.(?:ts|md|json)|\/))`/g)].map(([, path = '']) => path)
}

describe('ARCHITECTURE.md', () => {
  for (const { folder, contents } of rows) {
    it(`names files that exist in ${folder}`, () => {
      for (const path of pathsIn(contents)) {
        const isThere = existsSync(new URL(folder + path, root)) || existsSync(new URL(path, root))
        assert.ok(isThere, `${path} exists neither in ${folder} nor in the root. Correct ARCHITECTURE.md.`)
      }
    })
  }

  it('names paths that exist outside of the table', () => {
    const prose = page.replaceAll(/^\|.*$/gm, '')
    const paths = pathsIn(prose)
    assert.ok(paths.length > 20)
    for (const path of paths) {
      assert.ok(existsSync(new URL(path, root)), `${path} does not exist. Correct ARCHITECTURE.md.`)
    }
  })

  it('has a row for each folder of src/', () => {
    const folders = new Set(
      globSync('src/**/*.ts', { cwd: root, exclude: ['src/cli/templates/**'] })
        .map((file) => `${dirname(file)}/`)
        .filter((folder) => folder !== 'src/'),
    )
    const described = new Set(rows.map(({ folder }) => folder))
    assert.deepEqual([...folders].filter((folder) => !described.has(folder)).sort(), [])
  })
})

describe('the tests', () => {
  it('use the public entries, except for at most 40 files', () => {
    const files = globSync('test/**/*.ts', { cwd: root, exclude: ['test/.*/**'] })
    const inside = files.filter((file) => {
      const text = readFileSync(new URL(file, root), 'utf8')
      const imported = [...text.matchAll(/from '(?:\.\.\/)+src\/([^']+)'/g)].map(([, path = '']) => path)
      return imported.some((path) => !path.endsWith('index.ts'))
    })
    assert.ok(inside.length > 0)
    assert.ok(inside.length <= 40, `${inside.length} files import a private module:\n${inside.join('\n')}`)
  })
})
