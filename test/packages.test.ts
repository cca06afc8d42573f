import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { rowsBelow } from './docs/security-tables.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly allowScripts?: Readonly<Record<string, boolean>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly engines?: { readonly node?: string }
}

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  /** Whether it is a workspace. */
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly optional?: boolean
  readonly engines?: { readonly node?: string }
}

/** Returns whether a range of versions, as packages write them for Node, includes Node 22.18, the oldest that is supported. */
function includesOldestNode(range: string): boolean {
  return range.split('||').some((part) => {
    const [, operator = '', major = '', minor = '0'] = /^\s*(>=|\^|)\s*v?(\d+|\*)(?:\.(\d+))?/.exec(part) ?? []
    if (major === '*' || (operator === '>=' && Number(major) < 22)) return true
    return major === '22' && Number(minor) <= 18
  })
}

const manifestOf = (path: string): Manifest => JSON.parse(read(path))
const lockedIn = (path: string): [name: string, locked: LockedPackage][] => {
  const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(read(path))
  return Object.entries(packages)
    .filter(([place, { link }]) => place.includes('node_modules/') && link !== true)
    .map(([place, locked]) => [place.replace(/^.*node_modules\//, ''), locked])
}

const manifest = manifestOf('package.json')
const manifests = globSync('{.,bench,create-propylon,docs/site,test/**}/package.json', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/.*/**'],
})
const lockFiles = manifests
  .map((path) => path.replace(/package\.json$/, 'package-lock.json'))
  .filter((path) => existsSync(join(root, path)))
const locked = lockedIn('package-lock.json')

describe('packages', () => {
  for (const path of manifests) {
    it(`are pinned in ${path}`, () => {
      const { dependencies, devDependencies } = manifestOf(path)
      const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
        ([, version]) => !/^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
      )
      assert.deepEqual(loose, [], 'state exact versions')
    })
  }

  for (const path of lockFiles) {
    it(`have the hashes of their contents in ${path}`, () => {
      const packages = lockedIn(path)
      assert.ok(packages.length > 0)
      assert.deepEqual(
        packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([name]) => name),
        [],
      )
    })
  }

  it('install on Node 22.18 without a warning about engines', () => {
    const needed = locked.filter(([, { optional }]) => !optional)
    assert.ok(needed.length > 100)
    assert.deepEqual(
      needed.filter(([, { engines }]) => !includesOldestNode(engines?.node ?? '*')).map(([name]) => name),
      [],
    )
    for (const path of [
      'package.json',
      'create-propylon/package.json',
      'src/tools/cli/templates/project/_package.json',
    ])
      assert.equal(manifestOf(path).engines?.node, '>=22.18', path)
  })

  it('of applications are those that package.json names, and have none of their own', () => {
    const runtime = locked.filter(([, { dev, devOptional }]) => !dev && !devOptional).map(([name]) => name)
    assert.deepEqual(runtime.sort(), Object.keys(manifest.dependencies ?? {}).sort())
  })

  it('of applications have no install scripts', () => {
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
    assert.deepEqual(
      scripts.filter(([, { dev }]) => !dev),
      [],
    )
    assert.deepEqual(
      scripts.map(([name]) => name),
      Object.keys(manifest.allowScripts ?? {}),
    )
  })

  for (const path of ['package.json', 'create-propylon/package.json']) {
    it(`run nothing when an application installs ${path}`, () => {
      const names = Object.keys(manifestOf(path).scripts ?? {})
      assert.deepEqual(
        names.filter((name) => /^(?:(?:pre|post)?install|prepare)$/.test(name)),
        [],
      )
    })
  }
})

describe('docs/dependencies.md', () => {
  const page = read('docs/dependencies.md')
  const rows = (heading: string) =>
    rowsBelow(page, heading).flatMap(([packages = '', ...reasons]) =>
      [...packages.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ name, reasons })),
    )
  const names = (heading: string) => new Set(rows(heading).map(({ name }) => name))

  it('has each runtime dependency with its reasons, and no other', () => {
    assert.deepEqual(names('Runtime'), new Set(Object.keys(manifest.dependencies ?? {})))
    assert.deepEqual(
      rows('Runtime').filter(({ reasons }) => reasons.length !== 2 || reasons.includes('')),
      [],
    )
  })

  it('has each optional peer, and no other', () => {
    assert.deepEqual(names('Optional peers'), new Set(Object.keys(manifest.peerDependencies ?? {})))
  })

  it('has each package of development, and no other', () => {
    const present = Object.keys(manifest.devDependencies ?? {})
    const described = new Set([...names('Development'), ...names('Optional peers')])
    const isDescribed = (name: string) => described.has(name) || name.startsWith('@types/')
    assert.deepEqual(
      present.filter((name) => !isDescribed(name)),
      [],
    )
    const others = [...names('Development')].filter((name) => !present.includes(name))
    assert.deepEqual(others, ['@types/*'])
  })
})
