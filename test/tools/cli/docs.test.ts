import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { PACKAGE, propylonHere, propylonInTerminal, temporaryFolder } from './command-line.ts'

const cwd = temporaryFolder()
const docs = (...words: string[]) => propylonHere(['docs', ...words], cwd)
const page = (path: string) => readFileSync(join(PACKAGE, 'docs', `${path}.md`), 'utf8')

/** Pages outside of `docs/`. */
const OUTSIDE = [
  ['changelog', 'CHANGELOG'],
  ['examples', 'examples/README'],
  ['architecture', 'ARCHITECTURE'],
  ['contributing', 'CONTRIBUTING'],
  ['project/security', 'SECURITY'],
] as const

describe('propylon docs', () => {
  for (const [topic, path] of OUTSIDE) {
    test(`shows ${path}.md for ${topic}`, async () => {
      const text = readFileSync(join(PACKAGE, `${path}.md`), 'utf8')
      assert.ok((await docs(topic)).stdout.startsWith(text.split('\n', 1)[0] ?? assert.fail()))
    })
  }

  test('lists all pages, the guides first and in their order', async () => {
    const { status, stdout, stderr } = await docs()
    assert.deepEqual([status, stderr], [0, ''])
    const names = [...stdout.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name = '']) => name)
    const inDocs = globSync('**/*.md', { cwd: join(PACKAGE, 'docs'), exclude: ['site/**'] })
    assert.equal(names.length, inDocs.length + OUTSIDE.length)
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

  for (const [topic, first] of [
    ['jwt', 'authorization +Authorization +JWT'],
    ['pagination', 'paginate +Pages of lists'],
    ['getting started', 'ten-minutes +Ten minutes'],
    ['log in', 'sessions +Sessions +Sign in and out'],
    ['SCRIPT_NAME', 'gateway +The gateway +The call and the environ'],
    ['download file name', 'files +Files and static assets +Generate a file for download'],
    ['upload file', 'forms +Forms and uploads +Uploads'],
    ['304 etag last-modified', 'responses +Responses +Answer with 304 when nothing has changed'],
    ['cors', 'reference/middleware +Middleware +cors\\(options\\)'],
    ['restrict method', 'decorators +Decorators for actions +restrict'],
    ['json-rpc service', 'rpc +Services +One class, every face'],
    ['model context protocol tool', 'mcp +Tools for language models +.+'],
    // The title of the page has no “of a”.
    ['pages of a list', 'paginate +Pages of lists +.+'],
    // The page lacks the word “count”.
    ['session count visits', 'sessions +Sessions +Turn sessions on'],
  ] as const) {
    test(`finds pages by their text: ${topic}`, async () => {
      const { status, stdout } = await docs(...topic.split(' '))
      assert.equal(status, 0)
      assert.match(stdout, new RegExp(`^Found in:\n  ${first}\n`))
      assert.ok(stdout.split('\n').length <= 15)
      assert.match(stdout, /\n\n'propylon docs TOPIC' shows a page\.\n$/)
    })
  }

  test('each page with keywords exists', () => {
    const keywords = JSON.parse(readFileSync(join(PACKAGE, 'docs/keywords.json'), 'utf8'))
    for (const path of Object.keys(keywords)) assert.ok(existsSync(join(PACKAGE, 'docs', `${path}.md`)), path)
  })
})

describe('propylon docs in a terminal', () => {
  const HEADING = '\u001b[2m# \u001b[22m\u001b[1mConcepts\u001b[22m\n'

  const inTerminal = (topic: string, env: Readonly<Record<string, string>>) =>
    propylonInTerminal(
      ['docs', topic],
      cwd,
      { PATH: process.env.PATH ?? '', ...env },
      { columns: 72, rows: 20 },
    )

  test('shows Markdown in colours and within the width', async () => {
    const output = await inTerminal('concepts', { PAGER: '' })
    assert.ok(output.startsWith(HEADING))
    const lines = stripVTControlCharacters(output).split('\n')
    assert.deepEqual(
      lines.filter((line) => line.length > 72 && !line.startsWith('  ')),
      [],
    )
  })

  test('shows the Markdown as it is written with NO_COLOR', async () => {
    const output = await inTerminal('concepts', { PAGER: '', NO_COLOR: '1' })
    assert.ok(
      output.startsWith(page('guides/concepts').split('\n\n## Next')[0]?.slice(0, 200) ?? assert.fail()),
    )
  })

  test('passes a long page to PAGER', async () => {
    const file = join(cwd, 'paged')
    assert.equal(await inTerminal('concepts', { PAGER: `cat > '${file}'` }), '')
    assert.ok(readFileSync(file, 'utf8').startsWith(HEADING))
  })

  test('passes a short page to no pager', async () => {
    assert.match(await inTerminal('E_ROUTE_UNKNOWN', { PAGER: 'false' }), /E_ROUTE_UNKNOWN/)
  })

  test('prints the page if there is no such pager', async () => {
    assert.match(await inTerminal('concepts', { PAGER: 'missing-pager 2>&-' }), /Concepts/)
  })
})
