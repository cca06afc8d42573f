import { scrypt as derive, randomBytes, timingSafeEqual } from 'node:crypto'
import { describeValue } from '../../base/describe.ts'
import { WaitingRoom } from '../../base/waiting-room.ts'
import { HTTPServiceUnavailable } from '../exceptions.ts'

/**
 * Cost of scrypt that OWASP recommends: 128 MiB and about 0.4 s. A hash contains its cost, so this can be raised at
 * any time. https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#scrypt
 */
const STRONG: Cost = { N: 2 ** 17, r: 8, p: 1 }

/** Cost of hashes in tests: milliseconds. */
const CHEAP: Cost = { N: 2 ** 4, r: 8, p: 1 }

/** The cost of new hashes. */
let current = STRONG

/** The form of a hash. One of less than 256 bits has been cut, for instance by a column that is too short. */
const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]+)\$([A-Za-z\d+/]{43,})$/

/** Options of {@link hashPassword} and {@link verifyPassword}. */
export interface HashOptions {
  /** The signal of the request: `this.request.signal`. Once it is aborted, a hash that waits is not computed. */
  readonly signal?: AbortSignal | undefined
}

/** A hash in parts. */
interface Hash {
  readonly cost: Cost
  readonly salt: Buffer
  readonly bytes: Buffer
}

/**
 * Hashes a password with a random salt: `$scrypt$ln=17,r=8,p=1$SALT$HASH`. It takes about 0.4 s in a thread of its
 * own, and 128 MiB of memory. At most two hashes are computed at the same time; up to 100 further ones wait. Pass the
 * signal of the request, so that nothing is computed for a client that has left.
 *
 * Different encodings of the same characters have the same hash (NFKC, as NIST SP 800-63B recommends).
 *
 * @see docs/reference/passwords.md
 * @example
 * ```ts
 * import { hashPassword, verifyPassword } from 'propylon/passwords'
 *
 * const stored = await hashPassword('correct horse battery staple')
 * console.log(await verifyPassword('correct horse battery staple', stored)) // true
 * ```
 *
 * @throws TypeError, as a rejection - the password is not text.
 * @throws HTTPServiceUnavailable, as a rejection - too many hashes wait.
 * @throws the reason of the signal, as a rejection - it is aborted.
 */
export async function hashPassword(password: string, options: HashOptions = {}): Promise<string> {
  checkText('hashPassword()', password)
  const cost = current
  const salt = randomBytes(16)
  const bytes = await scrypt(password, salt, 32, cost, options)
  // A client that has left has no use for the hash.
  options.signal?.throwIfAborted()
  return `$scrypt$ln=${Math.log2(cost.N)},r=${cost.r},p=${cost.p}$${encode(salt)}$${encode(bytes)}`
}

/**
 * Returns true if a password has a hash. Pass `undefined` if there is no such user: it takes as long and returns
 * false, so that the time does not reveal which users exist. A hash of an earlier, lower cost takes about as long.
 *
 * @param stored - a hash of {@link hashPassword}.
 * @throws TypeError, as a rejection - `stored` is another text, such as a hash that was cut; or the password is not
 *   text.
 * @throws HTTPServiceUnavailable, as a rejection - too many hashes wait.
 * @throws the reason of the signal, as a rejection - it is aborted, and the hash has not been computed.
 *
 * @example
 * ```ts
 * import { verifyPassword } from 'propylon/passwords'
 *
 * const users = new Map<string, { readonly password: string }>()
 *
 * export async function authenticate(name: string, password: string) {
 *   const user = users.get(name)
 *   return (await verifyPassword(password, user?.password)) ? user : undefined
 * }
 * ```
 */
export async function verifyPassword(password: string, stored?: string, options: HashOptions = {}): Promise<boolean> {
  checkText('verifyPassword()', password)
  if (stored === undefined) {
    await scrypt(password, randomBytes(16), 32, current, options)
    return false
  }
  const { cost, salt, bytes } = parse(stored)
  const actual = await scrypt(password, salt, bytes.length, cost, options)
  // The missing work, so that users who have not signed in since the cost was raised do not differ from unknown ones.
  const rounds = Math.round((workOf(current) - workOf(cost)) / (cost.N * cost.r))
  if (rounds > 0) await scrypt(password, salt, bytes.length, { ...cost, p: rounds }, options)
  return timingSafeEqual(actual, bytes)
}

