/** Measures the time from the start of a process to its first response, its memory then, and the code that an import loads. */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SERVER_CORE } from './measure.ts'
import { runtimes } from './peers.ts'
import type { MeasureSection } from './section.ts'
import { end, startOnCore } from './server-process.ts'
import { median, ratioText, ratioWithInterval } from './statistics.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))

/** The build output, which is published. */
const dist = join(checkout, 'dist')

/** Builds the package, so that no older build is measured. */
function build(): void {
  execFileSync('npm', ['run', 'build'], { cwd: checkout, stdio: 'pipe' })
}

/** Packages whose import is measured beside the own one. */
const PACKAGES = ['hono', 'fastify']

/**
 * Creates a temporary project that uses the built package and {@link PACKAGES} from its node_modules, as users do.
 *
 * @param files - contents of the files, by path.
 * @returns the root of the project.
 */
function makeProject(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'propylon-bench-'))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(checkout, join(root, 'node_modules/propylon'))
  for (const name of PACKAGES) symlinkSync(join(checkout, 'bench/node_modules', name), join(root, 'node_modules', name))
  for (const [path, text] of Object.entries({ 'package.json': '{ "type": "module" }\n', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** Returns the files of a project with the measured scripts and a number of controllers. */
function filesWith(controllers: number): Record<string, string> {
  const files: Record<string, string> = {
    'serve.js': `import { FrameworkApp, Mapper } from 'propylon'
import { serve } from 'propylon/node'
const map = new Mapper().connect('/{controller}', { action: 'index' }).connect('/{controller}/{action}/{id}')
const app = new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url) })
console.log((await serve(app)).url)
`,
    'bare.js': `import { createServer } from 'node:http'
const server = createServer((_req, res) => res.end('Hello World'))
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))
`,
    'empty.js': '\n',
    'size.js': SIZE,
    ...Object.fromEntries(['propylon', ...PACKAGES].map((name) => [`${name}.js`, `import '${name}'\n`])),
  }
  for (let index = 0; index < controllers; index++) {
    files[`controllers/number${index}.js`] = `import { WSGIController } from 'propylon'
export class Number${index}Controller extends WSGIController {
  index() { return 'Hello World' }
  show(id, format = 'html') { return id + format }
}
`
  }
  return files
}

/** Prints the bytes of the modules that the import of a package loads, with those of its dependencies. */
const SIZE = `import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
let bytes = 0
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) bytes += readFileSync(new URL(url)).length
    return next(url, context)
  },
})
await import(process.argv[2])
console.log(bytes)
`

/** Returns the kilobytes that the import of a package loads. */
function loadedBy(name: string, root: string): string {
  const bytes = execFileSync(runtimes.node, ['size.js', name], { cwd: root, encoding: 'utf8' })
  return (Number(bytes) / 1000).toFixed(0)
}

/** A script that is started several times. */
interface Start {
  readonly title: string
  readonly root: string
  readonly file: string
  /** Path of the first request. Undefined for a script that ends by itself. */
  readonly path?: string
  /** Kilobytes that the script loads. */
  readonly loaded?: string
}

/** Costs of one start. */
interface Cost {
  /** Time from the start of the process to the end of its first response, or to its own end, in milliseconds. */
  readonly time: number
  /** Resident memory at the first response, in KiB. 0 for a script that ends by itself. */
  readonly memory: number
}

function costOf({ root, file, path }: Start): Promise<Cost> {
  const begin = performance.now()
  const child = startOnCore(SERVER_CORE, [runtimes.node, file], { cwd: root })
  const cost = new Promise<Cost>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0 && path === undefined) resolve({ time: performance.now() - begin, memory: 0 })
      else reject(new Error(`${file} ended with ${code}`))
    })
    child.stdout?.once('data', (data: Buffer) => {
      get(`${data.toString().trim()}${path}`, (res) => {
        if (res.statusCode !== 200) reject(new Error(`${file} responded with status ${res.statusCode}`))
        res.resume().once('end', () => resolve({ time: performance.now() - begin, memory: residentMemory(child.pid) }))
      }).once('error', reject)
    })
  })
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  // The system frees the memory of a killed process on the core on which the next one starts.
  return cost.finally(() => {
    end(child)
    return closed
  })
}

/** Returns the resident memory of a process, in KiB. */
function residentMemory(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
}

function sizeOf(directory: string, ends: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ends))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}

export const measureStartup: MeasureSection = async ({ quick }) => {
  build()
  const rounds = quick ? 15 : 25
  const small = makeProject(filesWith(1))
  const large = makeProject(filesWith(500))
  const bare = { title: 'first response: bare node:http', root: small, file: 'bare.js', path: '/' }
  const imports = ['propylon', ...PACKAGES].map((name) => ({
    title: `\`import '${name}'\``,
    root: small,
    file: `${name}.js`,
    loaded: loadedBy(name, small),
  }))
  const starts: readonly Start[] = [
    { title: 'an empty script', root: small, file: 'empty.js' },
    ...imports,
    bare,
    { title: 'first response: 1 controller', root: small, file: 'serve.js', path: '/number0' },
    { title: 'first response: 500 controllers', root: large, file: 'serve.js', path: '/number499' },
  ]
  const costs = new Map(starts.map((start): [Start, Cost[]] => [start, []]))
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [start, own] of costs) own.push(await costOf(start))
    }
  } finally {
    for (const root of [small, large]) rmSync(root, { recursive: true })
  }
  const all = (start: Start, key: keyof Cost) => (costs.get(start) ?? []).map((cost) => cost[key])
  const rows = starts.map((start) => {
    const time = median(all(start, 'time')).toFixed(0)
    if (start.path === undefined) return [start.title, time, '', '', start.loaded ?? '']
    const ratio = ratioText(ratioWithInterval(all(start, 'time'), all(bare, 'time')))
    return [start.title, time, ratio, (median(all(start, 'memory')) / 1024).toFixed(0), '']
  })
  const size = (ends: string) => (sizeOf(dist, ends) / 1000).toFixed(0)
  return {
    title: 'Start and size',
    text: `Time of a script from start to exit, and from the start of a process to the end of its first response, with the controllers in a directory, on one core: medians of ${rounds} rounds, in which each is started once. The ratio refers to the bare server, and MiB is the resident memory at the first response. kB is the code that the import loads, with dependencies. The package has ${size('.js')} kB of JavaScript and ${size('.d.ts')} kB of declarations.`,
    head: ['start', 'ms', 'ratio', 'MiB', 'kB'],
    rows,
  }
}
