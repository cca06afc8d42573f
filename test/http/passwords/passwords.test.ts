import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, describe, it, type TestContext } from 'node:test'
import { HTTPServiceUnavailable } from 'propylon'
import { hashCheaply, hashPassword, needsRehash, verifyPassword } from 'propylon/passwords'

/** A hash of `password` by the parameters of RFC 7914 §12. */
const OF_RFC = hashText(
  'ln=10,r=8,p=16',
  'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
)

function hashText(cost: string, hex: string): string {
  return `$scrypt$${cost}$TmFDbA$${Buffer.from(hex, 'hex').toString('base64').replaceAll('=', '')}`
}

/** Returns a hash as Propylon 0.2 made it. */
function oldHash(password: string): string {
  const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 }
  return hashText('ln=15,r=8,p=1', crypto.scryptSync(password, 'NaCl', 32, cost).toString('hex'))
}

/** Makes new hashes cheap for the tests of a suite. */
function withCheapHashes(): void {
  const environment = process.env.NODE_ENV
  let restore: () => void
  before(() => {
    process.env.NODE_ENV = 'test'
    restore = hashCheaply()
  })
  after(() => {
    restore()
    setEnvironment(environment)
  })
}

function setEnvironment(value: string | undefined): void {
  if (value === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = value
}

/** Calls of scrypt: how many there were, the most at the same time, and the sum of N × r × p. */
function countScrypt(t: TestContext) {
  const counts = { calls: 0, running: 0, most: 0, work: 0 }
  const { scrypt } = crypto
  const counted = (...[password, salt, length, cost, done]: Parameters<typeof scrypt>) => {
    scrypt(password, salt, length, cost, (...result) => {
      counts.running -= 1
      done(...result)
    })
    counts.calls += 1
    counts.running += 1
    counts.most = Math.max(counts.most, counts.running)
    counts.work += (cost.N ?? 0) * (cost.r ?? 0) * (cost.p ?? 0)
  }
  const replace = (replacement: typeof counted | typeof scrypt) => {
    Object.assign(crypto, { scrypt: replacement })
    syncBuiltinESMExports()
  }
  replace(counted)
  t.after(() => replace(scrypt))
  return counts
}

describe('verifyPassword()', () => {
  it('returns true for the password of a hash only', async () => {
    const hash = await hashPassword('correct horse')
    assert.match(hash, /^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    assert.equal(await verifyPassword('correct horse', hash), true)
    assert.equal(await verifyPassword('correct hors', hash), false)
    assert.equal(await verifyPassword('', hash), false)
  })

  it('does the same work for an unknown user, a hash of today and one of an earlier cost', async (t) => {
    const today = await hashPassword('correct horse')
    const counts = countScrypt(t)
    const works = []
    for (const stored of [undefined, today, oldHash('correct horse'), OF_RFC]) {
      counts.work = 0
      await verifyPassword('correct', stored)
      works.push(counts.work)
    }
    assert.deepEqual(works, Array(4).fill(2 ** 17 * 8))
  })
})

it('refuses a password that is not text, with a message', async () => {
  const missing: string = Object(undefined).password
  await assert.rejects(hashPassword(missing), /^TypeError: hashPassword\(\) got undefined as the password/)
  await assert.rejects(
    verifyPassword(missing, undefined),
    /^TypeError: verifyPassword\(\) got undefined as the password/,
  )
})

describe('a hash of any cost', () => {
  withCheapHashes()

  it('returns false without a hash', async () => {
    assert.equal(await verifyPassword('correct horse', undefined), false)
  })

  it('accepts another encoding of the same characters', async () => {
    assert.equal(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9')), true)
  })

  it('verifies hashes of another cost (RFC 7914 §12)', async () => {
    assert.equal(await verifyPassword('password', OF_RFC), true)
    assert.equal(await verifyPassword('passwort', OF_RFC), false)
  })

  for (const stored of ['', 'correct horse', '$scrypt$ln=10$x$y', '$2b$10$abc']) {
    it(`refuses ${JSON.stringify(stored)} as a hash`, async () => {
      await assert.rejects(verifyPassword('x', stored), TypeError)
      assert.throws(() => needsRehash(stored), TypeError)
    })
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

  it('hashes the same password differently each time', async () => {
    assert.notEqual(await hashPassword('correct horse'), await hashPassword('correct horse'))
  })

  it('computes at most two hashes at the same time, and all in the end', async (t) => {
    const counts = countScrypt(t)
    const refused = verifyPassword('x', `$scrypt$ln=30,r=8,p=1$c2FsdA$${'A'.repeat(43)}`)
    await Promise.all([
      assert.rejects(refused, RangeError),
      ...Array.from({ length: 8 }, () => verifyPassword('password', OF_RFC)),
    ])
    assert.equal(counts.calls, 8)
    assert.equal(counts.most, 2)
  })
})

describe('hashes that wait', () => {
  /** Begins as many hashes as may run and wait, all with the signal. */
  function fillQueue(signal: AbortSignal) {
    return Array.from({ length: 102 }, (_, at) =>
      at % 2 === 0
        ? verifyPassword('password', OF_RFC, { signal })
        : hashPassword('password', { signal }).then(() => true),
    )
  }

  it('are not computed for clients that have left', async (t) => {
    const counts = countScrypt(t)
    const leaving = new AbortController()
    const all = fillQueue(leaving.signal)
    // Those that run have begun now.
    await new Promise(setImmediate)
    const reason = new Error('The client has left.')
    leaving.abort(reason)
    const results = await Promise.allSettled(all)
    assert.equal(counts.calls, 2)
    const failures = results.filter((result) => result.status === 'rejected')
    assert.ok(failures.length >= 101)
    assert.deepEqual(new Set(failures.map((failure) => failure.reason)), new Set([reason]))
    await assert.rejects(hashPassword('password', leaving), reason)
    await assert.rejects(verifyPassword('password', OF_RFC, leaving), reason)
    assert.equal(counts.calls, 2)
    assert.equal(await verifyPassword('password', OF_RFC, { signal: new AbortController().signal }), true)
  })

  it('are 100 at most, and further ones are 503', async () => {
    const leaving = new AbortController()
    const all = fillQueue(leaving.signal)
    for (const refused of [hashPassword('password'), verifyPassword('password'), verifyPassword('x', OF_RFC)]) {
      const error = await refused.catch((thrown) => thrown)
      assert.ok(error instanceof HTTPServiceUnavailable)
      assert.equal(error.headers.get('retry-after'), '5')
    }
    leaving.abort()
    await Promise.allSettled(all)
    assert.equal(await verifyPassword('password', OF_RFC), true)
  })
})

describe('needsRehash()', () => {
  it('returns true for a hash of a lower cost, and false for a new one', async () => {
    assert.equal(needsRehash(oldHash('x')), true)
    assert.equal(needsRehash(OF_RFC), true)
    assert.equal(needsRehash(await hashPassword('x')), false)
  })

  it('returns false for a hash of a higher cost', () => {
    assert.equal(needsRehash(hashText('ln=18,r=8,p=1', '00'.repeat(32))), false)
    assert.equal(needsRehash(hashText('ln=17,r=8,p=2', '00'.repeat(32))), false)
  })

  it('returns true for a hash of the same work in less memory', () =>
    assert.equal(needsRehash(hashText('ln=15,r=8,p=4', '00'.repeat(32))), true))
})

describe('hashCheaply()', () => {
  const environment = process.env.NODE_ENV
  after(() => setEnvironment(environment))

  for (const value of [undefined, 'production', 'development']) {
    it(`is refused if NODE_ENV is ${value}`, async () => {
      setEnvironment(value)
      assert.throws(hashCheaply, /^Error: hashCheaply\(\) is for tests, and NODE_ENV is/)
      assert.match(await hashPassword('x'), /^\$scrypt\$ln=17,/)
    })
  }

  it('makes hashes that are verified like others, and raised where NODE_ENV is not test', async (t) => {
    const strong = await hashPassword('correct horse')
    process.env.NODE_ENV = 'test'
    hashCheaply()
    const counts = countScrypt(t)
    const cheap = await hashPassword('correct horse')
    assert.equal(counts.work, 2 ** 4 * 8)
    assert.equal(await verifyPassword('correct horse', cheap), true)
    assert.equal(await verifyPassword('correct horse', strong), true)
    assert.equal(await verifyPassword('correct', cheap), false)
    assert.deepEqual([needsRehash(cheap), needsRehash(strong)], [false, false])
  })
})
