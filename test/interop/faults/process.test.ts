import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../wiki/servers.ts'
import { size } from '../wiki/size.ts'
import { Program, type ProgramOptions } from './program.ts'
import { open, openMany, processorTime, readAll, residentMemory, statuses, trickle } from './sockets.ts'

/** Returns true for a response of stated length that has arrived to its end. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1]
  return end !== -1 && text.length >= end + 4 + Number(length ?? 0)
}

describe('a server', () => {
  let program: Program
  const start = async (options: ProgramOptions = {}) => {
    program = await Program.start(options)
    return program
  }
  afterEach(() => program?.stop())

  const status = async (path: string, init?: RequestInit) =>
    (await statuses([fetch(program.url + path, { headers: { connection: 'close' }, ...init })]))[0]

  it('whose event loop is blocked answers all that has arrived, and cuts no upload', async (t) => {
    // Longer than this process may be suspended.
    const limit = 10_000
    await start({ options: { bodyTimeout: limit, keepAliveTimeout: limit, headersTimeout: limit } })
    const body = '{"a":1}'
    const upload = await open(program.url)
    upload.write(
      `POST /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    const uploaded = readAll(upload)
    const head = await open(program.url)
    head.write('GET /index HTTP/1.1\r\nHost: x\r\nConnec')
    const headed = readAll(head)
    const blocked = fetch(`${program.url}/stuck`)
    await until('the loop is blocked', () => existsSync(join(program.directory, 'stuck')))
    const others = Array.from({ length: 50 }, () => fetch(`${program.url}/healthz`))
    // The pieces arrive while the process does not read.
    await Promise.all([trickle(upload, body, 1, 100), trickle(head, 'tion: close\r\n\r\n', 5, 100)])
    await sleep(limit + 1000)
    const begin = performance.now()
    await writeFile(join(program.directory, 'free'), '')
    assert.deepEqual(await statuses([blocked, ...others]), Array(51).fill(200))
    const milliseconds = performance.now() - begin
    assert.match(await uploaded, /^HTTP\/1\.1 200 /)
    assert.match(await headed, /^HTTP\/1\.1 200 /)
    assert.equal(await status('/index'), 200)
    t.diagnostic(`all answered ${milliseconds.toFixed(0)} ms after the end of a block of more than 11 s`)
  })

  it('without free descriptors refuses connections, does not spin, and recovers', async (t) => {
    await start({ shell: 'ulimit -n 100' })
    const early = await open(program.url)
    const sockets = await openMany(program.url, 200)
    const ask = async () => {
      early.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
      return readAll(early, (text) => text.endsWith('ok'))
    }
    assert.match(await ask(), /^HTTP\/1\.1 200 /)
    const used = processorTime(program.process.pid)
    const begin = performance.now()
    await sleep(size(1000, 5000))
    const share = (processorTime(program.process.pid) - used) / (performance.now() - begin)
    const open_ = sockets.filter((socket) => !socket.destroyed).length
    // Files need descriptors as well. One may be free when the system closes a connection in the meantime.
    let download = ''
    for (let attempt = 0; attempt < 20 && !download.startsWith('HTTP/1.1 503 '); attempt++) {
      if (attempt > 0) sockets.push(...(await openMany(program.url, 20)))
      early.write('GET /download HTTP/1.1\r\nHost: x\r\n\r\n')
      download = await readAll(early, isWhole)
    }
    early.destroy()
    for (const socket of sockets) socket.destroy()
    await until('new connections are answered', async () => (await status('/index')) === 200)
    assert.equal(await status('/download'), 200)
    t.diagnostic(
      `${open_} of 200 connections open, ${(100 * share).toFixed(0)} % of a processor while full, a file was ${download.slice(9, 12)}`,
    )
    assert.ok(share < 0.5, `${share}`)
    assert.match(download, /^HTTP\/1\.1 503 /)
    assert.equal(program.process.exitCode, null)
  })

  it('with clients that send and read a byte at a time serves others', async (t) => {
    const clients = size(100, 500)
    await start({ options: { headersTimeout: 5000, connectionsCheckingInterval: 500, bodyTimeout: 5000 } })
    const before = residentMemory(program.process.pid)
    const heads = await openMany(program.url, clients)
    const bodies = await openMany(program.url, clients)
    const readers = await openMany(program.url, clients)
    const endings = [...heads, ...bodies].map((socket) => readAll(socket))
    const slowHeads = heads.map((socket) => trickle(socket, `GET /${'x'.repeat(2000)}`, 1, 500))
    const slowBodies: Promise<void>[] = []
    // It would take two minutes, so that it does not end before its time limit if a process is suspended.
    const body = ' '.repeat(600)
    for (const socket of bodies) {
      socket.write(
        `POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      )
      slowBodies.push(trickle(socket, body, 1, 200))
    }
    for (const socket of readers) {
      socket.write('GET /download HTTP/1.1\r\nHost: x\r\n\r\n')
      socket.pause()
    }
    const times: number[] = []
    for (let count = 0; count < 100; count++) {
      const begin = performance.now()
      assert.equal(await status('/page'), 200)
      times.push(performance.now() - begin)
      await sleep(10)
    }
    const growth = (residentMemory(program.process.pid) - before) / 2 ** 20
    times.sort((a, b) => a - b)
    // Heads have a time limit as a whole, and bodies that are gathered in memory a rate. Responses that are read may take any time.
    for (const text of await Promise.all(endings)) assert.match(text, /^HTTP\/1\.1 408 /)
    t.diagnostic(
      `${3 * clients} slow clients: others p50 ${times[50]?.toFixed(1)} ms, p99 ${times[98]?.toFixed(1)} ms, ${growth.toFixed(0)} MiB more`,
    )
    for (const socket of [...heads, ...bodies, ...readers]) socket.destroy()
    await Promise.all([...slowHeads, ...slowBodies])
    await until('all connections are closed', async () => (await program.inventory()).descriptors < 30)
  })

  it('that receives more than its memory answers 503, and goes on', async (t) => {
    const clients = size(40, 200)
    const bytes = 4 * 2 ** 20
    await start({ options: { maxBufferedBytes: 16 * 2 ** 20 }, flags: ['--max-old-space-size=200'] })
    const body = Buffer.alloc(bytes, 'x')
    const others = (async () => {
      const answers = []
      for (let count = 0; count < 20; count++) answers.push(await status('/index'))
      return answers
    })()
    const counts = new Map<number, number>()
    const sent = Array.from({ length: clients }, () => fetch(`${program.url}/whole`, { method: 'POST', body }))
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, residentMemory(program.process.pid))
    }, 50)
    for (const code of await statuses(sent)) counts.set(code, (counts.get(code) ?? 0) + 1)
    clearInterval(watch)
    t.diagnostic(
      `${clients} bodies of 4 MiB at once: ${JSON.stringify([...counts])}, at most ${(peak / 2 ** 20).toFixed(0)} MiB`,
    )
    assert.deepEqual(await others, Array(20).fill(200))
    assert.ok((counts.get(200) ?? 0) > 0)
    // A client that is still sending when the connection closes may not see the response.
    for (const code of counts.keys()) assert.ok([0, 200, 503].includes(code), String(code))
    assert.equal(await status('/whole', { method: 'POST', body }), 200)
  })

  it('serves the rest without a template, and the template once it is back', async () => {
    await start()
    const file = join(program.directory, 'templates/page.eta')
    await rename(file, `${file}.away`)
    assert.equal(await status('/page'), 500)
    assert.equal(await status('/index'), 200)
    await rename(`${file}.away`, file)
    assert.equal(await status('/page'), 200)
    // A template in use is kept in memory.
    await rename(file, `${file}.away`)
    assert.equal(await status('/page'), 200)
    await writeFile(file, '<% broken')
    assert.equal(await status('/page'), 200)
  })

  it('goes on after promises that nobody waits for', async () => {
    await start()
    assert.deepEqual(
      await statuses(Array.from({ length: 100 }, () => fetch(`${program.url}/rejection`))),
      Array(100).fill(200),
    )
    assert.equal(program.process.exitCode, null)
  })
})
