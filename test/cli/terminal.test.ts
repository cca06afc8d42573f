import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { columns, hasColour, paintFor } from '../../src/cli/terminal.ts'

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
      const stream = { isTTY }
      assert.equal(hasColour(stream, env), colour)
      assert.equal(paintFor(stream, env)('bold', 'x') !== 'x', colour)
    })
  }
})

test('columns are as wide as what is seen', () => {
  assert.deepEqual(
    columns([
      ['\u001b[1ma\u001b[22m', 'x'],
      ['bbb', 'y'],
      ['c', ''],
    ]),
    ['\u001b[1ma\u001b[22m    x', 'bbb  y', 'c'],
  )
})
