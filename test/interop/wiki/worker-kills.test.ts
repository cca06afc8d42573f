import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Place, sqlitePlace, Wiki } from '../../examples/wiki/wiki.ts'
import { sendLoad, type Task } from './load.ts'
import { until, workersOf } from './servers.ts'
import { size } from './size.ts'

const KILLS = size(3, 100)
const PARALLEL = 16

/** Returns the paths of the files that a process has open: none if it has ended. */
function openFiles(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  } catch {
    return []
  }
}

/** Returns the sockets of the connections to a port, as links of /proc. */
function connectionsOf(port: number): Set<string> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const open = rows.filter(([, address = '', , state]) => address.endsWith(local) && state === '01')
  return new Set(open.map((row) => `socket:[${row[9]}]`))
}

describe('two workers of the wiki', () => {
  let place: Place
  let wiki: Wiki
  let cookie: string
  before(async () => {
    place = await sqlitePlace({ WORKERS: '2', SECRET: 'a secret of at least 32 characters' })
    wiki = await Wiki.start(place.variables)
    const ann = await Client.user(wiki, 'ann')
    cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ')
  })
  after(async () => {
    await wiki?.stop()
    await place?.remove()
  })

  const probes: Socket[] = []
  /** Whether both workers have connections, so that they listen. Opens one, which the next worker in turn receives. */
  function serve(): boolean {
    const port = Number(new URL(wiki.url).port)
    probes.push(connect(port, '127.0.0.1').on('error', () => {}))
    const connections = connectionsOf(port)
    const workers = workersOf(wiki)
    return workers.length === 2 && workers.every((pid) => openFiles(pid).some((file) => connections.has(file)))
  }

  /** Returns the request of a number. Each writer has a page, so that its versions count the writes. */
  function task(number: number): Task {
    if (number % 4 !== 0) return { path: number % 2 === 0 ? '/page/FrontPage' : '/static/wiki.css' }
    return {
      method: 'POST',
      path: '/rpc/wiki.putPage',
      headers: { cookie, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ title: `Page ${number % 16}`, content: `version ${number}` }),
    }
  }

  for (const isFresh of [false, true]) {
    it(`killed one at a time, fail only the requests in progress on ${isFresh ? 'new' : 'kept'} connections`, async (t) => {
      let isOver = false
      const acknowledged = new Map<string, number>()
      const load = sendLoad({
        ...wiki,
        parallel: PARALLEL,
        isFresh,
        next: (number) => (isOver ? undefined : task(number)),
        answered(status, { method, body }) {
          if (method !== 'POST' || status !== 200) return
          const { title } = JSON.parse(body ?? '')
          acknowledged.set(title, (acknowledged.get(title) ?? 0) + 1)
        },
      })
      for (let kill = 0; kill < KILLS; kill++) {
        await until('both workers serve', serve, 60)
        for (const probe of probes.splice(0)) probe.destroy()
        await sleep(Math.random() * 300)
        const workers = workersOf(wiki)
        const victim = workers[kill % workers.length]
        process.kill(Number(victim), 'SIGKILL')
        await until('the worker is gone', () => !workersOf(wiki).includes(victim ?? ''))
      }
      isOver = true
      const { statuses, failures, refused } = await load
      const total = [...statuses.values()].reduce((sum, count) => sum + count, 0)
      t.diagnostic(
        `${KILLS} kills: ${total} responses, ${failures.length} failures (${(failures.length / KILLS).toFixed(1)} for each kill), ${refused} refused`,
      )
      assert.deepEqual([[...statuses.keys()], refused], [[200], 0])
      assert.ok(failures.length <= KILLS * PARALLEL, failures.slice(0, 5).join('\n'))
      const client = new Client(wiki, { accept: 'application/json' })
      for (const [title, count] of acknowledged) {
        const { json } = await client.get(`/page/${title}.json`)
        assert.ok(json.version >= count, `${title}: ${count} writes acknowledged, version ${json.version}`)
      }
    })
  }
})
