import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keep } from '../../src/app/keep.ts'

describe('keep', () => {
  it('makes a thing once for a name', () => {
    const first = keep('one name', () => ({ made: 1 }))
    assert.equal(
      keep('one name', () => ({ made: 2 })),
      first,
    )
  })

  it('makes another for another name', () => {
    assert.equal(keep('a 1', () => 1) + keep('a 2', () => 2), 3)
  })

  it('keeps what is undefined too', () => {
    let count = 0
    const make = () => void count++
    keep('undefined', make)
    keep('undefined', make)
    assert.equal(count, 1)
  })

  it('keeps nothing when the making fails', async () => {
    const fail = () => {
      throw new Error('no database')
    }
    assert.throws(() => keep('fails', fail), /no database/)
    assert.equal(
      keep('fails', () => 'there'),
      'there',
    )
    await assert.rejects(
      keep('rejects', () => Promise.reject(new Error('no database'))),
      /no database/,
    )
    assert.equal(await keep('rejects', async () => 'there'), 'there')
  })
})
