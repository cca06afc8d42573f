import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { openDatabase } from '../../examples/users/model/database.ts'
import { Users } from '../../examples/users/model/users.ts'

/** Script that adds users until it is killed, and prints the name of each user after it is stored. */
const WRITER = `
  const [url, model] = process.argv.slice(1)
  const { openDatabase } = await import(model + 'database.ts')
  const { Users } = await import(model + 'users.ts')
  const { hashCheaply } = await import('propylon/passwords')
  process.env.NODE_ENV = 'test'
  hashCheaply()
  const users = new Users(await openDatabase(url))
  const { writeSync } = await import('node:fs')
  for (let number = 0; ; number++) {
    const name = 'user-' + process.pid + '-' + number
    await users.add({ name, full_name: 'x'.repeat(200), email: 'a@example.org', password: 'correct horse' })
    writeSync(1, name + '\\n')
  }
`

const MODEL = new URL('../../examples/users/model/', import.meta.url).href

it('loses no acknowledged user when two writers are killed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'propylon-durability-'))
  const url = `sqlite:${join(directory, 'users.db')}`
  try {
    const acknowledged = (await Promise.all([60, 90].map((count) => writeUntilKilled(url, count)))).flat()
    assert.ok(acknowledged.length >= 150)
    const users = new Users(await openDatabase(url))
    try {
      const stored = new Set((await users.all()).map((user) => user.name))
      assert.deepEqual(
        acknowledged.filter((name) => !stored.has(name)),
        [],
      )
    } finally {
      await users.close()
    }
  } finally {
    await rm(directory, { recursive: true })
  }
})

/** Kills a writer with SIGKILL after it has acknowledged a number of users. Returns all names that it printed. */
async function writeUntilKilled(url: string, count: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, url, MODEL], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const names: string[] = []
  for await (const name of createInterface({ input: child.stdout })) {
    names.push(name)
    if (names.length === count) child.kill('SIGKILL')
  }
  const [, signal] = await exited
  assert.equal(signal, 'SIGKILL')
  return names
}
