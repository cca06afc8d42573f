/**
 * Measures how the cost of a match depends on the number of routes: first, middle, last, static and missing paths of 10
 * to 10,000 routes, compared with other routers.
 *
 *     node --conditions=propylon-source bench/micro/routing.ts [--quick] [--check]
 *
 * Then measures the routes of a typical application: resources, known controllers and the default route.
 *
 * `--check` fails if a match among 10,000 routes costs more than 1.5 times (and 50 ns more than) a match among 10.
 * Other routers are imported from `bench/`. The output lists those that are not installed.
 */

import { Mapper } from '../../src/routing/mapper.ts'

const SIZES = [10, 100, 1000, 10_000]
const quick = process.argv.includes('--quick')
const CALLS = 20_000
const SLOW_NS = 3000
const ROUNDS = quick ? 8 : 25
const FACTOR = 1.5
const SLACK_NS = 50

/** Returns the GET matcher of a router with `size` routes, half of them static and half with a parameter. */
type Build = (routes: readonly RouteShape[]) => (path: string) => unknown

interface RouteShape {
  readonly path: string
  readonly dynamic: boolean
}

function routesOf(size: number): RouteShape[] {
  return Array.from({ length: size }, (_, index) =>
    index % 2 === 0
      ? { path: `/section${index}/list`, dynamic: false }
      : { path: `/section${index}/:id/edit`, dynamic: true },
  )
}

function probes(size: number): Record<string, string> {
  const odd = (index: number) => (index % 2 === 0 ? index + 1 : index)
  return {
    static: `/section${(size >> 1) & ~1}/list`,
    first: '/section1/joe/edit',
    middle: `/section${Math.min(size - 1, odd(size >> 1))}/joe/edit`,
    last: `/section${size - 1}/joe/edit`,
    miss: '/section7/joe/edits',
    stranger: '/nowhere/at/all',
  }
}

const propylon: Build = (routes) => {
  const map = new Mapper()
  for (const { path } of routes)
    map.connect(path, { controller: 'items', action: 'show', conditions: { method: 'GET' } })
  return (path) => map.resolve('GET', path)
}

const peers: Record<string, () => Promise<Build>> = {
  'find-my-way': async () => {
    const { default: create } = await imported('find-my-way')
    return (routes) => {
      const router = (create as (options: object) => FindMyWay)({ maxParamLength: 1000 })
      for (const { path } of routes) router.on('GET', path, () => undefined)
      return (path) => router.find('GET', path)
    }
  },
  'hono RegExpRouter': async () => hono((await imported('hono/router/reg-exp-router')).RegExpRouter),
  'hono TrieRouter': async () => hono((await imported('hono/router/trie-router')).TrieRouter),
  rou3: async () => {
    const rou3 = await imported('rou3')
    const create = rou3.createRouter as () => unknown
    const add = rou3.addRoute as (router: unknown, method: string, path: string, data: unknown) => void
    const find = rou3.findRoute as (router: unknown, method: string, path: string) => unknown
    return (routes) => {
      const router = create()
      for (const { path } of routes) add(router, 'GET', path, path)
      return (path) => find(router, 'GET', path)
    }
  },
}

interface FindMyWay {
  on(method: string, path: string, handler: () => void): void
  find(method: string, path: string): unknown
}

interface HonoRouter {
  add(method: string, path: string, handler: unknown): void
  match(method: string, path: string): unknown
}

function hono(Router: unknown): Build {
  return (routes) => {
    const router = new (Router as new () => HonoRouter)()
    for (const { path } of routes) router.add('GET', path, path)
    return (path) => router.match('GET', path)
  }
}

async function imported(name: string): Promise<Record<string, unknown>> {
  return (await import(name)) as Record<string, unknown>
}

let sink: unknown

/** Returns the nanoseconds per call in one round. */
function measure(call: (path: string) => unknown, path: string, calls: number): number {
  // New copies of the path prevent the engine from using a cached hash.
  const paths = Array.from({ length: 8 }, () => [...path].join(''))
  const start = performance.now()
  for (let index = 0; index < calls; index++) sink = call(paths[index & 7] ?? path)
  return ((performance.now() - start) * 1e6) / calls
}

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

