/**
 * Hashes of passwords, by scrypt of node:crypto.
 *
 * @module
 */
export { type HashOptions, hashCheaply, hashPassword, needsRehash, verifyPassword } from './password-hash.ts'
