import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { hashCheaply } from 'propylon/passwords'
import { type Database, DatabaseError, openDatabase } from '../../examples/users/model/database.ts'
import { Users } from '../../examples/users/model/users.ts'

let hashAsBefore: () => void
before(() => {
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'test'
  hashAsBefore = hashCheaply()
  if (NODE_ENV === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = NODE_ENV
})
after(() => hashAsBefore())

const ANN = { name: 'ann', full_name: 'Ann Example', email: 'ann@example.org', password: 'correct horse' }
const BOB = { name: 'bob', full_name: 'Bob Example', email: 'bob@example.org', password: 'battery staple' }

/** A temporary database. */
interface Place {
  url: string
  remove(): Promise<void>
}

async function sqlitePlace(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'propylon-model-'))
  const url = `sqlite:${join(directory, 'new', 'users.db')}`
  return { url, remove: () => rm(directory, { recursive: true }) }
}

async function postgresPlace(server: string): Promise<Place> {
  const name = `propylon_${randomBytes(6).toString('hex')}`
  await command(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, remove: () => command(server, `drop database ${name} with (force)`) }
}

async function command(server: string, text: string): Promise<void> {
  const client = new pg.Client(server)
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

const server = process.env.PROPYLON_TEST_POSTGRES

describe('the users in SQLite', () => behavesAsUsers(sqlitePlace))

describe('the users in PostgreSQL', {
  skip: server ? false : 'PROPYLON_TEST_POSTGRES names no server',
}, () => {
  behavesAsUsers(() => postgresPlace(server ?? ''))
})

function behavesAsUsers(makePlace: () => Promise<Place>): void {
  let place: Place
  let database: Database
  let users: Users

  before(async () => {
    place = await makePlace()
    database = await openDatabase(place.url)
    users = new Users(database)
  })

  after(async () => {
    await users.close()
    await place.remove()
  })

  beforeEach(async () => {
    await database.query.deleteFrom('users').execute()
  })

  it('is empty at first', async () => {
    assert.deepEqual(await users.all(), [])
  })

  it('stores a user and returns the user without the password', async () => {
    assert.equal(await users.add(ANN), 'done')
    const { password: _, ...shown } = ANN
    assert.deepEqual({ ...(await users.get('ann')) }, shown)
  })

  it('stores and changes nothing for clients that leave while their passwords wait', async () => {
    await users.add(BOB)
    const leaving = new AbortController()
    const all = [
      ...Array.from({ length: 40 }, (_, at) => users.add({ ...ANN, name: `ann${at}` }, leaving.signal)),
      users.change('bob', { ...BOB, full_name: 'Changed' }, leaving.signal),
    ]
    leaving.abort(new Error('The client has left.'))
    const results = await Promise.allSettled(all)
    assert.ok(results.every(({ status }) => status === 'rejected'))
    const stored = await users.all()
    assert.deepEqual(
      stored.map(({ full_name }) => full_name),
      [BOB.full_name],
    )
    assert.equal(await users.add(ANN, new AbortController().signal), 'done')
  })

  it('sorts users by the bytes of their names, capitals first', async () => {
    for (const name of ['b', 'a', 'B', 'a-b', 'a.b', 'a_b', 'A', '0', 'aa']) await users.add({ ...ANN, name })
    const names = (await users.all()).map((user) => user.name)
    assert.deepEqual(names, ['0', 'A', 'B', 'a', 'a-b', 'a.b', 'a_b', 'aa', 'b'])
  })

  it('lists no passwords', async () => {
    await users.add(ANN)
    assert.deepEqual(Object.keys((await users.all())[0] ?? {}), ['name', 'full_name', 'email'])
  })

  it('stores every character of a full name', async () => {
    const full_name = 'Zoë O’Neil-García 王 𝄞 👩‍🚀 "quoted" \\ %s $1'
    await users.add({ ...ANN, full_name })
    assert.equal((await users.get('ann'))?.full_name, full_name)
  })

  it('distinguishes names by case', async () => {
    assert.equal(await users.add(ANN), 'done')
    assert.equal(await users.add({ ...ANN, name: 'Ann' }), 'done')
    assert.equal(await users.get('ANN'), undefined)
  })

  it('returns taken for an existing name and does not change its user', async () => {
    await users.add(ANN)
    assert.equal(await users.add({ ...BOB, name: 'ann' }), 'taken')
    assert.equal((await users.get('ann'))?.full_name, ANN.full_name)
  })

  it('adds one user in concurrent calls with the same name', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => users.add(ANN)))
    assert.deepEqual(outcomes.sort(), ['done', ...Array(7).fill('taken')])
  })

  it('adds one user in two processes with the same name', async () => {
    const other = new Users(await openDatabase(place.url))
    try {
      const outcomes = await Promise.all([users.add(ANN), other.add(ANN)])
      assert.deepEqual(outcomes.sort(), ['done', 'taken'])
    } finally {
      await other.close()
    }
  })

  it('changes all fields', async () => {
    await users.add(ANN)
    assert.equal(await users.change('ann', BOB), 'done')
    assert.equal(await users.get('ann'), undefined)
    assert.equal((await users.get('bob'))?.email, BOB.email)
    assert.ok(await users.authenticate('bob', BOB.password))
  })

  for (const password of [undefined, '']) {
    it(`keeps the password when the new one is ${JSON.stringify(password)}`, async () => {
      await users.add(ANN)
      assert.equal(await users.change('ann', { ...BOB, name: 'ann', password }), 'done')
      assert.ok(await users.authenticate('ann', ANN.password))
    })
  }

  it('returns taken for a change to the name of another user, and changes neither', async () => {
    await users.add(ANN)
    await users.add(BOB)
    const before = await users.all()
    assert.equal(await users.change('ann', { ...ANN, name: 'bob', email: 'new@example.org' }), 'taken')
    assert.deepEqual(await users.all(), before)
  })

  it('renames one user in concurrent changes to the same name', async () => {
    await users.add(ANN)
    await users.add(BOB)
    const outcomes = await Promise.all([
      users.change('ann', { ...ANN, name: 'carol' }),
      users.change('bob', { ...BOB, name: 'carol' }),
    ])
    assert.deepEqual(outcomes.sort(), ['done', 'taken'])
    assert.equal((await users.all()).length, 2)
  })

  it('returns missing for a change of a user who does not exist', async () => {
    assert.equal(await users.change('ann', ANN), 'missing')
    assert.deepEqual(await users.all(), [])
  })

  it('removes only the given user', async () => {
    await users.add(ANN)
    await users.add(BOB)
    assert.equal(await users.remove('ann'), 'done')
    assert.equal(await users.remove('ann'), 'missing')
    assert.deepEqual(
      (await users.all()).map((user) => user.name),
      ['bob'],
    )
  })

  it('stores passwords as hashes with different salts', async () => {
    await users.add(ANN)
    await users.add({ ...BOB, password: ANN.password })
    const rows = await database.query.selectFrom('users').select('password').execute()
    for (const { password } of rows) assert.match(password, /^\$scrypt\$ln=4,r=8,p=1\$/)
    assert.equal(new Set(rows.map((row) => row.password)).size, 2)
  })

  it('authenticates a user only with the right password', async () => {
    await users.add(ANN)
    assert.equal(await users.authenticate('ann', ANN.password), true)
    assert.equal(await users.authenticate('ann', `${ANN.password} `), false)
    assert.equal(await users.authenticate('bob', ANN.password), false)
  })

  for (const name of ['', 'a\0b', '\ud800', 'x'.repeat(100_000), "' or '1'='1", '../ann', 'ann\n', 'new']) {
    it(`finds no user with the invalid name ${JSON.stringify(name.slice(0, 20))}`, async () => {
      await users.add(ANN)
      assert.equal(await users.get(name), undefined)
      assert.equal(await users.remove(name), 'missing')
      assert.equal(await users.change(name, ANN), 'missing')
      assert.equal(await users.authenticate(name, ANN.password), false)
      assert.equal((await users.all()).length, 1)
    })
  }

  it('rejects a text that the database would truncate', async () => {
    await assert.rejects(users.add({ ...ANN, full_name: 'a\0b' }))
    assert.deepEqual(await users.all(), [])
  })

  it('keeps the users when the database is opened again', async () => {
    await users.add(ANN)
    const again = new Users(await openDatabase(place.url))
    try {
      assert.equal((await again.all()).length, 1)
    } finally {
      await again.close()
    }
  })

  it('can be opened several times at once', async () => {
    const fresh = await makePlace()
    try {
      const opened = await Promise.all(Array.from({ length: 4 }, () => openDatabase(fresh.url)))
      for (const one of opened) assert.deepEqual(await new Users(one).all(), [])
      await Promise.all(opened.map((one) => one.close()))
    } finally {
      await fresh.remove()
    }
  })
}

describe('a database that cannot be used', () => {
  const cases: [url: string, message: RegExp][] = [
    ['', /^DATABASE_URL must be sqlite:PATH or postgres:/],
    ['sqlite:', /^DATABASE_URL must be/],
    ['mysql://root:secret@localhost/users', /^DATABASE_URL must be/],
    ['sqlite:/dev/null/users.db', /^Cannot use the database sqlite:\/dev\/null\/users\.db: /],
    ['sqlite:/', /^Cannot use the database sqlite:\/: /],
    ['postgres://ann:secret@127.0.0.1:1/users', /^Cannot use the database postgres:\/\/127\.0\.0\.1:1\/users: /],
    ['postgres://[', /^Cannot use the database postgres:\/\/\[: /],
  ]
  for (const [url, message] of cases) {
    it(`raises an error of one line without the password: ${JSON.stringify(url)}`, async () => {
      await assert.rejects(openDatabase(url), (error) => {
        assert.ok(error instanceof DatabaseError)
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /secret|\n/)
        return true
      })
    })
  }
})
