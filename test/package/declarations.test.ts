/** The declarations of the build, without those of the sources, and the names of its classes. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const config = join(ROOT, 'test/package', `.declarations-${process.pid}.json`)
after(() => rmSync(config, { force: true }))

it('the declarations of the package have every type that they refer to', () => {
  const compilerOptions = { skipLibCheck: false, customConditions: [] }
  writeFileSync(
    config,
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['../../dist/**/*.d.ts'] }),
  )
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const { stdout, status } = spawnSync(tsc, ['--noEmit', '-p', config], { encoding: 'utf8' })
  assert.equal(stdout, '')
  assert.equal(status, 0)
})

// An editor shows the name of the declaration. The build adds a number to it where two of one name are in a file.
it('declares classes and interfaces by the names of the sources', () => {
  const files = globSync(join(ROOT, 'dist/**/*.d.ts'))
  const renamed = files.flatMap((file) => readFileSync(file, 'utf8').match(/\b(?:class|interface) \w+\$\d+/g) ?? [])
  assert.ok(files.length > 20)
  assert.deepEqual(renamed, [])
})

it('the classes of the build have the names under which they are exported', async () => {
  const renamed: string[] = []
  for (const file of globSync(join(ROOT, 'dist/entries/*.js'))) {
    const exported: Record<string, unknown> = await import(file)
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value === 'function' && /\$\d+$/.test(value.name) && value.toString().startsWith('class')) {
        renamed.push(`${name}: ${value.name}`)
      }
    }
  }
  assert.deepEqual(renamed, [])
})
