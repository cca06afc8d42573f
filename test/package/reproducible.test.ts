/** Builds and packs the package twice, in different folders and time zones. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'propylon-reproducible-')))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Folders and files that are no part of a checkout. */
const NO_SOURCES = new Set(['.git', 'dist', 'node_modules', 'var'])

/** Copies the sources, with links to the installed packages. */
function copyTo(copy: string): void {
  cpSync(ROOT, copy, { recursive: true, filter: (path) => path === ROOT || !NO_SOURCES.has(basename(path)) })
  const packages = join(ROOT, 'node_modules')
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(packages)) symlinkSync(join(packages, name), join(copy, 'node_modules', name))
}

const hashOf = (path: string) => createHash('sha512').update(readFileSync(path)).digest('base64')

/** Returns the hashes of all files below a folder, with their permissions. */
function filesIn(directory: string): Record<string, string> {
  const files = globSync('**', { cwd: directory, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort()
  return Object.fromEntries(
    paths.map((path) => [relative(directory, path), `${(statSync(path).mode & 0o777).toString(8)} ${hashOf(path)}`]),
  )
}

/** Packs a folder and returns the hash of the archive. */
function pack(directory: string, env: NodeJS.ProcessEnv): string {
  const destination = mkdtempSync(join(folder, 'packed-'))
  const options = ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', destination]
  execFileSync('npm', options, { cwd: directory, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [archive = assert.fail('npm pack made no archive')] = readdirSync(destination)
  return hashOf(join(destination, archive))
}

describe('two builds of the same sources', { timeout: 1_800_000 }, () => {
  const copies = [
    { copy: join(folder, 'one'), env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' } },
    {
      copy: join(folder, 'another place', 'öther'),
      env: { ...process.env, TZ: 'Asia/Tokyo', LC_ALL: 'C.UTF-8' },
    },
  ] as const

  before(() => {
    for (const { copy, env } of copies) {
      copyTo(copy)
      execFileSync('npm', ['run', '--silent', 'build'], { cwd: copy, env, stdio: 'inherit' })
    }
  })

  it('have the same files', () => {
    const [one, other] = copies.map(({ copy }) => filesIn(join(copy, 'dist')))
    assert.ok(Object.keys(one ?? {}).length > 50)
    assert.deepEqual(one, other)
  })

  for (const part of ['.', 'create-propylon']) {
    it(`are packed to the same bytes (${part})`, () => {
      const [one, other] = copies.map(({ copy, env }) => pack(join(copy, part), env))
      assert.equal(one, other)
    })
  }
})
