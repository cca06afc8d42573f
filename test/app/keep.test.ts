import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keep } from 'propylon'

describe('keep', () => {
  it('creates a value once for a name', () => {
    const first = keep('one name', () => ({ made: 1 }))
    assert.equal(
      keep('one name', () => ({ made: 2 })),
      first,
    )
  })

  it('creates another value for another name', () => {
    assert.equal(keep('a 1', () => 1) + keep('a 2', () => 2), 3)
  })

  it('keeps undefined too', () => {
    let count = 0
    const make = () => void count++
    keep('undefined', make)
    keep('undefined', make)
    assert.equal(count, 1)
  })

  it('keeps nothing if the function fails', async () => {
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
