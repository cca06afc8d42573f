import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HTTPServiceUnavailable } from 'propylon'
import { COST, hashPassword, verifyPassword } from '../../examples/users/model/password.ts'

const CHEAP = { ln: 4, r: 1, p: 1 }

describe('hashing a password', () => {
  it('uses COST by default', async () => {
    assert.ok(
      (await hashPassword('correct horse')).startsWith(`$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$`),
    )
  })

  it('returns a different hash each time', async () => {
    assert.notEqual(await hashPassword('correct horse', CHEAP), await hashPassword('correct horse', CHEAP))
  })

  it('verifies the test vector of RFC 7914 §12', async () => {
    const hash = '/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA'
    assert.equal(await verifyPassword('password', `$scrypt$ln=10,r=8,p=16$TmFDbA$${hash}`), true)
  })

  for (const password of ['correct horse', 'pässwörd 王 👩‍🚀', ' leading and trailing ', 'x'.repeat(1024)]) {
    it(`verifies ${JSON.stringify(password.slice(0, 30))}`, async () => {
      const hash = await hashPassword(password, CHEAP)
      assert.equal(await verifyPassword(password, hash), true)
      assert.equal(await verifyPassword(password.slice(0, -1), hash), false)
    })
  }

  it('verifies a password in another Unicode normalization form', async () => {
    assert.equal(await verifyPassword('cafe\u0301 creme', await hashPassword('caf\u00e9 creme', CHEAP)), true)
  })

  it('hashes many passwords at once', async () => {
    const hashes = await Promise.all(Array.from({ length: 20 }, () => hashPassword('correct horse', CHEAP)))
    assert.equal(new Set(hashes).size, 20)
  })

  it('refuses further ones while 100 wait, and computes none for clients that have left', async () => {
    const leaving = new AbortController()
    const all = Array.from({ length: 102 }, () => hashPassword('correct horse', COST, leaving.signal))
    const refused = await hashPassword('correct horse', CHEAP).catch((error) => error)
    assert.ok(refused instanceof HTTPServiceUnavailable)
    leaving.abort(new Error('The client has left.'))
    const results = await Promise.allSettled(all)
    assert.ok(results.every(({ status }) => status === 'rejected'))
    assert.ok(await hashPassword('correct horse', CHEAP))
  })

  for (const stored of ['', 'correct horse', '$scrypt$ln=4,r=1,p=1$', '$argon2id$v=19$m=1,t=1,p=1$YQ$YQ']) {
    it(`throws a TypeError for a stored value that is not a hash: ${JSON.stringify(stored)}`, async () => {
      await assert.rejects(verifyPassword('correct horse', stored), TypeError)
    })
  }

  it('rejects a corrupt hash whose cost would exhaust the memory', async () => {
    await assert.rejects(verifyPassword('correct horse', '$scrypt$ln=40,r=8,p=1$c2FsdA$aGFzaA'))
  })

  it('hashes passwords after failures', async () => {
    for (let turn = 0; turn < 5; turn++) {
      await assert.rejects(verifyPassword('correct horse', '$scrypt$ln=40,r=8,p=1$c2FsdA$aGFzaA'))
    }
    assert.ok(await hashPassword('correct horse', CHEAP))
  })
})
