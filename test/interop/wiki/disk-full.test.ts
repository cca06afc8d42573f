import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { Client, type Place, sqlitePlace, Wiki } from '../../examples/wiki/wiki.ts'
import { size } from './size.ts'

const ROUNDS = size(2, 20)
const UPLOAD = 3_000_000

/** Mounts a small file system in memory. Returns undefined without the permission to do so. */
function mount(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'none', directory])
  if (status === 0) return directory
  rmSync(directory, { recursive: true })
  return undefined
}

const disk = mount()
after(() => {
  if (disk === undefined) return
  execFileSync('umount', [disk])
  rmSync(disk, { recursive: true })
})

describe('the wiki on a full disk', {
  skip: disk === undefined && 'a small file system cannot be mounted',
}, () => {
  const directory = disk ?? ''
  const database = join(directory, 'wiki.db')
  const uploads = join(directory, 'uploads')
  const filler = join(directory, 'filler')
  let place: Place
  let wiki: Wiki
  let ann: Client

  before(async () => {
    mkdirSync(uploads)
    place = await sqlitePlace({ SECRET: 'a secret of at least 32 characters', MAX_UPLOAD: '10000000' })
    wiki = await Wiki.start({ ...place.variables, DATABASE_URL: `sqlite:${database}`, UPLOADS: uploads })
    ann = await Client.user(wiki, 'ann')
  })
  after(async () => {
    await wiki?.stop()
    await place?.remove()
  })

  /** Leaves a number of free bytes. */
  function fill(free: number): void {
    rmSync(filler, { force: true })
    const { bavail, bsize } = statfsSync(directory)
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - free)))
  }

  const upload = (name: string) => {
    const form = new FormData()
    form.set('file', new File([Buffer.alloc(UPLOAD, 'x')], name))
    return ann.post('/page/FrontPage/files', form)
  }

  it('answers 503, stores nothing by halves, and goes on when there is space', async (t) => {
    const pages: string[] = []
    const files: string[] = []
    const refused = { pages: 0, files: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      fill(1_000_000)
      const { status, headers } = await upload(`refused ${round}`)
      assert.deepEqual([status, headers.get('retry-after')], [503, '5'])
      refused.files += 1
      assert.deepEqual(readdirSync(uploads).length, files.length)
      fill(300_000)
      for (let number = 0; ; number++) {
        const title = `Page ${round} ${number}`
        const answer = await ann.post('/page', { title, content: 'x'.repeat(20_000) })
        if (answer.status !== 201) {
          assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5'])
          refused.pages += 1
          break
        }
        pages.push(title)
      }
      assert.equal((await ann.get('/page/FrontPage')).status, 200)
      assert.equal((await ann.get('/healthz')).status, 200)
      rmSync(filler)
      const name = `stored ${round}`
      if (round < 2) {
        assert.equal((await upload(name)).status, 201)
        files.push(name)
      }
      const after = `After ${round}`
      assert.equal((await ann.post('/page', { title: after, content: 'x' })).status, 201)
      pages.push(after)
    }
    for (const title of pages) assert.equal((await ann.get(`/page/${title}.json`)).status, 200, title)
    const { json } = await ann.get('/page/FrontPage/files.json')
    assert.deepEqual(
      json.files.map(({ name, size: bytes }: { name: string; size: number }) => [name, bytes]),
      files.map((name) => [name, UPLOAD]),
    )
    assert.equal(readdirSync(uploads).length, files.length)
    assert.equal(wiki.process.exitCode, null)
    const file = new DatabaseSync(database, { readOnly: true })
    assert.deepEqual({ ...file.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    file.close()
    t.diagnostic(
      `${ROUNDS} times full: ${pages.length} pages acknowledged, none lost; ${refused.pages} pages and ${refused.files} files refused`,
    )
  })
})
