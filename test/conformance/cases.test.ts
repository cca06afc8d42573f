import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from './cases.ts'

test('cases have problems: failures without a reason, reasons without a failure, and names that occur twice', async () => {
  const cases = [
    { name: 'passes', input: '200', allowed: ['200'] },
    { name: 'fails', input: '500', allowed: ['200', '204'] },
    { name: 'fails for a reason', input: '500', allowed: ['200'], reason: 'It is known.' },
    { name: 'passes in spite of a reason', input: '200', allowed: ['200'], reason: 'It was known.' },
    { name: 'passes', input: '200', allowed: ['200'] },
  ]
  assert.deepEqual(await problemsOf(cases, (input) => input), [
    'fails: expected 200 or 204, found 500',
    'passes in spite of a reason: passes, but has the reason It was known.',
    'passes: a second case of this name',
  ])
})
