/**
 * How the cost of a match depends on the number of routes: first, middle, last, static and missing paths of 10 to 10,000 routes,
 * beside other routers.
 *
 *     node --conditions=propylon-source bench/micro/routing.ts [--quick] [--check]
 *
 * `--check` fails when a match among 10,000 routes costs more than 1.5 times (and 50 ns more than) one among 10.
 * The peers are imported when they are installed in `bench/`; the missing ones are named.
 */

import { Mapper } from '../../src/routing/mapper.ts'

const SIZES = [10, 100, 1000, 10_000]
const quick = process.argv.includes('--quick')
const ROUND_MS = quick ? 8 : 40
const ROUNDS = quick ? 5 : 9
const FACTOR = 1.5
const SLACK_NS = 50

/** A router with `size` routes: half of them static, half with a parameter; answers a GET. */
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

/** Nanoseconds a call: the best of several rounds, since whatever else runs only ever slows one down. */
function measure(call: (path: string) => unknown, path: string): number {
  // A path of its own for each call would measure the making of strings; a few copies keep the engine from knowing the answer.
  const paths = Array.from({ length: 8 }, () => [...path].join(''))
  let calls = 64
  let best = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    let done = 0
    let took = 0
    do {
      for (let index = 0; index < calls; index++) sink = call(paths[index & 7] ?? path)
      done += calls
      took = performance.now() - start
    } while (took < ROUND_MS)
    best = Math.min(best, (took * 1e6) / done)
    calls = Math.max(64, Math.min(done, 65_536))
  }
  return best
}

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function table(title: string, build: Build): Map<string, number[]> {
  const columns = new Map<string, number[]>()
  const lines = [['routes', ...Object.keys(probes(10)), 'build ms', ...(globalThis.gc ? ['kB/route'] : [])]]
  for (const size of SIZES) {
    const routes = routesOf(size)
    const before = heap()
    const start = performance.now()
    let call: (path: string) => unknown
    try {
      call = build(routes)
      sink = call('/nowhere')
    } catch (error) {
      lines.push([
        String(size),
        `cannot: ${error instanceof Error ? error.message.slice(0, 60) : String(error)}`,
      ])
      continue
    }
    const built = performance.now() - start
    const memory = (heap() - before) / 1024 / size
    const cells = Object.entries(probes(size)).map(([name, path]) => {
      const time = measure(call, path)
      columns.set(name, [...(columns.get(name) ?? []), time])
      return time.toFixed(0)
    })
    lines.push([String(size), ...cells, built.toFixed(1), ...(globalThis.gc ? [memory.toFixed(2)] : [])])
  }
  console.log(`\n${title} (ns a match)`)
  for (const line of lines) console.log(line.map((cell) => cell.padStart(9)).join(' '))
  return columns
}

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

for (const [name, times] of ours) {
  const few = times[0] ?? 0
  const many = times.at(-1) ?? 0
  const over = many > few * FACTOR && many > few + SLACK_NS
  if (!over) continue
  console.log(
    `over: ${name} costs ${many.toFixed(0)} ns among ${SIZES.at(-1)} routes, ${few.toFixed(0)} ns among ${SIZES[0]}`,
  )
  if (process.argv.includes('--check')) process.exitCode = 1
}
void sink
