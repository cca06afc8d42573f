/**
 * Start-up: `node bench/startup.ts` prints the time from the start of a process to its first answer with 1 and with 500
 * controllers in a directory, the time to import the package, and the sizes of what is published. It takes `dist/`, as
 * users do: build first.
 */
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './measure.ts'
import { runtimes } from './peers.ts'
import { table } from './report.ts'

const ROUNDS = 9
const project = fileURLToPath(new URL('..', import.meta.url))
const dist = join(project, 'dist')
if (!existsSync(join(dist, 'index.js')))
  throw new Error('There is no dist/index.js: npm run build comes first.')

/** A project with so many controllers, the package in its node_modules. */
function makeProject(controllers: number): string {
  const root = mkdtempSync(join(tmpdir(), 'propylon-startup-'))
  mkdirSync(join(root, 'node_modules'))
  mkdirSync(join(root, 'controllers'))
  symlinkSync(project, join(root, 'node_modules/propylon'))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }\n')
  for (let index = 0; index < controllers; index++) {
    const source = `import { WSGIController } from 'propylon'
export class Number${index}Controller extends WSGIController {
  index() { return 'Hello World' }
  show(id, format = 'html') { return id + format }
}
`
    writeFileSync(join(root, `controllers/number${index}.js`), source)
  }
  writeFileSync(
    join(root, 'serve.js'),
    `import { FrameworkApp, Mapper } from 'propylon'
import { serve } from 'propylon/node'
const map = new Mapper().connect('/{controller}', { action: 'index' }).connect('/{controller}/{action}/{id}')
const app = new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url) })
console.log((await serve(app)).url)
`,
  )
  writeFileSync(
    join(root, 'bare.js'),
    `import { createServer } from 'node:http'
const server = createServer((_req, res) => res.end('Hello World'))
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))
`,
  )
  writeFileSync(join(root, 'import.js'), "import 'propylon'\n")
  writeFileSync(join(root, 'empty.js'), '\n')
  return root
}

/** Milliseconds from the start of the process to the end of its first answer. */
function toFirstAnswer(root: string, file: string, path: string): Promise<number> {
  const begin = performance.now()
  const child = spawn(runtimes.node, [file], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const answered = new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
    child.stdout.once('data', (data: Buffer) => {
      get(`${data.toString().trim()}${path}`, (res) => {
        if (res.statusCode !== 200) reject(new Error(`${file} answered ${res.statusCode}`))
        res.resume().once('end', () => resolve(performance.now() - begin))
      }).once('error', reject)
    })
  })
  return answered.finally(() => child.kill('SIGKILL'))
}

/** Milliseconds that a script takes from start to end. */
function toEnd(root: string, file: string): Promise<number> {
  const begin = performance.now()
  const child = spawn(runtimes.node, [file], { cwd: root, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      code === 0 ? resolve(performance.now() - begin) : reject(new Error(`${file} ended with ${code}`)),
    )
  })
}

async function medianOf(run: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push(await run())
  return median(times)
}

function sizeOf(directory: string, ends: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ends))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}

const small = makeProject(1)
const large = makeProject(500)
try {
  const empty = await medianOf(() => toEnd(small, 'empty.js'))
  const imported = await medianOf(() => toEnd(small, 'import.js'))
  const rows: [string, number][] = [
    ['an empty script', empty],
    ["import 'propylon', beyond that", imported - empty],
    ['first answer: bare node:http', await medianOf(() => toFirstAnswer(small, 'bare.js', '/'))],
    ['first answer: 1 controller', await medianOf(() => toFirstAnswer(small, 'serve.js', '/number0'))],
    ['first answer: 500 controllers', await medianOf(() => toFirstAnswer(large, 'serve.js', '/number499'))],
  ]
  console.log(
    `${table(
      ['time', 'ms'],
      rows.map(([what, ms]) => [what, ms.toFixed(0)]),
    )}\n`,
  )
  const kib = (bytes: number) => (bytes / 1024).toFixed(0)
  console.log(
    table(
      ['size of dist', 'KiB'],
      [
        ['JavaScript', kib(sizeOf(dist, '.js'))],
        ['declarations', kib(sizeOf(dist, '.d.ts'))],
      ],
    ),
  )
} finally {
  for (const root of [small, large]) rmSync(root, { recursive: true })
}
