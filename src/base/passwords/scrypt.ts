/** scrypt of node:crypto, a few at the same time. */
import { scrypt as derive } from 'node:crypto'

/** Parameters of scrypt (RFC 7914 §2). Memory is `128 × N × r` bytes, time grows with `N × r × p`. */
export interface Cost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** Maximum memory of a hash, in bytes. Limits the damage of a corrupt row. */
const MAX_MEMORY = 256 * 2 ** 20

/**
 * Maximum number of hashes that are computed at the same time. Each takes 128 MiB and one of the four threads of Node, which
 * also read files and resolve host names.
 */
const MAX_RUNNING = 2

const waiting: (() => void)[] = []
let running = 0

/** Returns a number that the time of a hash is proportional to. */
export function workOf({ N, r, p }: Cost): number {
  return N * r * p
}

/**
 * Computes a hash in a thread. Characters in different encodings have the same hash (NFKC).
 *
 * @throws RangeError, as a rejection - the cost exceeds the memory of a hash.
 */
export async function scrypt(password: string, salt: Buffer, length: number, cost: Cost): Promise<Buffer> {
  const text = password.normalize('NFKC')
  if (running < MAX_RUNNING) running += 1
  else await new Promise<void>((turn) => waiting.push(turn))
  try {
    return await new Promise((resolve, reject) => {
      derive(text, salt, length, { ...cost, maxmem: MAX_MEMORY }, (error, hash) =>
        error === null ? resolve(hash) : reject(error),
      )
    })
  } finally {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
}
