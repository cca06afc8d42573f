/**
 * Measures what grows unnoticed: the bytes of the package, of a Worker's bundle and of its core, the work to import
 * the package, and to type-check the example.
 *
 *     node scripts/budgets.ts            prints them beside the budgets
 *     node scripts/budgets.ts --check    fails when one is over
 *
 * Needs a built dist/ and, for the bundles, Bun from test/packages. No budget is a time, which
 * depends on the machine and on what else it does. The budgets leave room: only a large step fails. A deliberate step
 * raises its budget in the same change.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

interface Measure {
  readonly title: string
  readonly unit: 'kB' | 'MB' | '×' | 'thousand'
  readonly budget: number
  measure(): number
}

const root = fileURLToPath(new URL('../', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'propylon-budgets-'))

const measures: Measure[] = [
  {
    title: 'the package without its documentation, unpacked',
    unit: 'kB',
    budget: 2400,
    measure: () => packed(/^(?!docs\/|examples\/|[A-Z]+\.md$|llms\.txt$)/),
  },
  { title: '… its declarations', unit: 'kB', budget: 470, measure: () => packed(/\.d\.ts$/) },
  {
    title: 'a Worker with one controller, minified',
    unit: 'kB',
    budget: 450,
    measure: () => bundle(WORKER).length / 1000,
  },
  { title: '… gzipped', unit: 'kB', budget: 162, measure: () => gzipSync(bundle(WORKER)).length / 1000 },
  {
    title: 'propylon/routing alone, minified',
    unit: 'kB',
    budget: 80,
    measure: () => bundle("import { Mapper } from 'propylon/routing'; console.log(new Mapper())").length / 1000,
  },
  {
    title: 'propylon/xmlrpc alone, minified',
    unit: 'kB',
    budget: 80,
    measure: () => bundle("import * as xmlrpc from 'propylon/xmlrpc'; console.log(xmlrpc)").length / 1000,
  },
  { title: "loaded by import 'propylon'", unit: 'kB', budget: 640, measure: () => loaded('propylon') },
  { title: '… propylon/routing', unit: 'kB', budget: 130, measure: () => loaded('routing') },
  { title: '… propylon/xmlrpc', unit: 'kB', budget: 155, measure: () => loaded('xmlrpc') },
  {
    title: "processor time of import 'propylon', beside an empty program",
    unit: '×',
    budget: 8,
    measure: importTime,
  },
  {
    title: 'processor time of a process until its first response, beside a server of node:http',
    unit: '×',
    budget: 2,
    measure: () => firstResponse(SERVER).time / firstResponse(BARE_SERVER).time,
  },
  {
    title: 'memory of the process then, more than with node:http',
    unit: 'MB',
    budget: 20,
    measure: () => firstResponse(SERVER).memory - firstResponse(BARE_SERVER).memory,
  },
  // With the sources. The nodes of syntax trees are a third; declarations, which users have, do not contain them.
  { title: 'instantiations of types in the example', unit: 'thousand', budget: 300, measure: instantiations },
]

const WORKER = `import { FrameworkApp, Mapper, WSGIController } from 'propylon'
class Hello extends WSGIController { index() { return 'Hello' } }
const app = new FrameworkApp({ map: new Mapper().connect('/{controller}', { action: 'index' }), controllers: { hello: Hello } })
export default { fetch: app.fetch }`

const SERVER = `import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { serve } from 'propylon/node'
class Hello extends WSGIController { index(id = '') { return 'Hello' + id } }
const app = new FrameworkApp({ map: new Mapper().connect('/{controller}', { action: 'index' }), controllers: { hello: Hello } })
const { port } = await serve(app)`

const BARE_SERVER = `import { createServer } from 'node:http'
const server = createServer((_req, res) => res.end('Hello'))
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address()`

let failed = false
try {
  for (const { title, unit, budget, measure } of measures) {
    const value = measure()
    const over = value > budget
    failed ||= over
    console.log(
      `${value.toFixed(unit === '×' ? 1 : 0).padStart(8)} ${unit}  ${title} (budget ${budget})${over ? '  OVER' : ''}`,
    )
  }
} finally {
  rmSync(scratch, { recursive: true })
}
if (failed && process.argv.includes('--check')) process.exitCode = 1

/** Returns the size of the files of the package whose paths match. */
function packed(pattern: RegExp): number {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']
  const [{ files }]: [{ files: { path: string; size: number }[] }] = JSON.parse(
    execFileSync('npm', words, { cwd: root, encoding: 'utf8' }),
  )
  return files.filter(({ path }) => pattern.test(path)).reduce((total, { size }) => total + size, 0) / 1000
}

