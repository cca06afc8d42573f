import { createHash, randomBytes } from 'node:crypto'

/** Returns a random secret of 256 bits, for a link or a token. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the form in which a secret is stored, so that who reads the table cannot use it. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
