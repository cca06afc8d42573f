import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parse } from 'yaml'
import { ROOT } from './docs/blocks.ts'
import { folderWithPackages } from './docs/layout.ts'
import { environmentHere } from './docs/shell.ts'

const TEMPLATE = join(ROOT, '.github/reproduction')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('the template of reproductions', () => {
  const root = folderWithPackages()
  after(() => rmSync(root, { recursive: true }))

  for (const [title, edit, status] of [
    ['passes as it is', (text: string) => text, 0],
    ['fails if the application does not do what it says', (text: string) => text.replace('{ id }', '{}'), 1],
  ] as const) {
    it(title, () => {
      const folder = join(root, title)
      cpSync(TEMPLATE, folder, { recursive: true })
      const code = edit(read('.github/reproduction/reproduction.test.ts'))
      writeFileSync(join(folder, 'reproduction.test.ts'), code)
      const run = spawnSync('npm', ['test'], { cwd: folder, env: environmentHere(root), encoding: 'utf8' })
      assert.equal(run.status, status, run.stdout + run.stderr)
      assert.match(run.stdout, /answers as documented/)
    })
  }

  it('is what the form for bugs begins with', () => {
    const form: { body: { id: string; attributes: { value?: string } }[] } = parse(
      read('.github/ISSUE_TEMPLATE/bug.yml'),
    )
    const program = form.body.find(({ id }) => id === 'program')
    assert.equal(program?.attributes.value, read('.github/reproduction/reproduction.test.ts'))
  })

  it('depends on this version', () => {
    const { dependencies } = JSON.parse(read('.github/reproduction/package.json'))
    assert.deepEqual(dependencies, { propylon: JSON.parse(read('package.json')).version })
  })
})
