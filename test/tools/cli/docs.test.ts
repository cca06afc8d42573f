import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { PACKAGE, propylonHere, temporaryFolder } from './command-line.ts'

const cwd = temporaryFolder()
const docs = (...words: string[]) => propylonHere(['docs', ...words], cwd)
const page = (path: string) => readFileSync(join(PACKAGE, 'docs', `${path}.md`), 'utf8')

describe('propylon docs', () => {
  test('lists all pages, the guides first and in their order', async () => {
    const { status, stdout, stderr } = await docs()
    assert.deepEqual([status, stderr], [0, ''])
    const names = [...stdout.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name = '']) => name)
    assert.equal(
      names.length,
      globSync('**/*.md', { cwd: join(PACKAGE, 'docs'), exclude: ['site/**'] }).length,
    )
    assert.equal(new Set(names).size, names.length)
    assert.match(stdout, /^Guides:\n/)
    const order: string[] = JSON.parse(readFileSync(join(PACKAGE, 'docs/guides/order.json'), 'utf8'))
    const guides = order.filter((name) => existsSync(join(PACKAGE, 'docs/guides', `${name}.md`)))
    assert.ok(guides.length > 0)
    assert.deepEqual(names.slice(0, guides.length), guides)
  })

  test('shows a page for each name that it lists', async () => {
    const { stdout } = await docs()
    for (const [, name = '', title = ''] of stdout.matchAll(/^ {2}(\S+) {2,}(\S.*)$/gm)) {
      const shown = await docs(name)
      assert.deepEqual([shown.status, shown.stderr], [0, ''])
      assert.ok(shown.stdout.includes(`# ${title}\n`), name)
    }
  })

  for (const topic of [
    'sessions',
    'Sessions',
    'guides/sessions',
    'docs/guides/sessions.md',
    './docs/guides/sessions.md',
  ]) {
    test(`finds the page for ${topic}`, async () => {
      assert.ok((await docs(topic)).stdout.startsWith(page('guides/sessions').trimEnd()))
    })
  }

  test('has the pages that its help names', async () => {
    const named = /such as (\S+) or ([\w/-]+)/.exec((await docs('--help')).stdout)?.slice(1) ?? []
    assert.equal(named.length, 2)
    for (const name of named) assert.equal((await docs(name)).status, 0, name)
  })

  test('leaves out comments of a page', async () => {
    const { stdout } = await docs('xmlrpc')
    assert.ok(page('reference/xmlrpc').includes('<!--'))
    assert.doesNotMatch(stdout, /<!--|-->/)
    assert.match(stdout, /```ts fragment\nstatic override publicNames/)
  })

  test('finds a decision by its number', async () => {
    assert.equal((await docs('007')).stdout, page('decisions/007-no-build-step'))
  })

  for (const topic of ['E_ROUTE_UNKNOWN', 'e_route_unknown']) {
    test(`shows the section of the code ${topic}`, async () => {
      const { status, stdout } = await docs(topic)
      assert.equal(status, 0)
      assert.match(stdout, /^### E_ROUTE_UNKNOWN\n\n.*\n$/)
    })
  }

  for (const [topic, because] of [
    ['sesions', "the documentation has no page 'sesions'; did you mean 'propylon docs sessions'?"],
    ['', "the documentation has no page ''; 'propylon docs' lists the pages"],
    ['../package.json', "the documentation has no page '../package.json'; 'propylon docs' lists the pages"],
    ['zz\nzz', "the documentation has no page 'zz\\u000azz'; 'propylon docs' lists the pages"],
  ] as const) {
    test(`refuses ${JSON.stringify(topic)}`, async () => {
      assert.deepEqual(await docs(topic), { status: 2, stdout: '', stderr: `propylon: ${because}\n` })
    })
  }

  test('names pages that contain an unknown topic', async () => {
    const { status, stderr } = await docs('SCRIPT_NAME')
    assert.equal(status, 2)
    assert.match(stderr, /no page 'SCRIPT_NAME'; it is mentioned in \w+/)
  })
})
