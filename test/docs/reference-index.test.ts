import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ROOT } from './blocks.ts'

const index = readFileSync(join(ROOT, 'docs/reference/README.md'), 'utf8')

describe('the index of the reference', () => {
  it('has a page for each entry of the package, and names no other', () => {
    const { exports }: { exports: object } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const entries = Object.keys(exports)
      .filter((path) => path !== './package.json')
      .map((path) => path.replace('.', 'propylon'))
    const rows = [...index.matchAll(/^\| `(propylon\S*)` \| \[.*\]\([\w-]+\.md/gm)].map(([, entry]) => entry)
    assert.deepEqual(rows.toSorted(), entries.toSorted())
  })

  it('lists all pages', () => {
    const pages = globSync('*.md', { cwd: join(ROOT, 'docs/reference') }).filter((page) => page !== 'README.md')
    assert.deepEqual(
      pages.filter((page) => !index.includes(`](${page}`)),
      [],
    )
  })
})