/** Returns the size of the modules that the import of an entry loads, without dependencies. */
function loaded(entry: string): number {
  const files = new Set([join(root, 'dist/entries', `${entry}.js`)])
  let size = 0
  for (const file of files) {
    const code = readFileSync(file, 'utf8')
    size += Buffer.byteLength(code)
    for (const [, path = ''] of code.matchAll(/^(?:import|export)\b[^'"]*['"](\.[^'"]+)['"]/gm)) {
      files.add(join(dirname(file), path))
    }
  }
  return size / 1000
}

function bundle(source: string): Buffer {
  // Within the checkout, so that the package's own name resolves.
  const entry = join(root, 'test/runtimes', `.budget-${process.pid}.ts`)
  const out = join(scratch, 'bundle.js')
  writeFileSync(entry, source)
  try {
    const bun = join(root, 'test/packages/node_modules/.bin/bun')
    execFileSync(bun, ['build', entry, '--minify', '--target=browser', `--outfile=${out}`], {
      cwd: root,
      stdio: 'pipe',
    })
  } finally {
    rmSync(entry)
  }
  return readFileSync(out)
}

/** Returns the processor time of a program that imports the package, divided by that of an empty program. */
function importTime(): number {
  const processorTime = (program: string) => {
    const script = `${program}; const { user, system } = process.cpuUsage(); console.log(user + system)`
    const words = ['--input-type=module', '-e', script]
    return Number(execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' }))
  }
  // In turn, so that both run in the same conditions.
  const times = Array.from({ length: 5 }, () => [processorTime(''), processorTime("await import('propylon')")])
  const [nothing = 0, all = 0] = [0, 1].map((which) => Math.min(...times.map((pair) => pair[which] ?? 0)))
  return all / nothing
}

/**
 * Returns the processor time of a program that serves one request, in microseconds, and its memory then, in
 * megabytes.
 */
function firstResponse(server: string): { time: number; memory: number } {
  const program = `${server}
    const socket = process.getBuiltinModule('node:net').connect(port, '127.0.0.1')
    socket.write('GET /hello HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n')
    socket.once('data', (data) => {
      const { user, system } = process.cpuUsage()
      console.log(JSON.stringify({ ok: data.includes(' 200 '), time: user + system, memory: process.memoryUsage.rss() / 1e6 }))
      process.exit()
    })`
  const runs = Array.from({ length: 5 }, (): { ok: boolean; time: number; memory: number } =>
    JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' })),
  )
  if (!runs.every(({ ok }) => ok)) throw new Error('The server has not responded with 200')
  const least = (key: 'time' | 'memory') => Math.min(...runs.map((run) => run[key]))
  return { time: least('time'), memory: least('memory') }
}

function instantiations(): number {
  const config = join(root, 'test/runtimes', `.budget-${process.pid}.json`)
  writeFileSync(config, JSON.stringify({ extends: '../../tsconfig.json', include: ['../../examples/users'] }))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    // Several threads would instantiate some types more than once.
    const words = [tsc, '-p', config, '--extendedDiagnostics', '--singleThreaded']
    const report = execFileSync(process.execPath, words, { encoding: 'utf8' })
    const count = /^Instantiations: +(\d+)$/m.exec(report)?.[1]
    if (count === undefined) throw new Error(`The compiler has not reported its instantiations:\n${report}`)
    return Number(count) / 1000
  } finally {
    rmSync(config)
  }
}
