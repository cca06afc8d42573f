import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asksFor, parse, usage } from '../../src/cli/arguments.ts'
import type { Command } from '../../src/cli/command.ts'
import { Refusal } from '../../src/cli/refusal.ts'

const bake: Command = {
  name: 'bake',
  summary: 'Bake',
  arguments: [
    { name: 'WHAT', summary: 'What' },
    { name: 'WITH', summary: 'With', optional: true },
  ],
  options: {
    'dry-run': { type: 'boolean', short: 'n', summary: 'Only say it' },
    heat: { type: 'string', value: 'DEGREES', summary: 'How hot' },
    oven: { type: 'string', summary: 'Which' },
  },
  examples: ['propylon bake bread'],
  run: () => 0,
}

describe('a command line that fits', () => {
  test('gives arguments, flags and values wherever they stand', () => {
    const invocation = parse(bake, ['--heat', '200', 'bread', '-n', 'butter', '--oven=wood'])
    assert.deepEqual(invocation.arguments, ['bread', 'butter'])
    assert.equal(invocation.flag('dry-run'), true)
    assert.equal(invocation.value('heat'), '200')
    assert.equal(invocation.value('oven'), 'wood')
  })
  test('has no flags and values that were not given', () => {
    const invocation = parse(bake, ['bread'])
    assert.equal(invocation.flag('dry-run'), false)
    assert.equal(invocation.value('heat'), undefined)
  })
  test('takes what follows -- as arguments', () => {
    assert.deepEqual(parse(bake, ['--', '--heat', '-n']).arguments, ['--heat', '-n'])
  })
  test('takes a negative number for an argument', () => {
    assert.deepEqual(parse(bake, ['-5', '-1.5e3']).arguments, ['-5', '-1.5e3'])
  })
  test('may not be asked for an option that the table lacks', () => {
    assert.throws(() => parse(bake, ['bread']).flag('heat'), TypeError)
    assert.throws(() => parse(bake, ['bread']).value('wind'), TypeError)
  })
})

describe('a command line that does not fit is refused', () => {
  const table: [words: string[], message: RegExp][] = [
    [[], /takes 1 to 2 arguments, but got 0; write 'propylon bake WHAT \[WITH\] \[options\]'/],
    [['a', 'b', 'c'], /but got 3/],
    [['a', '--haet=1'], /no option '--haet'; did you mean '--heat'\?/],
    [['a', '--zzz'], /no option '--zzz'; see 'propylon bake --help'/],
    [['a', '-x'], /no option '-x'/],
    [['a', '--__proto__'], /no option '--__proto__'/],
    [['a', '--constructor'], /no option '--constructor'/],
    [['a', '--heat'], /'--heat' needs a value; write '--heat=DEGREES'/],
    [['a', '--heat='], /'--heat' needs a value/],
    [['a', '--heat', '--dry-run'], /'--heat' needs a value/],
    [['a', '--dry-run=yes'], /'--dry-run' takes no value, but got 'yes'/],
    [['a', '--new\nline'], /no option '--new\\u000aline'/],
  ]
  for (const [words, message] of table) {
    test(JSON.stringify(words), () => {
      assert.throws(
        () => parse(bake, words),
        (error) => error instanceof Refusal && message.test(error.message),
      )
    })
  }
})

test('help and version are seen wherever they stand before --', () => {
  assert.equal(asksFor('help', ['a', '-h']), true)
  assert.equal(asksFor('help', ['--', '--help']), false)
  assert.equal(asksFor('version', ['--version']), true)
  assert.equal(asksFor('version', ['--help']), false)
})

test('the usage shows what is optional', () =>
  assert.equal(usage(bake), 'propylon bake WHAT [WITH] [options]'))
