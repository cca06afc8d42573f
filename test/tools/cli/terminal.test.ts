import assert from 'node:assert/strict'
import { PassThrough, Readable, Writable } from 'node:stream'
import { describe, test } from 'node:test'
import { hasColour } from '../../../src/base/colour.ts'
import { Progress } from '../../../src/base/command-line/progress.ts'
import { columns, type Line, print, styled } from '../../../src/base/command-line/terminal.ts'

describe('colour', () => {
  const table: [isTTY: boolean, env: Record<string, string>, colour: boolean][] = [
    [true, {}, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, {}, false],
    [false, { FORCE_COLOR: '1' }, false],
  ]
  for (const [isTTY, env, colour] of table) {
    test(`${isTTY ? 'on a terminal' : 'in a pipe'} with ${JSON.stringify(env)}: ${colour}`, () => {
      assert.equal(hasColour({ isTTY }, env), colour)
      assert.equal(written([styled('bold', 'x')], { isTTY, env }), colour ? '\u001b[1mx\u001b[22m\n' : 'x\n')
    })
  }
})

describe('text from outside', () => {
  for (const isTTY of [true, false]) {
    test(`is escaped ${isTTY ? 'on a terminal' : 'in a pipe'}, and colours stay`, () => {
      const text = '\x1b[2J\x9b31m\u202e'
      const shown = '\\u001b[2J\\u009b31m\\u202e'
      const name = isTTY ? '\x1b[31mname\x1b[39m' : 'name'
      assert.equal(written([text, [styled('red', 'name'), text]], { isTTY }), `${shown}\n${name}${shown}\n`)
      assert.equal(written([styled('red', text)], { isTTY }), isTTY ? `\x1b[31m${shown}\x1b[39m\n` : `${shown}\n`)
    })
  }
})

test('columns are as wide as the text that is printed', () => {
  const rows = columns([
    [styled('bold', 'a'), 'x'],
    ['\x9b', 'y'],
    ['c', ''],
    ['', styled('cyan', 'z')],
  ])
  assert.equal(written(rows), 'a       x\n\\u009b  y\nc\n        z\n')
})

for (const [isTTY, text] of [
  [true, 'one\\u009b\r\u001b[K'],
  [false, ''],
] as const) {
  test(`progress is ${isTTY ? 'one line that disappears' : 'not in a file'}`, () => {
    const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
    {
      using _progress = new Progress({ cwd: '', env: {}, stdin: Readable.from([]), stdout: stderr, stderr }, 'one\x9b')
    }
    assert.equal(stderr.read() ?? '', text)
  })
}

/** Returns the output of print(). */
function written(
  lines: readonly Line[],
  { isTTY = false, env = {} }: { isTTY?: boolean; env?: Record<string, string> } = {},
): string {
  let text = ''
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  print({ cwd: '', env, stdin: Readable.from([]), stdout: Object.assign(stdout, { isTTY }), stderr: stdout }, ...lines)
  return text
}
