import assert from 'node:assert/strict'
import { chmodSync, readFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { describe, test } from 'node:test'
import { createPropylon } from 'propylon/create'
import { type Outcome, PACKAGE, temporaryFolder, tree, writeTree } from './command-line.ts'
import { propylon } from './command-process.ts'

interface Typing {
  readonly cwd: string
  /** Lines that are typed. Without them there is no terminal. */
  readonly lines?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

async function npmCreate(words: readonly string[], { cwd, lines, env }: Typing): Promise<Outcome> {
  const written = { stdout: '', stderr: '' }
  const isTTY = lines !== undefined
  const stream = (name: keyof typeof written) => {
    const write = (text: string, _encoding: string, done: () => void) => {
      written[name] += text
      done()
    }
    return Object.assign(new Writable({ decodeStrings: false, write }), { isTTY })
  }
  const stdin = Object.assign(new PassThrough(), { isTTY })
  stdin.end((lines ?? []).map((line) => `${line}\n`).join(''))
  const status = await createPropylon(words, {
    cwd,
    env: { NO_COLOR: '1', PATH: process.env.PATH ?? '', ...env },
    stdin,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
  })
  return { status, ...written }
}

function dependencies(project: string): string[] {
  return Object.keys(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).dependencies)
}

/** Leaves the questions about git and the installation to other tests. */
const ALONE = ['--no-git', '--no-install']

describe('npm create propylon, answered in a terminal', () => {
  for (const [lines, packages, controllers] of [
    [['shop', 'sqlite', 'yes', ''], ['@valibot/to-json-schema', 'kysely', 'propylon', 'valibot'], ['login']],
    [
      ['shop', 'sqlite', 'yes', 'yes'],
      ['@valibot/to-json-schema', 'kysely', 'propylon', 'valibot'],
      ['login', 'notes'],
    ],
    [['shop', 'Postgres', 'N', 'y'], ['@valibot/to-json-schema', 'kysely', 'pg', 'propylon', 'valibot'], ['notes']],
    [['shop', 'both', 'n', ''], ['@valibot/to-json-schema', 'kysely', 'pg', 'propylon', 'valibot'], []],
    [['shop', '', ''], ['@valibot/to-json-schema', 'propylon', 'valibot'], []],
    [
      ['  shop ', 'mysql', 'sqlite', 'perhaps', '', ''],
      ['@valibot/to-json-schema', 'kysely', 'propylon', 'valibot'],
      [],
    ],
    [['', 'none', 'no'], ['@valibot/to-json-schema', 'propylon', 'valibot'], []],
  ] as const) {
    test(`creates what ${JSON.stringify(lines)} choose`, async () => {
      const cwd = temporaryFolder()
      const { status, stdout } = await npmCreate(ALONE, { cwd, lines })
      assert.equal(status, 0)
      const project = join(cwd, lines[0].trim() || 'my-site')
      assert.deepEqual(dependencies(project), packages)
      const files = tree(project)
      assert.deepEqual(
        ['login', 'notes'].filter((name) => files.includes(`controllers/${name}.ts`)),
        controllers,
      )
      assert.match(stdout, new RegExp(`Next:\n {2}cd ${basename(project)}\n(?: {2}#.*\n)? {2}npm install\n`))
    })
  }

  test('repeats a question whose answer is refused, and says why', async () => {
    const cwd = temporaryFolder()
    writeTree(cwd, { 'full/file.txt': '' })
    const { stdout, stderr } = await npmCreate(ALONE, {
      cwd,
      lines: ['full', 'new', 'oracle', 'sqlite', 'x', 'n', ''],
    })
    assert.equal(stdout.match(/Folder of the project/g)?.length, 2)
    assert.deepEqual(stderr.split('\n'), [
      "the folder 'full' is not empty; choose a new or an empty one",
      "--database is 'oracle'; write 'sqlite' or 'postgres', or 'none'",
      "this is neither yes nor no; write 'yes' or 'no'",
      '',
    ])
  })

  for (const [words, questions] of [
    [['shop'], ['Database', 'Users', 'An']],
    [['shop', '--example'], []],
    [['shop', '--database', 'sqlite'], []],
    [['shop', '--database', 'none'], []],
    [['--login'], ['Folder']],
    [['shop', '--worker'], []],
  ] as const) {
    test(`asks ${words.join(' ')} for ${questions.join(', ') || 'nothing'}`, async () => {
      const lines = questions.map(
        (question) => ({ Folder: 'shop', Database: 'sqlite', Users: 'no', An: 'no' })[question],
      )
      const cwd = temporaryFolder()
      const { status, stdout } = await npmCreate([...words, ...ALONE], { cwd, lines })
      assert.equal(status, 0)
      assert.deepEqual(
        stdout.match(/Folder of|Database:|Users who|An example/g)?.map((text) => text.match(/\w+/)?.[0]) ?? [],
        questions,
      )
      assert.ok(tree(cwd).includes('shop/app.ts'))
    })
  }

  test('makes a git repository and installs the dependencies, unless the answer or an option is no', async () => {
    const bin = temporaryFolder()
    writeTree(bin, { npm: '#!/bin/sh\n: > installed\n' })
    chmodSync(join(bin, 'npm'), 0o755)
    const env = { PATH: [bin, process.env.PATH].join(delimiter) }
    for (const [options, lines, written] of [
      [[], ['', ''], ['.git/HEAD', 'installed']],
      [[], ['n', 'y'], ['installed']],
      [['--no-install'], ['yes'], ['.git/HEAD']],
      [ALONE, [], []],
    ] as const) {
      const cwd = temporaryFolder()
      const words = ['shop', '--database', 'none', ...options]
      const { status, stdout } = await npmCreate(words, { cwd, lines, env })
      assert.equal(status, 0)
      assert.equal(stdout.includes('  npm install\n'), !written.some((path) => path === 'installed'))
      const files = tree(join(cwd, 'shop'))
      assert.deepEqual(
        ['.git/HEAD', 'installed'].filter((path) => files.includes(path)),
        written,
      )
    }
  })

  test('says when the installation has failed', async () => {
    const bin = temporaryFolder()
    writeTree(bin, { npm: '#!/bin/sh\nexit 1\n' })
    chmodSync(join(bin, 'npm'), 0o755)
    const cwd = temporaryFolder()
    const words = ['shop', '--database', 'none', '--no-git']
    const { status, stdout, stderr } = await npmCreate(words, { cwd, lines: ['y'], env: { PATH: bin } })
    assert.deepEqual([status, stderr], [0, "'npm install' failed: run it yourself\n"])
    assert.match(stdout, / {2}npm install\n/)
  })

  test('asks for no repository inside of another one', async () => {
    const cwd = temporaryFolder()
    const words = ['--database', 'none', '--no-install']
    await npmCreate(['site', ...words], { cwd, lines: ['y'] })
    const { stdout } = await npmCreate(['site/inner', ...words], { cwd, lines: [] })
    assert.doesNotMatch(stdout, /repository/)
  })

  test('writes nothing when the input ends', async () => {
    const cwd = temporaryFolder()
    const { status, stderr } = await npmCreate([], { cwd, lines: ['shop', 'sqlite'] })
    assert.deepEqual([status, stderr], [1, 'propylon: cancelled: nothing was created\n'])
    assert.deepEqual(tree(cwd), [])
  })
})

describe('npm create propylon without a terminal', () => {
  test('creates the same files as propylon create', async () => {
    const cwd = temporaryFolder()
    const words = ['--database', 'postgres', '--login', '--dry-run']
    const here = await npmCreate(['shop', ...words], { cwd })
    assert.deepEqual(here, await propylon(['create', 'shop', ...words], { cwd }))
  })

  for (const [agent, steps] of [
    ['npm/11.0.0 node/v24.0.0', ['npm install', 'npx propylon migrate', 'npm test', 'npm run dev']],
    ['pnpm/10.0.0 npm/? node/v24.0.0', ['pnpm install', 'pnpm exec propylon migrate', 'pnpm test', 'pnpm dev']],
    ['yarn/1.22.0 npm/? node/v24.0.0', ['yarn install', 'yarn propylon migrate', 'yarn test', 'yarn dev']],
    ['yarn/4.9.0 npm/? node/v24.0.0', ['yarn install', 'yarn propylon migrate', 'yarn test', 'yarn dev']],
    ['bun/1.3.0 npm/? node/v24.0.0', ['bun install', 'bunx propylon migrate', 'bun run test', 'bun run dev']],
  ] as const) {
    test(`prints the next steps for ${agent}`, async () => {
      const cwd = temporaryFolder()
      const env = { npm_config_user_agent: agent }
      const { stdout } = await npmCreate(['shop', '--database', 'sqlite'], { cwd, env })
      const [, next = ''] = stdout.split('Next:\n')
      assert.deepEqual(next.trim().split(/\n */), ['cd shop', ...steps])
      assert.equal(tree(cwd).includes('shop/.yarnrc.yml'), agent.startsWith('yarn/4'))
      assert.equal(tree(cwd).includes('shop/pnpm-workspace.yaml'), agent.startsWith('pnpm'))
    })
  }

  for (const [words, because] of [
    [[], "the project has no folder; write 'npm create propylon my-site'"],
    [
      ['a', 'b'],
      "'npm create propylon' takes at most 1 argument, but got 2; write 'npm create propylon [DIR] [-- options]'",
    ],
    [['shop', '--datbase', 'sqlite'], "'npm create propylon' has no option '--datbase'; did you mean '--database'?"],
    [['shop', '--database', 'mysql'], "--database is 'mysql'; write 'sqlite' or 'postgres', or 'none'"],
    [['shop', '--login', '--database', 'none'], "--login needs a database; omit '--database none'"],
    [[''], "the folder has no name; write one like 'propylon create my-site'"],
  ] as const) {
    test(`refuses ${JSON.stringify(words)}`, async () => {
      const cwd = temporaryFolder()
      assert.deepEqual(await npmCreate(words, { cwd }), {
        status: 2,
        stdout: '',
        stderr: `propylon: ${because}\n`,
      })
      assert.deepEqual(tree(cwd), [])
    })
  }

  for (const [name, value] of [
    ['login', 'true'],
    ['database', 'sqlite'],
    ['example', 'true'],
    ['dry_run', 'true'],
  ] as const) {
    test(`refuses an option that npm has taken: ${name}`, async () => {
      const cwd = temporaryFolder()
      const option = name.replace('_', '-')
      // What npm does for: npm create propylon shop --database sqlite
      const words = value === 'true' ? ['shop'] : ['shop', value]
      const { status, stderr } = await npmCreate(words, { cwd, env: { [`npm_config_${name}`]: value } })
      assert.equal(
        stderr,
        `propylon: npm has taken --${option} for an option of its own; write '--' before the options: npm create propylon@latest my-site -- --${option}\n`,
      )
      assert.equal(status, 2)
      assert.deepEqual(tree(cwd), [])
    })
  }

  test('explains itself and names its version', async () => {
    const cwd = temporaryFolder()
    const help = await npmCreate(['--help'], { cwd })
    assert.match(help.stdout, /^ {2}npm create propylon \[DIR\] \[-- options\]$/m)
    const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
    assert.equal((await npmCreate(['-v'], { cwd })).stdout, `${version}\n`)
  })
})

test('create-propylon has the version of propylon, and depends on nothing else', () => {
  const read = (path: string) => JSON.parse(readFileSync(join(PACKAGE, path), 'utf8'))
  const { version } = read('package.json')
  const create = read('create-propylon/package.json')
  assert.deepEqual([create.version, create.dependencies], [version, { propylon: version }])
})
