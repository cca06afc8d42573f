import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Client, type Place, serversPlace, sqlitePlace, Wiki } from '../../examples/wiki/wiki.ts'
import { sendLoad, type Target, type Task } from './load.ts'
import { type Nginx, startNginx } from './nginx.ts'
import { until, workersOf } from './servers.ts'
import { size } from './size.ts'

const REQUESTS = size(600, 5000)
/** Size of the longest run, behind nginx. */
const LONG = { requests: size(600, 100_000), restarts: size(1, 20) }
const SECRET = 'a secret of at least 32 characters'

/** Returns the request of a number: every tenth stores a version, the others read. */
function task(cookie: string, number: number): Task {
  const paths = [
    '/page/FrontPage',
    '/page.json',
    '/feed.atom',
    '/static/wiki.css',
    '/page/FrontPage/history',
    '/search?q=wiki',
  ]
  if (number % 10 !== 0) return { path: paths[number % paths.length] ?? '/' }
  const body = JSON.stringify({ title: `Load ${number % 50}`, content: `version ${number}` })
  return {
    method: 'POST',
    path: '/rpc/wiki.putPage',
    headers: { cookie, 'content-type': 'application/json', accept: 'application/json' },
    body,
  }
}

for (const [storage, make, isProxied] of [
  ['SQLite', sqlitePlace, false],
  ['PostgreSQL and Redis, behind nginx', serversPlace, true],
] as const) {
  describe(`two workers of the wiki on ${storage}`, () => {
    let place: Place
    let wiki: Wiki
    let nginx: Nginx | undefined
    let target: Target
    let cookie: string

    before(async () => {
      place = await make({ WORKERS: '2', SECRET })
      const socket = join(place.directory, 'wiki.sock')
      wiki = await Wiki.start({ ...place.variables, ...(isProxied && { LISTEN: `unix:${socket}` }) })
      nginx = isProxied ? await startNginx(place.directory, socket) : undefined
      target = nginx ?? wiki
      const direct = isProxied ? await Wiki.start(place.variables) : undefined
      const ann = await Client.user(direct ?? wiki, 'ann')
      await direct?.stop()
      cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ')
    })
    after(async () => {
      await nginx?.stop()
      if (wiki?.process.exitCode === null) await wiki.stop()
      await place?.remove()
    })

    for (const isFresh of [false, true]) {
      it(`restart without a failed request on ${isFresh ? 'new' : 'kept'} connections`, async (t) => {
        const wanted = isProxied && !isFresh ? LONG : { requests: REQUESTS, restarts: 1 }
        let isOver = false
        let restarts = 0
        const start = performance.now()
        const load = sendLoad({
          ...target,
          parallel: 16,
          isFresh,
          next: (number) => (number < wanted.requests || restarts < wanted.restarts ? task(cookie, number) : undefined),
        }).finally(() => {
          isOver = true
        })
        while (!isOver) {
          const old = workersOf(wiki)
          wiki.process.kill('SIGHUP')
          await until(
            'the workers are replaced',
            () => {
              const now = workersOf(wiki)
              return isOver || (now.length === 2 && now.every((pid) => !old.includes(pid)))
            },
            60,
          )
          if (!isOver) restarts += 1
        }
        const { statuses, failures, refused } = await load
        const seconds = ((performance.now() - start) / 1000).toFixed(1)
        t.diagnostic(
          `${statuses.get(200)} responses in ${seconds} s, ${restarts} restarts of both workers, ${failures.length} failures`,
        )
        assert.deepEqual([failures, refused, [...statuses.keys()]], [[], 0, [200]])
        assert.ok(restarts >= wanted.restarts)
        await until('the last restart ends', () => workersOf(wiki).length === 2, 60)
      })
    }
  })
}

for (const workers of [1, 2]) {
  for (const isFresh of [false, true]) {
    describe(`SIGTERM while ${workers} of the wiki serve ${isFresh ? 'new' : 'kept'} connections`, () => {
      let place: Place
      before(async () => {
        place = await sqlitePlace({ WORKERS: String(workers), SECRET })
      })
      after(() => place.remove())

      it('completes the requests that have begun, and exits with status 0', async (t) => {
        const wiki = await Wiki.start(place.variables)
        const ann = await Client.user(wiki, 'ann')
        const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ')
        const streams = await Promise.all([1, 2, 3, 4].map(() => fetch(`${wiki.url}/events`)))
        const ended = Promise.all(streams.map((stream) => stream.text()))
        let signalled = 0
        let answers = 0
        const load = sendLoad({
          ...wiki,
          parallel: 16,
          isFresh,
          // It ends when connections are refused.
          next: (number) => (number % 20 === 0 ? { path: '/readyz' } : task(cookie, number + 1)),
          answered: () => {
            if (signalled > 0 || ++answers < 300) return
            signalled = performance.now()
            wiki.process.kill('SIGTERM')
          },
        })
        const { statuses, failures } = await load
        const exit = await wiki.exited
        const seconds = (performance.now() - signalled) / 1000
        const total = [...statuses.values()].reduce((sum, count) => sum + count, 0)
        t.diagnostic(`${total} responses, ${failures.length} failures, exit after ${seconds.toFixed(1)} s`)
        assert.deepEqual(failures, [])
        assert.deepEqual(exit, [0, null])
        // /readyz is 503 while the port is open still, unless this process is suspended for that time.
        assert.deepEqual(
          [...statuses.keys()].filter((status) => status !== 503),
          [200],
        )
        await ended
      })
    })
  }
}
