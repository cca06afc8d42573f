/**
 * Remembers passwords that were verified. Programs send theirs with every request, and each verification takes 0.4 s. An
 * entry is worth nothing as soon as the user has another hash, or is gone.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const MAX_ENTRIES = 1000

/** Keyed hashes of passwords, by the stored hash. The key never leaves the process. */
const verified = new Map<string, Buffer>()
const key = randomBytes(32)

/** Returns true if this password was verified against a stored hash. */
export function wasVerified(hash: string, password: string): boolean {
  const known = verified.get(hash)
  return known !== undefined && timingSafeEqual(known, digest(password))
}

export function rememberVerified(hash: string, password: string): void {
  const [oldest] = verified.keys()
  if (verified.size >= MAX_ENTRIES && oldest !== undefined) verified.delete(oldest)
  verified.set(hash, digest(password))
}

function digest(password: string): Buffer {
  return createHmac('sha256', key).update(password).digest()
}