interface Contender {
  readonly size: number
  readonly call: (path: string) => unknown
  readonly built: number
  readonly memory: number
  readonly best: Map<string, number>
}

function contender(build: Build, size: number): Contender {
  const routes = routesOf(size)
  const before = heap()
  const start = performance.now()
  const call = build(routes)
  sink = call('/nowhere')
  const built = performance.now() - start
  return { size, call, built, memory: (heap() - before) / 1024 / size, best: new Map() }
}

/** Returns the best round of each. Rounds are interleaved, so that noise, which only adds time, affects all sizes. */
function table(title: string, build: Build): readonly Contender[] {
  const contenders = SIZES.map((size) => contender(build, size))
  for (let round = 0; round < ROUNDS; round++) {
    for (const { size, call, best } of contenders) {
      for (const [name, path] of Object.entries(probes(size))) {
        const calls = (best.get(name) ?? 0) > SLOW_NS ? CALLS / 20 : CALLS
        best.set(
          name,
          Math.min(best.get(name) ?? Infinity, measure(call, path, round === 0 ? CALLS / 20 : calls)),
        )
      }
    }
  }
  const lines = [['routes', ...Object.keys(probes(10)), 'build ms', ...(globalThis.gc ? ['kB/route'] : [])]]
  for (const { size, best, built, memory } of contenders) {
    const cells = [...best.values()].map((time) => time.toFixed(0))
    lines.push([String(size), ...cells, built.toFixed(1), ...(globalThis.gc ? [memory.toFixed(2)] : [])])
  }
  console.log(`\n${title} (ns a match)`)
  for (const line of lines) console.log(line.map((cell) => cell.padStart(9)).join(' '))
  return contenders
}

/** Measures an application with resources and default routes. */
const requests: [title: string, method: string, path: string][] = [
  ['default route', 'GET', '/hello/greet'],
  ['controller alone', 'GET', '/hello'],
  ['resource list', 'GET', '/users'],
  ['resource member', 'GET', '/users/joe'],
  ['update', 'PUT', '/users/joe'],
  ['edit', 'GET', '/users/joe;edit'],
  ['format', 'GET', '/users/joe.json'],
  ['escaped', 'GET', '/users/j%20oe'],
  ['rest of a path', 'GET', '/mounted/a/b'],
  ['no route', 'GET', '/nowhere/at/all'],
]

function works(): void {
  const map = new Mapper({ controllerScan: () => ['hello', 'users', 'admin/users', 'mounted'] })
    .resource('user', 'users')
    .connect('/mounted/{path_info:.*}', { controller: 'mounted' })
    .connect('/{controller}', { action: 'index' })
    .connect('/{controller}/{action}')
    .connect('/{controller}/{action}/{id}')
  const best = new Map<string, number>()
  for (let round = 0; round < ROUNDS * 2; round++) {
    for (const [title, method, path] of requests) {
      const time = measure((asked) => map.resolve(method, asked), path, CALLS)
      best.set(title, Math.min(best.get(title) ?? Infinity, time))
    }
  }
  console.log('\npropylon, resources and the default route (ns a match)')
  for (const [title, time] of best) console.log(`${title.padEnd(18)}${time.toFixed(0).padStart(6)}`)
}

works()
const ours = table('propylon', propylon)
const missing: string[] = []
for (const [name, load] of Object.entries(peers)) {
  try {
    table(name, await load())
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    missing.push(name)
  }
}
if (missing.length > 0) console.log(`\nnot installed in bench/: ${missing.join(', ')}`)

const [few, many] = [ours[0], ours.at(-1)]
for (const name of Object.keys(probes(10))) {
  const least = few?.best.get(name) ?? 0
  const most = many?.best.get(name) ?? 0
  if (most <= least * FACTOR || most <= least + SLACK_NS) continue
  console.log(
    `over: ${name} costs ${most.toFixed(0)} ns among ${SIZES.at(-1)} routes, ${least.toFixed(0)} ns among ${SIZES[0]}`,
  )
  if (process.argv.includes('--check')) process.exitCode = 1
}
void sink
