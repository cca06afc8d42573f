import assert from 'node:assert/strict'
import { HTTPException } from '../../src/http/exceptions.ts'

/** The HTTPException that a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<HTTPException> {
  const error = await promise.then(
    () => assert.fail('nothing was refused'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof HTTPException, String(error))
  return error
}
