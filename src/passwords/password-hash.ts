import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { describeValue } from '../wsgi/describe.ts'

/** Cost of scrypt (RFC 7914 §2): 32 MiB and about 0.1 s. A hash contains its cost, so this can be raised at any time. */
const COST = { ln: 15, r: 8, p: 1 }

/** Maximum memory of a hash, in bytes. */
const MAX_MEMORY = 256 * 2 ** 20

/** The form of a hash. One of less than 256 bits has been cut, for instance by a column that is too short. */
const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]+)\$([A-Za-z\d+/]{43,})$/

/** A hash that no password has, and whose verification takes as long as that of any other. */
const NO_HASH = `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/**
 * Hashes a password with a random salt: `$scrypt$ln=15,r=8,p=1$SALT$HASH`. It takes about 0.1 s in a thread of its own, and
 * 32 MiB of memory.
 *
 * Different encodings of the same characters have the same hash (NFKC, as NIST SP 800-63B recommends).
 *
 * @example
 * ```ts
 * import { hashPassword, verifyPassword } from 'propylon/passwords'
 *
 * const stored = await hashPassword('correct horse battery staple')
 * console.log(await verifyPassword('correct horse battery staple', stored)) // true
 * ```
 *
 * @throws TypeError, as a rejection - the password is not text.
 */
export async function hashPassword(password: string): Promise<string> {
  checkText('hashPassword()', password)
  const { ln, r, p } = COST
  const salt = randomBytes(16)
  const hash = await derive(password, salt, 32, { N: 2 ** ln, r, p })
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encode(salt)}$${encode(hash)}`
}

/**
 * Returns true if a password has a hash. Pass `undefined` if there is no such user: it takes as long and returns false, so
 * that the time does not reveal which users exist.
 *
 * @param stored - a hash of {@link hashPassword}.
 * @throws TypeError, as a rejection - `stored` is another text, such as a hash that was cut; or the password is not text.
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
export async function verifyPassword(password: string, stored: string = NO_HASH): Promise<boolean> {
  checkText('verifyPassword()', password)
  const parts = FORM.exec(stored)
  if (parts === null) throw new TypeError('The stored password is not a hash of hashPassword().')
  const [, ln, r, p, salt = '', hash = ''] = parts
  const expected = Buffer.from(hash, 'base64')
  const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, cost)
  return timingSafeEqual(actual, expected) && stored !== NO_HASH
}

function checkText(place: string, password: unknown): void {
  if (typeof password === 'string') return
  throw new TypeError(`${place} got ${describeValue(password)} as the password. Pass text.`)
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

function derive(password: string, salt: Buffer, length: number, cost: ScryptOptions): Promise<Buffer> {
  const text = password.normalize('NFKC')
  return new Promise((resolve, reject) => {
    scrypt(text, salt, length, { ...cost, maxmem: MAX_MEMORY }, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    )
  })
}
