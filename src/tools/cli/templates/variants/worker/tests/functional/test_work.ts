import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import app from '../../app.ts'
import { database } from '../../config/database.ts'
import { later, repeat, workOff } from '../../model/outbox.ts'
import { handlers } from '../../model/work.ts'
import work from '../../worker.ts'
import { skip } from '../database.ts'

/** Returns a kind of work that no other test has, and its handler, which keeps what it is given. */
function keeping() {
  const [kind, done] = [randomUUID(), [] as unknown[]]
  return { kind, done, keep: { [kind]: async (data: unknown) => done.push(data) } }
}

describe('the outbox', { skip }, () => {
  it('has work that is done once', async () => {
    const { kind, done, keep } = keeping()
    await later(database, kind, { name: 'Ann' })
    assert.equal(await workOff(keep), 1)
    assert.equal(await workOff(keep), 0)
    assert.deepEqual(done, [{ name: 'Ann' }])
  })

  it('has nothing of a transaction that is rolled back', async () => {
    const { kind, done, keep } = keeping()
    const changing = database.transaction().execute(async (transaction) => {
      await later(transaction, kind, 1)
      throw new Error('rolled back')
    })
    await assert.rejects(changing, /rolled back/)
    await workOff(keep)
    assert.deepEqual(done, [])
  })

  it('gives work to one of several workers', async () => {
    const { kind, done, keep } = keeping()
    for (let number = 1; number <= 5; number++) await later(database, kind, number)
    await Promise.all([workOff(keep), workOff(keep), workOff(keep)])
    assert.deepEqual(done.toSorted(), [1, 2, 3, 4, 5])
  })

  it('keeps work that fails for later', async (context) => {
    const error = context.mock.method(console, 'error', () => {})
    const { kind } = keeping()
    const failing = {
      async [kind]() {
        throw new Error('the mail server is away')
      },
    }
    await later(database, kind)
    assert.equal(await workOff(failing), 1)
    assert.equal(error.mock.callCount(), 1)
    // It is not due before two minutes have passed.
    assert.equal(await workOff(failing), 0)
  })

  it('is left with work that has failed ten times', async () => {
    const { kind, done, keep } = keeping()
    const attempts = (count: number) =>
      database
        .withTables<{ outbox: { kind: string; attempts: number; due: number } }>()
        .updateTable('outbox')
        .set({ attempts: count, due: 0 })
        .where('kind', '=', kind)
        .execute()
    await later(database, kind)
    await attempts(10)
    assert.equal(await workOff(keep), 0)
    await attempts(9)
    assert.equal(await workOff(keep), 1)
    assert.equal(done.length, 1)
  })

  it('has work that is done again and again', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { kind, done, keep } = keeping()
    await Promise.all([repeat(kind, 3600), repeat(kind, 3600)])
    assert.equal(await workOff(keep), 0)
    for (let hour = 1; hour <= 2; hour++) {
      context.mock.timers.tick(3600_000)
      assert.equal(await workOff(keep), 1)
      assert.equal(await workOff(keep), 0)
      assert.equal(done.length, hour)
    }
  })

  it('keeps work that nothing handles', async () => {
    const { kind, done, keep } = keeping()
    await later(database, kind, 1)
    assert.equal(await workOff({}), 0)
    await workOff(keep)
    assert.deepEqual(done, [1])
  })

  it('is worked off by worker.ts, which stops', async () => {
    const stopping = new AbortController()
    const { kind } = keeping()
    Object.assign(handlers, { [kind]: async () => stopping.abort() })
    await later(database, kind)
    await work({ app, signal: stopping.signal, words: [] })
    assert.equal(stopping.signal.aborted, true)
  })
})
