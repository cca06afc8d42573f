import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { HTTPServiceUnavailable } from 'propylon'

/** Parameters of scrypt. Memory is `128 × N × r` bytes, time grows with `N × r × p` (RFC 7914 §2). */
export interface Cost {
  /** Binary logarithm of N. */
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** Default cost: 128 MiB and about 0.4 s (OWASP). Each hash contains its cost, so this can be raised without a migration. */
export const COST: Cost = { ln: 17, r: 8, p: 1 }

const SALT_BYTES = 16
const HASH_BYTES = 32

/** Maximum memory of a hash, in bytes. Limits the damage of a corrupt row. */
const MAX_MEMORY = 256 * 2 ** 20

/**
 * Hashes a password with a random salt.
 *
 * @param signal - of the request. A password is not hashed for a client that has left.
 * @throws HTTPServiceUnavailable - too many passwords wait.
 * @returns `$scrypt$ln=17,r=8,p=1$SALT$HASH` (the PHC string format).
 */
export async function hashPassword(
  password: string,
  cost: Cost = COST,
  signal?: AbortSignal,
): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, HASH_BYTES, cost, signal)
  signal?.throwIfAborted()
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${encode(salt)}$${encode(hash)}`
}

/**
 * Returns true if a password matches a hash. Compares in constant time.
 *
 * @throws TypeError - `stored` is not a hash of {@link hashPassword}.
 */
export async function verifyPassword(
  password: string,
  stored: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const parts = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/-]+)\$([\w+/-]+)$/.exec(stored)
  if (parts === null)
    throw new TypeError('The stored password is not a scrypt hash. Store the result of hashPassword().')
  const [, ln, r, p, salt = '', hash = ''] = parts
  const expected = Buffer.from(hash, 'base64')
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, cost, signal)
  return timingSafeEqual(actual, expected)
}

/** Encodes bytes in Base64 without padding, as the PHC string format requires. */
function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/**
 * Maximum number of hashes computed at the same time. Node computes them in libuv's four threads, which also read files
 * and resolve host names, so hashes use at most half of the threads.
 */
const MAX_RUNNING = Math.min(2, availableParallelism())
/** Maximum number of hashes that wait: about 20 s of work. */
const MAX_WAITING = 100
/** Callbacks of the hashes that wait, in their order. */
const waiting = new Set<() => void>()
let running = 0

async function derive(
  password: string,
  salt: Buffer,
  length: number,
  cost: Cost,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  await enter(signal)
  try {
    // Two keyboards may encode the same password as different code points (NIST SP 800-63B, 3.1.1.2).
    return await scryptAsync(password.normalize('NFKC'), salt, length, {
      N: 2 ** cost.ln,
      r: cost.r,
      p: cost.p,
      maxmem: MAX_MEMORY,
    })
  } finally {
    const [next] = waiting
    if (next === undefined) running--
    else next()
  }
}

/** Resolves when a hash may be computed. Rejects if its client has left, or if too many hashes wait. */
async function enter(signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  if (running < MAX_RUNNING) {
    running++
    return
  }
  if (waiting.size >= MAX_WAITING) throw new HTTPServiceUnavailable(undefined, { 'Retry-After': '5' })
  await new Promise<void>((resolve, reject) => {
    const begin = () => {
      waiting.delete(begin)
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      waiting.delete(begin)
      reject(signal?.reason)
    }
    waiting.add(begin)
    signal?.addEventListener('abort', leave, { once: true })
  })
}

function scryptAsync(
  password: string,
  salt: Buffer,
  length: number,
  options: ScryptOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, hash) => (error === null ? resolve(hash) : reject(error)))
  })
}
