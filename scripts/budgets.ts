/**
 * Measures what grows unnoticed: the bytes of the package, of a Worker's bundle and of its core, the time to import the package,
 * and the time to type-check the example.
 *
 *     node scripts/budgets.ts            prints them beside the budgets
 *     node scripts/budgets.ts --check    fails when one is over
 *
 * Needs a built dist/ and, for the bundles, Bun from test/runtimes/binaries. The budgets leave room for noise: only a
 * large step fails. Who makes such a step on purpose raises the budget with it.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

interface Measure {
  readonly title: string
  readonly unit: 'kB' | 's'
  readonly budget: number
  measure(): number
}

const root = fileURLToPath(new URL('../', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'propylon-budgets-'))

const measures: Measure[] = [
  {
    title: 'the package without docs/, unpacked',
    unit: 'kB',
    budget: 1800,
    measure: () => packed(/^(?!docs\/)/),
  },
  { title: '… its declarations', unit: 'kB', budget: 480, measure: () => packed(/\.d\.ts$/) },
  {
    title: 'a Worker with one controller, minified',
    unit: 'kB',
    budget: 480,
    measure: () => bundle(WORKER).length / 1000,
  },
  { title: '… gzipped', unit: 'kB', budget: 165, measure: () => gzipSync(bundle(WORKER)).length / 1000 },
  {
    title: 'propylon/routing alone, minified',
    unit: 'kB',
    budget: 80,
    measure: () =>
      bundle("import { Mapper } from 'propylon/routing'; console.log(new Mapper())").length / 1000,
  },
  {
    title: 'propylon/xmlrpc alone, minified',
    unit: 'kB',
    budget: 80,
    measure: () => bundle("import * as xmlrpc from 'propylon/xmlrpc'; console.log(xmlrpc)").length / 1000,
  },
  { title: "import 'propylon', user and system time", unit: 's', budget: 0.5, measure: importTime },
  { title: 'type-checking the example', unit: 's', budget: 20, measure: typeTime },
]

const WORKER = `import { FrameworkApp, Mapper, WSGIController } from 'propylon'
class Hello extends WSGIController { index() { return 'Hello' } }
const app = new FrameworkApp({ map: new Mapper().connect('/{controller}', { action: 'index' }), controllers: { hello: Hello } })
export default { fetch: app.fetch }`

let failed = false
try {
  for (const { title, unit, budget, measure } of measures) {
    const value = measure()
    const over = value > budget
    failed ||= over
    console.log(
      `${value.toFixed(unit === 's' ? 2 : 0).padStart(8)} ${unit}  ${title} (budget ${budget})${over ? '  OVER' : ''}`,
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

function bundle(source: string): Buffer {
  // Within the checkout, so that the package's own name resolves.
  const entry = join(root, 'test/runtimes', `.budget-${process.pid}.ts`)
  const out = join(scratch, 'bundle.js')
  writeFileSync(entry, source)
  try {
    const bun = join(root, 'test/runtimes/binaries/node_modules/.bin/bun')
    execFileSync(bun, ['build', entry, '--minify', '--target=browser', `--outfile=${out}`], {
      cwd: root,
      stdio: 'pipe',
    })
  } finally {
    rmSync(entry)
  }
  return readFileSync(out)
}

function importTime(): number {
  const script =
    "await import('propylon'); const { user, system } = process.cpuUsage(); console.log((user + system) / 1e6)"
  const times = Array.from({ length: 3 }, () =>
    Number(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' }),
    ),
  )
  return Math.min(...times)
}

function typeTime(): number {
  const config = join(root, 'test/runtimes', `.budget-${process.pid}.json`)
  writeFileSync(config, JSON.stringify({ extends: '../../tsconfig.json', include: ['../../examples/users'] }))
  const start = performance.now()
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], {
      stdio: 'inherit',
    })
  } finally {
    rmSync(config)
  }
  return (performance.now() - start) / 1000
}
