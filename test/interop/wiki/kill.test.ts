import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Client, type Place, serversPlace, sqlitePlace, Wiki } from '../../examples/wiki/wiki.ts'
import { size } from './size.ts'

const ROUNDS = size(2, 100)
const WRITERS = 4
const SECRET = 'a secret of at least 32 characters'

/** The changes that the wiki has acknowledged. */
interface Acknowledged {
  /** Contents of the versions of each page, by title. */
  readonly versions: Map<string, Map<number, string>>
  /** Hashes of files by name. */
  readonly files: Map<string, string>
}

const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

/** Stores versions of one page, and files, until the wiki does not answer any more. */
async function write(client: Client, title: string, known: Acknowledged, stored: () => void): Promise<void> {
  const versions = known.versions.get(title) ?? new Map<number, string>()
  known.versions.set(title, versions)
  try {
    const created = await client.post('/page', { title, content: 'new' })
    if (created.status === 201) versions.set(1, 'new')
    let { version } = (await client.get(`/page/${title}.json`)).json
    for (;;) {
      const content = randomBytes(2000).toString('hex')
      const { status, json } = await client.put(`/page/${title}`, { content, version: String(version) })
      assert.equal(status, 200)
      version = json.version
      versions.set(version, content)
      stored()
      const name = `${crypto.randomUUID()}.bin`
      const bytes = randomBytes(300_000)
      const form = new FormData()
      form.set('file', new File([bytes], name))
      // A page that the round before has created.
      const upload = await client.post('/page/FrontPage/files', form)
      assert.equal(upload.status, 201)
      known.files.set(name, hashOf(bytes))
      stored()
    }
  } catch (error) {
    // Without an answer nothing is acknowledged. Any wrong answer is an error of the test.
    if (!(error instanceof TypeError)) throw error
  }
}

for (const [storage, make] of [
  ['SQLite', sqlitePlace],
  ['PostgreSQL and Redis', serversPlace],
] as const) {
  describe(`the wiki on ${storage}, killed while it writes`, () => {
    let place: Place
    before(async () => {
      place = await make({ SECRET, MAX_UPLOAD: '1000000' })
    })
    after(() => place?.remove())

    it('has all that it acknowledged, and complete files only', async (t) => {
      const known: Acknowledged = { versions: new Map(), files: new Map() }
      let wiki = await Wiki.start(place.variables)
      const client = await Client.user(wiki, 'ann')
      for (let round = 0; round < ROUNDS; round++) {
        const ann = new Client(wiki, { accept: 'application/json' })
        for (const pair of client.cookies) ann.cookies.set(...pair)
        const wanted = 10 + Math.floor(Math.random() * 30)
        let count = 0
        const stored = () => {
          count += 1
          // Not at the moment of an answer, but while others are being written.
          if (count === wanted) setTimeout(() => wiki.process.kill('SIGKILL'), Math.random() * 20)
        }
        await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(ann, `Writer${writer}`, known, stored)))
        assert.deepEqual(await wiki.exited, [null, 'SIGKILL'])
        wiki = await Wiki.start(place.variables)
        await check(new Client(wiki, { accept: 'application/json' }), known, round === ROUNDS - 1)
      }
      const versions = [...known.versions.values()].reduce((sum, { size: count }) => sum + count, 0)
      t.diagnostic(`${ROUNDS} kills, ${versions} versions and ${known.files.size} files acknowledged, none lost`)
      await wiki.stop()
    })
  })
}

/** Checks that everything that was acknowledged is there, and that all files are complete. */
async function check(client: Client, known: Acknowledged, isAll: boolean): Promise<void> {
  for (const [title, versions] of known.versions) {
    const { json } = await client.get(`/page/${title}/history.json`)
    const listed: number[] = json.versions.map(({ version }: { version: number }) => version)
    assert.deepEqual(
      [...versions.keys()].filter((version) => !listed.includes(version)),
      [],
    )
    // No gaps: a version has its row, or was never stored.
    assert.deepEqual(
      listed,
      Array.from(listed, (_, index) => listed.length - index),
    )
    assert.equal((await client.get(`/page/${title}.json`)).json.version, listed.length)
    for (const [version, content] of isAll ? versions : [...versions].slice(-3)) {
      const stored = await client.get(`/page/${title}/history/${version}.json`)
      assert.deepEqual([stored.status, stored.json.content], [200, content])
    }
  }
  const { json } = await client.get('/page/FrontPage/files.json')
  const files = new Map<string, { size: number; link: string }>(
    json.files.map((file: { name: string; size: number; link: string }) => [file.name, file]),
  )
  assert.deepEqual(
    [...known.files.keys()].filter((name) => !files.has(name)),
    [],
  )
  for (const [name, { size: bytes, link }] of isAll ? files : [...files].slice(-5)) {
    assert.equal(bytes, 300_000)
    const response = await client.fetch('GET', link)
    const hash = hashOf(new Uint8Array(await response.arrayBuffer()))
    // One that was stored and not acknowledged has its whole size, too.
    if (known.files.has(name)) assert.equal(hash, known.files.get(name))
    assert.equal(response.headers.get('content-length'), '300000')
  }
}