/**
 * Returns true if a hash costs less to guess than one that {@link hashPassword} would make now. Hash the password
 * again at the next login, when it is known.
 *
 * @param stored - a hash of {@link hashPassword}.
 * @throws TypeError - `stored` is another text.
 *
 * @example
 * ```ts
 * import { hashPassword, needsRehash, verifyPassword } from 'propylon/passwords'
 *
 * export async function authenticate(user: { password: string }, password: string) {
 *   if (!(await verifyPassword(password, user.password))) return false
 *   if (needsRehash(user.password)) user.password = await hashPassword(password) // And store it.
 *   return true
 * }
 * ```
 */
export function needsRehash(stored: string): boolean {
  const { cost } = parse(stored)
  const hasLessMemory = cost.N * cost.r < current.N * current.r
  return hasLessMemory || workOf(cost) < workOf(current)
}

/**
 * Makes new hashes of this process cheap, so that tests with many users take milliseconds instead of minutes. Hashes
 * of any cost can still be verified.
 *
 * @returns a function that restores the cost, for tests of several applications in one process.
 * @throws Error - `NODE_ENV` is not `test`.
 *
 * @example
 * ```ts
 * import { hashCheaply, hashPassword } from 'propylon/passwords'
 *
 * process.env.NODE_ENV = 'test'
 * hashCheaply()
 * console.log((await hashPassword('correct horse')).split('$')[2]) // 'ln=4,r=8,p=1'
 * ```
 */
export function hashCheaply(): () => void {
  if (process.env.NODE_ENV !== 'test') {
    const actual = describeValue(process.env.NODE_ENV)
    throw new Error(`hashCheaply() is for tests, and NODE_ENV is ${actual}. Call it where NODE_ENV is 'test'.`)
  }
  const before = current
  current = CHEAP
  return () => {
    current = before
  }
}

/** @throws TypeError - the text is not a hash. */
function parse(stored: string): Hash {
  const parts = FORM.exec(stored)
  if (parts === null) throw new TypeError('The stored password is not a hash of hashPassword().')
  const [, ln, r, p, salt = '', hash = ''] = parts
  const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p) }
  return { cost, salt: Buffer.from(salt, 'base64'), bytes: Buffer.from(hash, 'base64') }
}

function checkText(place: string, password: unknown): void {
  if (typeof password === 'string') return
  throw new TypeError(`${place} got ${describeValue(password)} as the password. Pass text.`)
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/** Parameters of scrypt (RFC 7914 §2). Memory is `128 × N × r` bytes, time grows with `N × r × p`. */
interface Cost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** Maximum memory of a hash, in bytes. Limits the damage of a corrupt row. */
const MAX_MEMORY = 256 * 2 ** 20

/**
 * Maximum number of hashes that are computed at the same time. Each takes 128 MiB and one of the four threads of
 * Node, which also read files and resolve host names.
 */
const MAX_RUNNING = 2

/** Maximum number of hashes that wait: about 20 s of work. */
const MAX_WAITING = 100

/** Seconds after which a client may try again (`Retry-After`). */
const RETRY_AFTER = '5'

const room = new WaitingRoom(MAX_WAITING, () => new HTTPServiceUnavailable(undefined, { 'Retry-After': RETRY_AFTER }))

/** Returns a number that the time of a hash is proportional to. */
function workOf({ N, r, p }: Cost): number {
  return N * r * p
}

/**
 * Computes a hash in a thread. Characters in different encodings have the same hash (NFKC).
 *
 * @throws RangeError, as a rejection - the cost exceeds the memory of a hash.
 */
async function scrypt(
  password: string,
  salt: Buffer,
  length: number,
  cost: Cost,
  options: HashOptions,
): Promise<Buffer> {
  const text = password.normalize('NFKC')
  const leave = await room.enter(['hash'], async () => [MAX_RUNNING], options)
  try {
    return await new Promise((resolve, reject) => {
      derive(text, salt, length, { ...cost, maxmem: MAX_MEMORY }, (error, hash) =>
        error === null ? resolve(hash) : reject(error),
      )
    })
  } finally {
    leave()
  }
}
