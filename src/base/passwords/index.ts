/**
 * Hashes of passwords, by scrypt of node:crypto.
 *
 * @module
 */
export { hashCheaply, hashPassword, needsRehash, verifyPassword } from './password-hash.ts'
