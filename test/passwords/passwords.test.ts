import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashPassword, verifyPassword } from 'propylon/passwords'

describe('verifyPassword()', () => {
  it('returns true for the password of a hash only', async () => {
    const hash = await hashPassword('correct horse')
    assert.match(hash, /^\$scrypt\$ln=15,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    assert.equal(await verifyPassword('correct horse', hash), true)
    assert.equal(await verifyPassword('correct hors', hash), false)
    assert.equal(await verifyPassword('', hash), false)
  })

  it('returns false without a hash', async () => {
    assert.equal(await verifyPassword('correct horse', undefined), false)
  })

  it('accepts another encoding of the same characters', async () => {
    assert.equal(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9')), true)
  })

  it('verifies hashes of another cost (RFC 7914 §12)', async () => {
    const expected =
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640'
    const hash = Buffer.from(expected, 'hex').toString('base64').replaceAll('=', '')
    assert.equal(await verifyPassword('password', `$scrypt$ln=10,r=8,p=16$TmFDbA$${hash}`), true)
  })

  for (const stored of ['', 'correct horse', '$scrypt$ln=10$x$y', '$2b$10$abc']) {
    it(`refuses ${JSON.stringify(stored)} as a hash`, () =>
      assert.rejects(verifyPassword('x', stored), TypeError))
  }

  it('refuses a hash that was cut', async () => {
    const hash = await hashPassword('correct horse')
    const start = hash.lastIndexOf('$') + 1
    for (const length of [start + 1, start + 2, hash.length - 1]) {
      await assert.rejects(verifyPassword('another', hash.slice(0, length)), TypeError)
    }
  })

  it('refuses a hash whose cost exceeds the memory', () =>
    assert.rejects(verifyPassword('x', `$scrypt$ln=30,r=8,p=1$c2FsdA$${'A'.repeat(43)}`), RangeError))
})

it('refuses a password that is not text, with a message', async () => {
  const missing: string = Object(undefined).password
  await assert.rejects(hashPassword(missing), /^TypeError: hashPassword\(\) got undefined as the password/)
  await assert.rejects(
    verifyPassword(missing, undefined),
    /^TypeError: verifyPassword\(\) got undefined as the password/,
  )
})

it('hashes the same password differently each time', async () => {
  assert.notEqual(await hashPassword('correct horse'), await hashPassword('correct horse'))
})
