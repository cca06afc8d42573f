// The check behind /readyz.
import { redis } from './redis.ts'

/** Throws if Redis cannot be reached. `/readyz` is 503 then. */
export async function check(): Promise<void> {
  await redis.ping()
}
