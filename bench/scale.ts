/** Measures the throughput of several workers compared with one: `propylon serve --workers`. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import type { Load } from './measure.ts'
import { runtimes } from './peers.ts'
import { probe } from './probe.ts'
import { build, makeProject, removeProject } from './project.ts'
import type { MeasureSection } from './section.ts'
import { ALL_CORES, end, startOnCore } from './server-process.ts'
import { median } from './statistics.ts'
import { requestText, type Work } from './works/work.ts'

const PAGES = 40
const ROWS = 400

/** Returns a work of several milliseconds with a short response, so that the load needs little of the workers' CPU time. */
function task(title: string, path: string, answer: RegExp): Work {
  return {
    name: 'scale',
    title,
    method: 'GET',
    path,
    status: 200,
    // The primary process distributes connections. With only a few, one worker could get most of them.
    connections: 64,
    rate: 0,
    check: ({ body }) => assert.match(body, answer),
  }
}

const tasks = [
  task('a password checked (PBKDF2)', '/password', /^checked$/),
  task(`${PAGES} HTML tables of ${ROWS} rows (Eta)`, '/report', /^\d{6} characters$/),
]

const files = {
  'app.js': `import { FrameworkApp, Mapper } from 'propylon'
export default new FrameworkApp({
  map: new Mapper().connect('/{controller}', { action: 'index' }),
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
})
`,
  'controllers/password.js': `import { pbkdf2Sync } from 'node:crypto'
import { WSGIController } from 'propylon'
export class PasswordController extends WSGIController {
  index() {
    pbkdf2Sync('correct horse', 'salt', 6000, 64, 'sha512')
    return 'checked'
  }
}
`,
  'controllers/report.js': `import { WSGIController } from 'propylon'
const rows = Array.from({ length: ${ROWS} }, (_, index) => ({ id: index, name: 'Item <' + index + '>', price: index / 7 }))
export class ReportController extends WSGIController {
  async index() {
    let length = 0
    for (let page = 0; page < ${PAGES}; page++) length += (await this.render('report', { page, rows })).length
    return length + ' characters'
  }
}
`,
  'templates/report.eta': `<h1>Page <%= it.page %></h1>
<table>
<% for (const row of it.rows) { %>
<tr><td><%= row.id %></td><td><%= row.name %></td><td><%= row.price.toFixed(2) %></td></tr>
<% } %>
</table>
`,
}

export const measureScale: MeasureSection = async ({ load, quick, log }) => {
  build()
  const root = makeProject(files)
  const servers: Served[] = []
  try {
    for (const workers of ['1', 'auto']) servers.push(await Served.start(root, workers))
    const rows: string[][] = []
    for (const work of tasks) {
      for (const server of servers) {
        await server.window(work, load, 1)
        server.perSecond.length = 0
      }
      for (let window = 1; window <= (quick ? 3 : 8); window++)
        for (const server of servers) await server.window(work, load, quick ? 1 : 2)
      log(`  ${work.title}`)
      const [one] = servers
      assert(one !== undefined)
      for (const server of servers) {
        const workers = server.workers === 'auto' ? `auto (${availableParallelism()})` : server.workers
        rows.push([
          work.title,
          workers,
          server.best.toFixed(0),
          (server.best / one.best).toFixed(2),
          server.median.toFixed(0),
          (server.median / one.median).toFixed(2),
        ])
      }
    }
    return {
      title: 'Workers',
      text: 'Requests per second of `propylon serve --workers N`, with short responses. The servers can use all cores. The load uses a few percent of a core and sleeps while it waits. The windows of both servers alternate, and the ratios are relative to one worker. Work that allocates much memory scales less, because the garbage collector of one worker already uses threads on another core.',
      head: ['work', 'workers', 'best window', 'ratio', 'median', 'ratio'],
      rows,
    }
  } finally {
    for (const server of servers) server.stop()
    removeProject(root)
  }
}

/** A running `propylon serve`. */
class Served {
  readonly workers: string
  readonly perSecond: number[] = []
  readonly #child: ChildProcess
  readonly #port: number

  private constructor(workers: string, child: ChildProcess, port: number) {
    this.workers = workers
    this.#child = child
    this.#port = port
  }

  static async start(root: string, workers: string): Promise<Served> {
    const main = 'node_modules/propylon/dist/cli/main.js'
    const command = [runtimes.node, main, 'serve', '--port', '0', '--workers', workers]
    const child = startOnCore(ALL_CORES, command, { cwd: root })
    return new Served(workers, child, await portOf(child))
  }

  get best(): number {
    return Math.max(...this.perSecond)
  }

  get median(): number {
    return median(this.perSecond)
  }

  async window(work: Work, load: Load, seconds: number): Promise<void> {
    const { connections } = work
    const framing = await probe(work, this.#port)
    await load.order({ kind: 'connect', port: this.#port, request: requestText(work), framing, connections })
    const order = { kind: 'run', milliseconds: 1000 * seconds, atLeast: 0, maySleep: true } as const
    const report = await load.order(order)
    await load.order({ kind: 'disconnect' })
    assert(report.kind === 'ran')
    this.perSecond.push(report.window.requests / report.window.seconds)
  }

  stop(): void {
    end(this.#child)
  }
}

/** Returns the port, which the command line prints when all workers listen. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.once('exit', (code) => reject(new Error(`propylon serve exited with ${code}. ${output}`)))
    child.stdout?.on('data', (data: Buffer) => {
      output += data.toString()
      const found = /http:\/\/127\.0\.0\.1:(\d+) with/.exec(output)
      if (found !== null) resolve(Number(found[1]))
    })
  })
}
