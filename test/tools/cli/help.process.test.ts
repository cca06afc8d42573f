import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { PACKAGE, temporaryFolder } from './command-line.ts'
import { propylon } from './command-process.ts'

const COMMANDS = [
  'create',
  'controller',
  'restcontroller',
  'migrate',
  'routes',
  'check',
  'serve',
  'run',
  'shell',
  'xmlrpc',
]
const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))

describe('--help', { concurrency: 2 }, () => {
  const cwd = temporaryFolder()
  test('lists all commands', async () => {
    const { status, stdout, stderr } = await propylon(['--help'], { cwd })
    assert.deepEqual([status, stderr], [0, ''])
    for (const command of COMMANDS) assert.match(stdout, new RegExp(`^  ${command} +[A-Z]`, 'm'))
  })
  test('is printed without arguments', async () => {
    const { status, stdout, stderr } = await propylon([], { cwd })
    assert.deepEqual([status, stderr], [0, ''])
    assert.equal(stdout, (await propylon(['--help'], { cwd })).stdout)
  })
  for (const command of COMMANDS) {
    test(`of ${command} shows its usage, its options and an example`, async () => {
      const { status, stdout, stderr } = await propylon([command, '--help'], { cwd })
      assert.deepEqual([status, stderr], [0, ''])
      assert.match(stdout, new RegExp(`Usage:\n  propylon ${command}`))
      assert.match(stdout, /-h, --help +Show this help/)
      assert.match(stdout, new RegExp(`Examples?:\n(  .*\n)*.*propylon ${command}`))
      assert.ok(
        stdout.split('\n').every((line) => line.length <= 110),
        'no line is too long',
      )
    })
  }
  test('precedes errors, and works as help COMMAND', async () => {
    const { stdout } = await propylon(['controller', 'a', 'b', '--zzz', '-h'], { cwd })
    assert.match(stdout, /propylon controller NAME/)
    assert.equal((await propylon(['help', 'controller'], { cwd })).stdout, stdout)
  })
})

describe('--version', { concurrency: 2 }, () => {
  const cwd = temporaryFolder()
  for (const words of [['--version'], ['-v'], ['controller', '--version'], ['serve', '-v']]) {
    test(words.join(' '), async () => {
      assert.deepEqual(await propylon(words, { cwd }), { status: 0, stdout: `${version}\n`, stderr: '' })
    })
  }
})

test('there is no colour without a terminal', async () => {
  const { stdout } = await propylon(['--help'], { cwd: temporaryFolder(), env: { FORCE_COLOR: '1' } })
  assert.equal(stdout, stripVTControlCharacters(stdout))
})
