import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hasOption, parse, usage } from '../../src/cli/arguments.ts'
import type { Command } from '../../src/cli/command.ts'
import { UsageError } from '../../src/cli/errors.ts'

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

describe('a valid command line', () => {
  test('has arguments, flags and values in any order', () => {
    const parsed = parse(bake, ['--heat', '200', 'bread', '-n', 'butter', '--oven=wood'])
    assert.deepEqual(parsed.arguments, ['bread', 'butter'])
    assert.equal(parsed.flag('dry-run'), true)
    assert.equal(parsed.value('heat'), '200')
    assert.equal(parsed.value('oven'), 'wood')
  })
  test('has only the given flags and values', () => {
    const parsed = parse(bake, ['bread'])
    assert.equal(parsed.flag('dry-run'), false)
    assert.equal(parsed.value('heat'), undefined)
  })
  test('takes words after -- as arguments', () => {
    assert.deepEqual(parse(bake, ['--', '--heat', '-n']).arguments, ['--heat', '-n'])
  })
  test('takes a negative number as an argument', () => {
    assert.deepEqual(parse(bake, ['-5', '-1.5e3']).arguments, ['-5', '-1.5e3'])
  })
  test('throws for an option that is not declared', () => {
    assert.throws(() => parse(bake, ['bread']).flag('heat'), TypeError)
    assert.throws(() => parse(bake, ['bread']).value('wind'), TypeError)
  })
})

describe('an invalid command line is refused', () => {
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
        (error) => error instanceof UsageError && message.test(error.message),
      )
    })
  }
})

test('help and version are found anywhere before --', () => {
  assert.equal(hasOption('help', ['a', '-h']), true)
  assert.equal(hasOption('help', ['--', '--help']), false)
  assert.equal(hasOption('version', ['--version']), true)
  assert.equal(hasOption('version', ['--help']), false)
})

test('the usage marks optional arguments', () =>
  assert.equal(usage(bake), 'propylon bake WHAT [WITH] [options]'))
