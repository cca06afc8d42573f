/** Measures the time from the start of a process to its first response, and the size of the built package. */
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { runtimes } from './peers.ts'
import { build, dist, makeProject, removeProject } from './project.ts'
import type { MeasureSection } from './section.ts'
import { median } from './statistics.ts'

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

/** Returns the milliseconds from the start of a process to the end of its first response. */
function toFirstResponse(root: string, file: string, path: string): Promise<number> {
  const begin = performance.now()
  const child = spawn(runtimes.node, [file], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const answered = new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
    child.stdout.once('data', (data: Buffer) => {
      get(`${data.toString().trim()}${path}`, (res) => {
        if (res.statusCode !== 200) reject(new Error(`${file} responded with status ${res.statusCode}`))
        res.resume().once('end', () => resolve(performance.now() - begin))
      }).once('error', reject)
    })
  })
  return answered.finally(() => child.kill('SIGKILL'))
}

/** Returns the milliseconds from the start of a script to its exit. */
function toEnd(root: string, file: string): Promise<number> {
  const begin = performance.now()
  const child = spawn(runtimes.node, [file], { cwd: root, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      code === 0 ? resolve(performance.now() - begin) : reject(new Error(`${file} ended with ${code}`)),
    )
  })
}

async function medianOf(rounds: number, run: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await run())
  return median(times)
}

function sizeOf(directory: string, ends: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ends))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}

export const measureStartup: MeasureSection = async ({ quick }) => {
  build()
  const rounds = quick ? 5 : 9
  const small = makeProject(filesWith(1))
  const large = makeProject(filesWith(500))
  try {
    const ms = async (run: () => Promise<number>) => `${(await medianOf(rounds, run)).toFixed(0)} ms`
    const kib = (ends: string) => `${(sizeOf(dist, ends) / 1024).toFixed(0)} KiB`
    const empty = await medianOf(rounds, () => toEnd(small, 'empty.js'))
    const imported = await medianOf(rounds, () => toEnd(small, 'import.js'))
    return {
      title: 'Start-up',
      text: `Time from the start of a process to the end of its first response, with the controllers in a directory, and time of scripts from start to exit. Times are medians of ${rounds} runs. The sizes are taken from \`dist/\`.`,
      head: ['what', 'value'],
      rows: [
        ['an empty script', `${empty.toFixed(0)} ms`],
        ["import 'propylon', beyond that", `${(imported - empty).toFixed(0)} ms`],
        ['first answer: bare node:http', await ms(() => toFirstResponse(small, 'bare.js', '/'))],
        ['first answer: 1 controller', await ms(() => toFirstResponse(small, 'serve.js', '/number0'))],
        ['first answer: 500 controllers', await ms(() => toFirstResponse(large, 'serve.js', '/number499'))],
        ['JavaScript', kib('.js')],
        ['declarations', kib('.d.ts')],
      ],
    }
  } finally {
    for (const root of [small, large]) removeProject(root)
  }
}
