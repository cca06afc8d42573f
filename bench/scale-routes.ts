/** Measures requests among many routes and controllers, and the time until the first of them is answered. */
import assert from 'node:assert/strict'
import { pathToFileURL } from 'node:url'
import { type Finding, measureWork, SERVER_CORE } from './measure.ts'
import { type Peer, peers } from './peers.ts'
import { ask } from './probe.ts'
import { build, makeProject, removeProject } from './project.ts'
import type { MeasureSection } from './section.ts'
import { ServerProcess } from './server-process.ts'
import { median, ratioText } from './statistics.ts'
import { requestText, type Work } from './works/work.ts'

const ROUTES = 1000
const FEW = 10
const READY = new URL('./servers/ready.mjs', import.meta.url).href

/** Returns a request for one of the routes: /part7/42. */
function request(number: number): Work {
  const expected = `part${number} 42`
  return {
    name: `part${number}`,
    title: `Route ${number + 1}`,
    method: 'GET',
    path: `/part${number}/42`,
    status: 200,
    connections: 32,
    rate: 10_000,
    baseline: 'routes-node',
    check: ({ body }) => assert.equal(body, expected),
  }
}

/** Returns a project that has the routes, and a controller for every two of them. */
function projectWith(routes: readonly number[]): Record<string, string> {
  const files: Record<string, string> = {
    'servers/app.js': `import { FrameworkApp, Mapper } from 'propylon'
import { serve } from 'propylon/node'
import { ready } from '${READY}'
const map = new Mapper()
for (const number of ${JSON.stringify(routes)})
  map.connect('/part' + number + '/{id}', { controller: 'pair' + (number >> 1), action: 'part' + number })
const app = new FrameworkApp({ map, controllers: new URL('../controllers/', import.meta.url) })
ready((await serve(app, { backlog: 1024 })).port)
`,
  }
  for (const pair of new Set(routes.map((number) => number >> 1))) {
    const actions = routes
      .filter((number) => number >> 1 === pair)
      .map((number) => `  part${number}(id) { return 'part${number} ' + id }\n`)
    files[`controllers/pair${pair}.js`] = `import { WSGIController } from 'propylon'
export class Pair${pair}Controller extends WSGIController {
${actions.join('')}}
`
  }
  return files
}

function propylon(root: string, title: string): Peer {
  const directory = `${pathToFileURL(root).href}/`
  return { name: `routes-${title}`, title, runtime: 'node', server: ['app.js'], directory, packages: [] }
}

function withRoutes(name: string): Peer {
  const title = peers.find((peer) => peer.name === name)?.title ?? name
  const server = ['routes.mjs', name, String(ROUTES)]
  return {
    name: `routes-${name}`,
    title: `${title}, ${number(ROUTES)} routes`,
    runtime: 'node',
    server,
    packages: [],
  }
}

function number(value: number): string {
  return value.toLocaleString('en')
}

export const measureScaleRoutes: MeasureSection = async ({ load, quick, log }) => {
  build()
  const all = Array.from({ length: ROUTES }, (_, index) => index)
  const step = ROUTES / FEW
  // The middle and the last route of all, and others.
  const few = all.filter((index) => (index + 1) % step === 0)
  const small = makeProject(projectWith(few))
  const large = makeProject(projectWith(all))
  const servers = [
    withRoutes('node'),
    propylon(small, `Propylon, ${FEW} routes, ${FEW} controllers`),
    propylon(large, `Propylon, ${number(ROUTES)} routes, ${ROUTES / 2} controllers`),
    ...['fastify', 'hono', 'express'].map(withRoutes),
  ]
  const settings = { rounds: quick ? 20 : 80, seconds: 0.05, warmUp: quick ? 1 : 2.5 }
  const works = [request(ROUTES / 2 - 1), request(ROUTES - 1)]
  try {
    const findings: Finding[] = []
    for (const work of works) {
      log(`  ${work.title}`)
      findings.push(...(await measureWork(work, servers, settings, load, () => {})))
    }
    const rows: string[][] = []
    for (const peer of servers) {
      const times: number[] = []
      for (let run = 0; run < (quick ? 3 : 9); run++) times.push(await toFirstAnswer(peer, works))
      const found = findings.filter((finding) => finding.peer === peer.name)
      rows.push([peer.title, ...found.flatMap(cells), `${median(times).toFixed(0)} ms`])
    }
    return {
      title: `${number(ROUTES)} routes and ${ROUTES / 2} controllers`,
      text: `CPU time of a request for the route in the middle and for the last one, with a parameter each, and the time from the start of a process to the end of its response to the first request, for the last route. The bare server looks up the first segment in a table. The ratios are relative to it. Propylon loads its controllers from a directory, as projects do. The first answer is the median of ${quick ? 3 : 9} starts.`,
      head: ['server', 'middle CPU µs', 'ratio', 'last CPU µs', 'ratio', 'first answer'],
      rows,
    }
  } finally {
    for (const root of [small, large]) removeProject(root)
  }
}

function cells({ cpu, ratio }: Finding): string[] {
  return [cpu.toFixed(1), ratio === null ? '' : ratioText(ratio)]
}

/** Returns the milliseconds from the start of a server to the end of its first response. */
async function toFirstAnswer(peer: Peer, works: readonly Work[]): Promise<number> {
  const work = works.at(-1)
  assert(work !== undefined)
  const begin = performance.now()
  const server = await ServerProcess.start(peer, SERVER_CORE)
  try {
    const { answer } = await ask(requestText(work), server.port)
    const time = performance.now() - begin
    work.check(answer)
    return time
  } finally {
    server.stop()
  }
}
