import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

const MODULE = JSON.stringify(new URL('../../scripts/testing/run.ts', import.meta.url).href)
const folder = mkdtempSync(join(tmpdir(), 'propylon-run-'))
after(() => rmSync(folder, { recursive: true }))

/** Runs test files with some text after the import of node:test, by name. */
function run(
  files: Readonly<Record<string, string>>,
  timeout = 600_000,
  options: readonly string[] = ['--test-reporter=spec'],
  variables: NodeJS.ProcessEnv = {},
): { status: number | null; output: string } {
  const paths = Object.entries(files).map(([name, code]) => {
    const path = join(folder, `${name}.test.ts`)
    writeFileSync(path, `import { after, before, beforeEach, describe, test } from 'node:test'\n${code}\n`)
    return path
  })
  const script = `import { runFiles } from ${MODULE}
    process.exitCode = await runFiles(${JSON.stringify(paths)}, ${JSON.stringify(options)}, ${timeout})`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', PROPYLON_TEST_FAILED: undefined, ...variables },
  })
  return { status, output: stdout + stderr }
}

describe('npm test', () => {
  it('runs the tests of all files, with their hooks for themselves', () => {
    const hooks = `
      let calls = 0
      before(() => { calls += 1 })
      beforeEach(() => { calls += 1 })
      test('counts', () => { if (calls !== 2) throw new Error(String(calls)) })`
    const { status, output } = run({ first: hooks, second: hooks, third: hooks, fourth: hooks, fifth: hooks })
    assert.equal(status, 0, output)
    // A process that finds no file left counts as a test.
    assert.equal(output.match(/✔ counts/g)?.length, 5)
    assert.match(output, /fail 0\n/)
  })

  it('names the file and the test that fail', () => {
    const { status, output } = run({
      right: `test('passes', () => {})`,
      wrong: `describe('a suite', () => { test('is wrong', () => { throw new Error('boo') }) })`,
    })
    assert.equal(status, 1)
    assert.match(output, /wrong\.test\.ts:2:\d+\n✖ is wrong/)
    assert.match(output, /fail 1\n/)
  })

  it('gives properties the same input in each run, unless PROPYLON_TEST_SEED is another', () => {
    const code = `import fc from ${JSON.stringify(import.meta.resolve('fast-check'))}
      test('prints', () => console.log('sample', ...fc.sample(fc.nat(), 3)))`
    const samples = [undefined, '1', '2', '2'].map((seed) => {
      const { output } = run({ property: code }, undefined, undefined, { PROPYLON_TEST_SEED: seed })
      return /sample [\d ]+/.exec(output)?.[0]
    })
    const [first, second, third, fourth] = samples
    assert.ok(first !== undefined && third !== undefined)
    assert.deepEqual([second, fourth], [first, third])
    assert.notEqual(third, first)
  })

  it('refuses a PROPYLON_TEST_SEED that is no number', () => {
    const { status, output } = run({ one: `test('passes', () => {})` }, undefined, undefined, {
      PROPYLON_TEST_SEED: 'x',
    })
    assert.equal(status, 1)
    assert.match(output, /PROPYLON_TEST_SEED is "x"\. Give a number of up to nine digits\./)
  })

  it('fails for a file that does not load, and runs the others', () => {
    const { status, output } = run({
      missing: `import './no-such-module.ts'`,
      one: `test('passes', () => {})`,
      two: `test('passes', () => {})`,
    })
    assert.equal(status, 1)
    assert.match(output, /✖ \S+missing\.test\.ts[\s\S]*no-such-module/)
    assert.equal(output.match(/✔ passes/g)?.length, 2)
  })

  it('fails for a file that ends its process, and names it', () => {
    const ends: readonly [string, string][] = [
      ['exits', 'process.exit(0)'],
      ['killed', `process.kill(process.pid, 'SIGKILL')`],
    ]
    for (const [name, code] of ends) {
      const { status, output } = run({ [name]: `test('ends', () => { ${code} })` })
      assert.equal(status, 1, output)
      assert.match(output, new RegExp(`✖ \\S+${name}\\.test\\.ts: the process ended during this file`))
    }
  })

  it('goes on if the mark of a process is removed while it is read', () => {
    // A link to nothing is listed, and cannot be read.
    const { status, output } = run({
      marks: `import { symlinkSync } from 'node:fs'
        import { dirname, join } from 'node:path'
        test('marks', () => symlinkSync('nothing', join(dirname(process.argv[1]), 'running-1')))`,
    })
    assert.equal(status, 0, output)
  })

  it('fails for a test that never ends, and runs the other files', () => {
    const files = { pending: `test('waits', () => new Promise(() => {}))`, later: `test('passes', () => {})` }
    const { status, output } = run(files, 10_000)
    assert.equal(status, 1)
    assert.match(output, /✖ \S+pending\.test\.ts/)
    assert.equal(output.match(/✔ passes/g)?.length, 1)
  })

  it('prints failed tests and a summary, and lists their files for a second run', () => {
    const list = join(folder, 'failed')
    const { output } = run(
      {
        passes: `test('passes', () => {}); test('is for later', { todo: true }, () => { throw new Error('boo') })`,
        fails: `describe('a suite', () => { for (const name of ['a', 'b']) test(name, () => { throw new Error('boo') }) })`,
        missing: `import './no-such-module.ts'`,
        pending: `test('waits', () => new Promise(() => {}))`,
      },
      10_000,
      [],
      { PROPYLON_TEST_FAILED: list },
    )
    const names = ['fails', 'missing', 'pending'].map((name) => join(folder, `${name}.test.ts`))
    assert.deepEqual(readFileSync(list, 'utf8').trim().split('\n').sort(), names)
    assert.match(output, /^✖ \S+fails\.test\.ts: a suite > a: boo$/m)
    assert.match(output, /^✖ \S+fails\.test\.ts: a suite > b \(\S+:2:\d+\)\n {2}Error: boo\n {6}at /m)
    assert.match(output, /^✖ \S+missing\.test\.ts: Cannot find module/m)
    assert.match(output, /^\d+ passed, \d failed, 1 skipped$/m)
    assert.doesNotMatch(output, /passes\.test\.ts: /)
  })
})
