import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const out = mkdtempSync(join(tmpdir(), 'propylon-documentation-'))
after(() => rmSync(out, { recursive: true }))

/** The TypeScript examples of a text: fences, also within a doc comment. */
function examples(text: string): string[] {
  const plain = text.replaceAll(/^ \* ?/gm, '')
  return [...plain.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '')
}

describe('the examples of decorators', () => {
  it('compile', () => {
    const files = ['docs/decorators.md', ...globSync('src/decorators/*.ts', { cwd: root })]
    let count = 0
    for (const file of files) {
      for (const code of examples(readFileSync(join(root, file), 'utf8'))) {
        count += 1
        writeFileSync(join(out, `${file.replaceAll(/\W/g, '_')}_${count}.ts`), code)
      }
    }
    assert.ok(count >= 14, `there are only ${count} examples`)
    writeFileSync(join(out, 'tsconfig.json'), JSON.stringify(settings))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', out], {
      encoding: 'utf8',
      timeout: 100_000,
    })
    assert.equal(stdout, '')
    assert.equal(status, 0)
  })
})

/** The project's own settings, with the package by its name although the examples lie elsewhere. */
const settings = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: {
    module: 'esnext',
    moduleResolution: 'bundler',
    typeRoots: [join(root, 'node_modules/@types')],
    noUnusedLocals: false,
    paths: {
      propylon: [join(root, 'src/index.ts')],
      'propylon/*': [join(root, 'src/*/index.ts')],
      valibot: [join(root, 'node_modules/valibot')],
    },
  },
  include: [join(out, '*.ts')],
}
