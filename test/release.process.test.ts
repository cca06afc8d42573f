/** Checks that a release is consistent: one version in all files, and workflows that run pinned actions with few permissions. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parse } from 'yaml'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const { version }: { version: string } = JSON.parse(read('package.json'))

describe('the version', () => {
  it('is a version of semver', () => assert.match(version, /^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/))

  for (const [where, found] of [
    ['package-lock.json', JSON.parse(read('package-lock.json')).version],
    ['package-lock.json, the package', JSON.parse(read('package-lock.json')).packages[''].version],
    ['create-propylon/package.json', JSON.parse(read('create-propylon/package.json')).version],
    ['the dependency of create-propylon', JSON.parse(read('create-propylon/package.json')).dependencies.propylon],
    ['the first heading of CHANGELOG.md', /^## (\S+) - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))?.[1]],
    ['the form for bugs', /propylon (\d\S*),/.exec(read('.github/ISSUE_TEMPLATE/bug.yml'))?.[1]],
  ]) {
    it(`is the same in ${where}`, () => assert.equal(found, version))
  }
})

it('has one address of the sources and of the site', () => {
  const { homepage, repository } = JSON.parse(read('package.json'))
  const starter = JSON.parse(read('create-propylon/package.json'))
  assert.deepEqual([starter.homepage, starter.repository], [homepage, repository])
  for (const page of ['README.md', 'SECURITY.md', 'CONTRIBUTING.md']) {
    assert.equal(read(page).includes(new URL(homepage).host), false, `${page} does not repeat the address`)
  }
})

describe('scripts/release-tag.ts', () => {
  for (const [tag, status] of [
    // Changes that are listed as unreleased are not in the version.
    [`v${version}`, /^## Unreleased$/m.test(read('CHANGELOG.md')) ? 1 : 0],
    [version, 1],
    ['v0.0.9', 1],
    ['', 1],
  ] as const) {
    it(`exits with ${status} for the tag ${JSON.stringify(tag)}`, () => {
      const script = new URL('../scripts/release-tag.ts', import.meta.url).pathname
      const { status: actual, stderr } = spawnSync(process.execPath, [script, tag], { encoding: 'utf8' })
      assert.equal(actual, status, stderr)
      if (status === 1)
        assert.match(stderr, /The tag is .*, but (package\.json|the first heading of CHANGELOG\.md) has \w/)
    })
  }
})

interface Workflow {
  readonly permissions?: Permissions
  readonly jobs: Readonly<Record<string, Job>>
}

interface Job {
  readonly permissions?: Permissions
  readonly uses?: string
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[]
}

type Permissions = Readonly<Record<string, string>>

const workflows = readdirSync(new URL('../.github/workflows/', import.meta.url)).map((name) => {
  const text = read(`.github/workflows/${name}`)
  const workflow: Workflow = parse(text)
  return { name, text, workflow }
})

describe('the workflows', () => {
  for (const { name, text, workflow } of workflows) {
    it(`${name} pins each action by its commit, and names its version`, () => {
      const uses = text.match(/\buses: .*/g) ?? []
      assert.ok(uses.length > 0)
      for (const use of uses) {
        assert.match(use, /^uses: (\.\/\.github\/workflows\/\w+\.yml$|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/)
      }
    })

    it(`${name} grants jobs no more than reading, unless they publish`, () => {
      assert.ok(workflow.permissions !== undefined)
      for (const [job, own] of Object.entries(workflow.jobs)) {
        const allowed = name === 'release.yml' && job === 'publish' ? { 'id-token': 'write' } : { contents: 'read' }
        assert.deepEqual(own.permissions ?? workflow.permissions, allowed, job)
      }
    })

    it(`${name} has no secrets and no cache`, () => {
      assert.doesNotMatch(text, /secrets\.|NODE_AUTH_TOKEN|^\s*cache:/m)
      assert.equal(text.match(/setup-node@/g)?.length, text.match(/package-manager-cache: false/g)?.length)
    })

    it(`${name} has no expression in a command, which a name could inject code into`, () => {
      for (const { steps = [] } of Object.values(workflow.jobs)) {
        for (const { run = '' } of steps) assert.doesNotMatch(run, /\$\{\{/)
      }
    })
  }

  it('publish with provenance only after the checks, without code of the repository', () => {
    const { jobs } = parse(read('.github/workflows/release.yml'))
    assert.equal(jobs.check.uses, './.github/workflows/ci.yml')
    assert.deepEqual([jobs.pack.needs, jobs.publish.needs], ['check', 'pack'])
    const commands = jobs.publish.steps.map(({ run = '' }) => run).join('\n')
    assert.equal(commands.match(/npm publish .*--provenance/g)?.length, 2)
    assert.doesNotMatch(commands, /npm (ci|install|run)|node /)
  })

  it('publish for tags only', () => {
    assert.deepEqual(parse(read('.github/workflows/release.yml')).on, { push: { tags: ['v*'] } })
  })
})
