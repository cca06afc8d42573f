/**
 * Checks that a tag is the version of the packages. The release workflow runs it before it packs them.
 *
 *     node scripts/release-tag.ts v0.4.0
 */
import { readFileSync } from 'node:fs'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(new URL(`../${folder}package.json`, import.meta.url), 'utf8'))
}

const [tag = ''] = process.argv.slice(2)
const version = tag.replace(/^v/, '')
const starter = manifestOf('create-propylon/')
const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8')
const found = {
  'package.json': manifestOf('').version,
  'create-propylon/package.json': starter.version,
  'the dependency propylon of create-propylon/package.json': starter.dependencies.propylon,
  'the first heading of CHANGELOG.md': /^## (\S+)/m.exec(changelog)?.[1],
}
const wrong = Object.entries(found).filter(([, other]) => tag !== `v${other}`)
for (const [where, other] of wrong) {
  console.error(
    `The tag is ${tag || 'missing'}, but ${where} has ${other}. Write ${version || 'the version'} there, or push another tag.`,
  )
}
if (wrong.length > 0) process.exitCode = 1
