import assert from 'node:assert/strict'
import { HTTPException } from 'propylon'

/** Returns the HTTPException that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<HTTPException> {
  const error = await promise.then(
    () => assert.fail('the promise did not reject'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof HTTPException, String(error))
  return error
}
