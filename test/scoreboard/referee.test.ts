import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isLenient, isPassed, judge, problemsOf } from './referee.ts'

const cases = [
  { name: 'passes', input: '200', allowed: ['200'] },
  { name: 'passes leniently', input: '200', allowed: ['400'], lenient: ['200'] },
  { name: 'fails', input: '500', allowed: ['200', '204'] },
  { name: 'fails for a reason', input: '500', allowed: ['200'], reason: 'It is known.' },
  { name: 'passes in spite of a reason', input: '200', allowed: ['200'], reason: 'It was known.' },
  { name: 'passes', input: '200', allowed: ['200'] },
]

describe('verdicts', () => {
  it('count cases that pass, and lenient ones among them', async () => {
    const verdicts = await judge(cases, (input) => input)
    assert.deepEqual([verdicts.filter(isPassed).length, verdicts.filter(isLenient).length], [4, 1])
  })

  it('have problems: failures without a reason, reasons without a failure, and names that occur twice', async () => {
    assert.deepEqual(problemsOf(await judge(cases, (input) => input)), [
      'fails: expected 200 or 204, found 500',
      'passes in spite of a reason: passes, but has the reason It was known.',
      'passes: a second case of this name',
    ])
  })
})
