import assert from 'node:assert/strict'
import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { get, request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Client, type Place, sqlitePlace, Wiki } from '../../examples/wiki/wiki.ts'
import { until } from './servers.ts'
import { size } from './size.ts'

const MIB = 1024 * 1024
const LENGTH = size(100, 1024) * MIB
const LIMIT = 60 * MIB
const CHUNK = Buffer.alloc(MIB, 'propylon')
const BOUNDARY = '----large-file'

/** The resident memory of a process, in bytes. */
function memoryOf({ process: { pid } }: Wiki): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

/** Measures the highest memory of a process until it is requested to end. Returns how much that is above the beginning. */
function watch(wiki: Wiki): () => number {
  const begin = memoryOf(wiki)
  let highest = begin
  const timer = setInterval(() => {
    highest = Math.max(highest, memoryOf(wiki))
  }, 20)
  return () => {
    clearInterval(timer)
    return highest - begin
  }
}

describe('a large file in the wiki', () => {
  let place: Place
  let wiki: Wiki
  let ann: Client
  const cookie = () => [...ann.cookies].map((pair) => pair.join('=')).join('; ')

  before(async () => {
    place = await sqlitePlace({ MAX_UPLOAD: String(LENGTH) })
    wiki = await Wiki.start(place.variables)
    ann = await Client.user(wiki, 'ann')
    // V8 lets about 64 MiB of buffers become garbage before it collects them. What counts is the growth after that.
    const { req } = await beginUpload('first.bin', 64 * MIB)
    req.end(`\r\n--${BOUNDARY}--\r\n`)
    const [response] = await once(req, 'response')
    response.resume()
    assert.equal(response.statusCode, 201)
    const first = `${wiki.url}/page/FrontPage/files/first.bin`
    await Promise.all([1, 2, 3].map(() => readSlowly(first, 64 * MIB)))
  })
  after(async () => {
    await wiki?.stop()
    await place?.remove()
  })

  /** Sends the beginning of an upload. Returns the request, and the hash of what was sent. */
  async function beginUpload(name: string, length: number) {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
    const req = request(`${wiki.url}/page/FrontPage/files`, {
      method: 'POST',
      headers: { cookie: cookie(), 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    })
    const hash: Hash = createHash('sha256')
    req.write(head)
    for (let sent = 0; sent < length; sent += CHUNK.length) {
      hash.update(CHUNK)
      if (!req.write(CHUNK)) await once(req, 'drain')
    }
    return { req, hash }
  }

  it('is received and sent to three slow readers with flat memory', { timeout: 1_800_000 }, async (t) => {
    const stop = watch(wiki)
    const start = performance.now()
    const { req, hash } = await beginUpload('large.bin', LENGTH)
    req.end(`\r\n--${BOUNDARY}--\r\n`)
    const [response] = await once(req, 'response')
    response.resume()
    assert.equal(response.statusCode, 201)
    const growth = stop()
    const seconds = (performance.now() - start) / 1000
    t.diagnostic(`upload of ${LENGTH / MIB} MiB: ${seconds.toFixed(1)} s, memory + ${Math.round(growth / MIB)} MiB`)
    assert.ok(growth < LIMIT, `${growth} bytes`)

    const digest = hash.digest('hex')
    const stopReading = watch(wiki)
    const begin = performance.now()
    const hashes = await Promise.all(
      [1, 2, 3].map(() => readSlowly(`${wiki.url}/page/FrontPage/files/large.bin`, LENGTH)),
    )
    const more = stopReading()
    const reading = (performance.now() - begin) / 1000
    t.diagnostic(`three slow readers: ${reading.toFixed(1)} s, memory + ${Math.round(more / MIB)} MiB`)
    assert.deepEqual(hashes, [digest, digest, digest])
    assert.ok(more < LIMIT, `${more} bytes`)
  })

  it('leaves nothing if its upload is abandoned half-way', async () => {
    const before = await readdir(place.variables.UPLOADS ?? '')
    const { req } = await beginUpload('abandoned.bin', LENGTH / 2)
    req.on('error', () => {})
    await until(
      'the upload is on the disk',
      async () => (await readdir(place.variables.UPLOADS ?? '')).length > before.length,
    )
    req.destroy()
    await until('nothing is left', async () => {
      const now = await readdir(place.variables.UPLOADS ?? '')
      return now.length === before.length && now.every((name) => before.includes(name))
    })
    assert.equal((await ann.get('/page/FrontPage/files/abandoned.bin')).status, 404)
  })

  it('leaves nothing if it is larger than MAX_UPLOAD', async () => {
    const before = await readdir(place.variables.UPLOADS ?? '')
    const { req } = await beginUpload('larger.bin', LENGTH)
    req.on('error', () => {})
    req.end(`x\r\n--${BOUNDARY}--\r\n`)
    const [response] = await once(req, 'response')
    response.resume()
    assert.equal(response.statusCode, 413)
    assert.deepEqual(await readdir(place.variables.UPLOADS ?? ''), before)
  })
})

/** Reads a file in steps, and returns its hash. */
async function readSlowly(url: string, length: number): Promise<string> {
  const [response] = await once(get(url, { agent: false }), 'response')
  assert.equal(response.statusCode, 200)
  const hash = createHash('sha256')
  let read = 0
  for await (const chunk of response) {
    hash.update(chunk)
    const steps = Math.floor((read + chunk.length) / (2 * MIB)) - Math.floor(read / (2 * MIB))
    read += chunk.length
    if (steps > 0) await wait(15)
  }
  assert.equal(read, length)
  return hash.digest('hex')
}
