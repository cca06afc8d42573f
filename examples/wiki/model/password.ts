import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** Cost of scrypt (RFC 7914 §2): 32 MiB and about 0.1 s. A hash contains its cost, so this can be raised at any time. */
const COST = { ln: 15, r: 8, p: 1 }

/** Maximum memory of a hash, in bytes. */
const MAX_MEMORY = 256 * 2 ** 20

/** A hash that no password has, and whose verification takes as long as that of any other. */
const NO_HASH = `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Hashes a password with a random salt: `$scrypt$ln=15,r=8,p=1$SALT$HASH`. */
export async function hashPassword(password: string): Promise<string> {
  const { ln, r, p } = COST
  const salt = randomBytes(16)
  const hash = await derive(password, salt, 32, { N: 2 ** ln, r, p })
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encode(salt)}$${encode(hash)}`
}

/** Returns true if a password matches a hash. Without a hash it takes as long and returns false. */
export async function verifyPassword(password: string, stored: string = NO_HASH): Promise<boolean> {
  const parts = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/.exec(stored)
  if (parts === null) throw new TypeError('The stored password is not a hash of hashPassword().')
  const [, ln, r, p, salt = '', hash = ''] = parts
  const expected = Buffer.from(hash, 'base64')
  const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, cost)
  return timingSafeEqual(actual, expected) && stored !== NO_HASH
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

function derive(password: string, salt: Buffer, length: number, cost: ScryptOptions): Promise<Buffer> {
  // Two keyboards may encode the same password as different code points (NIST SP 800-63B).
  const text = password.normalize('NFKC')
  return new Promise((resolve, reject) => {
    scrypt(text, salt, length, { ...cost, maxmem: MAX_MEMORY }, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    )
  })
}
