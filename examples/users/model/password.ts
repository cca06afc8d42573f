import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'

/** What a hash costs: memory is `128 × N × r` bytes, time grows with `N × r × p` (RFC 7914 §2). */
export interface Cost {
  /** The binary logarithm of N. */
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** 32 MiB and about a tenth of a second. A hash names its own cost, so this may grow without a migration. */
export const COST: Cost = { ln: 15, r: 8, p: 1 }

const SALT_BYTES = 16
const HASH_BYTES = 32

/** Costs beyond this are not ours: a damaged row must not take the machine's memory. */
const MAX_MEMORY = 256 * 2 ** 20

/**
 * Hashes a password with a salt of its own.
 *
 * @returns `$scrypt$ln=15,r=8,p=1$SALT$HASH` (the PHC string format).
 */
export async function hashPassword(password: string, cost: Cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, HASH_BYTES, cost)
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${encode(salt)}$${encode(hash)}`
}

/**
 * Whether a password is the one that was hashed, in time that does not tell where they differ.
 *
 * @throws TypeError when `stored` was not written by {@link hashPassword}.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const parts = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/-]+)\$([\w+/-]+)$/.exec(stored)
  if (parts === null) throw new TypeError('The stored password is not a scrypt hash')
  const [, ln, r, p, salt = '', hash = ''] = parts
  const expected = Buffer.from(hash, 'base64')
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, cost)
  return timingSafeEqual(actual, expected)
}

/** Base64 without padding, as the PHC string format wants it. */
function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/**
 * Runs in libuv's threads, so that the server goes on answering. Those are four, and files and names of hosts are
 * looked up there too: hashes take at most half of them, the others wait their turn.
 */
const PLACES = Math.min(2, availableParallelism())
const waiting: (() => void)[] = []
let running = 0

async function derive(password: string, salt: Buffer, length: number, cost: Cost): Promise<Buffer> {
  if (running < PLACES) running++
  else await new Promise<void>((turn) => waiting.push(turn))
  try {
    // The same password typed on two keyboards may come as different code points (NIST SP 800-63B, 3.1.1.2).
    return await scryptAsync(password.normalize('NFKC'), salt, length, {
      N: 2 ** cost.ln,
      r: cost.r,
      p: cost.p,
      maxmem: MAX_MEMORY,
    })
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
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
