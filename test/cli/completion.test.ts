import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { propylon, temporaryFolder } from './command-line.ts'

const has = (shell: string) => spawnSync(shell, ['--version']).error === undefined

describe('completion', () => {
  const cwd = temporaryFolder()
  for (const shell of ['bash', 'zsh', 'fish']) {
    test(`for ${shell} is a script of that shell that knows the commands and options`, async (t) => {
      const { status, stdout, stderr } = await propylon(['completion', shell], { cwd })
      assert.deepEqual([status, stderr], [0, ''])
      for (const word of ['restcontroller', 'dry-run', 'workers', 'types'])
        assert.ok(stdout.includes(word), word)
      if (!has(shell)) return t.diagnostic(`${shell} is not installed: its syntax was not checked`)
      const { status: syntax, stderr: fault } = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' })
      assert.equal(syntax, 0, fault)
    })
  }

  const typed: [words: string, completed: string[]][] = [
    ['propylon re', ['restcontroller']],
    ['propylon controller --no', ['--no-test']],
    ['propylon completion f', ['fish']],
    ['propylon create --v', ['--version']],
  ]
  for (const [words, completed] of typed) {
    test(`in bash, ${words}<Tab> gives ${completed}`, async () => {
      const { stdout } = await propylon(['completion', 'bash'], { cwd })
      const script = `${stdout}
COMP_WORDS=(${words})
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_propylon
printf '%s\\n' "\${COMPREPLY[@]}"`
      const result = spawnSync('bash', { input: script, encoding: 'utf8' })
      assert.deepEqual(result.stdout.trim().split('\n'), completed)
    })
  }
})
