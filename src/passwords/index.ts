/**
 * Hashes of passwords, by scrypt of node:crypto.
 *
 * @module
 */
export { hashPassword, verifyPassword } from './password-hash.ts'
