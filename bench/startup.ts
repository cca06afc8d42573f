/** Measures the time from the start of a process to its first response, and the size of the built package. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
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

/**
 * Creates a temporary project that uses the built package from its node_modules, as users do.
 *
 * @param files - contents of the files, by path.
 * @returns the root of the project.
 */
function makeProject(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'propylon-bench-'))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(checkout, join(root, 'node_modules/propylon'))
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
    'import.js': "import 'propylon'\n",
    'empty.js': '\n',
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

/** A script that is started several times. */
interface Start {
  readonly title: string
  readonly root: string
  readonly file: string
  /** Path of the first request. Undefined for a script that ends by itself. */
  readonly path?: string
}

/** Returns the milliseconds from the start of a process to the end of its first response, or to its own end. */
function timeOf({ root, file, path }: Start): Promise<number> {
  const begin = performance.now()
  const child = startOnCore(SERVER_CORE, [runtimes.node, file], { cwd: root })
  const elapsed = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0 && path === undefined) resolve(performance.now() - begin)
      else reject(new Error(`${file} ended with ${code}`))
    })
    child.stdout?.once('data', (data: Buffer) => {
      get(`${data.toString().trim()}${path}`, (res) => {
        if (res.statusCode !== 200) reject(new Error(`${file} responded with status ${res.statusCode}`))
        res.resume().once('end', () => resolve(performance.now() - begin))
      }).once('error', reject)
    })
  })
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  // The system frees the memory of a killed process on the core on which the next one starts.
  return elapsed.finally(() => {
    end(child)
    return closed
  })
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
  const bare = { title: 'first answer: bare node:http', root: small, file: 'bare.js', path: '/' }
  const starts: readonly Start[] = [
    { title: 'an empty script', root: small, file: 'empty.js' },
    { title: "a script with `import 'propylon'`", root: small, file: 'import.js' },
    bare,
    { title: 'first answer: 1 controller', root: small, file: 'serve.js', path: '/number0' },
    { title: 'first answer: 500 controllers', root: large, file: 'serve.js', path: '/number499' },
  ]
  const times = new Map(starts.map((start): [Start, number[]] => [start, []]))
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [start, own] of times) own.push(await timeOf(start))
    }
  } finally {
    for (const root of [small, large]) rmSync(root, { recursive: true })
  }
  const rows = starts.map((start) => {
    const own = times.get(start) ?? []
    const ratio = start.path === undefined ? '' : ratioText(ratioWithInterval(own, times.get(bare) ?? []))
    return [start.title, `${median(own).toFixed(0)} ms`, ratio]
  })
  const kib = (ends: string) => `${(sizeOf(dist, ends) / 1024).toFixed(0)} KiB`
  return {
    title: 'Start-up',
    text: `Time from the start of a process to the end of its first response, with the controllers in a directory, and time of scripts from start to exit, on one core. Medians of ${rounds} rounds in which each is started once, and the ratio to the bare server. The sizes are taken from \`dist/\`.`,
    head: ['what', 'value', 'ratio'],
    rows: [...rows, ['JavaScript', kib('.js'), ''], ['declarations', kib('.d.ts'), '']],
  }
}
