/**
 * Prints the files, functions and calls of the framework that serve one warm request, by V8's precise coverage.
 *
 *     npm run flow              prints a table
 *     npm run flow -- hello     lists the files and functions of one request as well
 *
 * Functions of Node and of dependencies are not counted. Every request is repeated until the count of the last two
 * agrees, so that caches are filled.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { FrameworkApp, Mapper, WSGIController, XMLRPCController } from 'propylon'
import { serve } from 'propylon/node'
import { reloading } from 'propylon/reload'
import { encodeCall } from 'propylon/xmlrpc'

interface Call {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: string
  /** Runs before each repetition. */
  readonly prepare?: () => void
}

interface Flow {
  /** Calls by function, by file. */
  readonly files: Map<string, Map<string, number>>
  readonly functions: number
  readonly calls: number
}

class HelloController extends WSGIController {
  greet(id: string) {
    return `Hello, ${id}!`
  }
}

class UsersController extends WSGIController {
  async update(id: string) {
    const form = await this.request.form()
    return `${id} is now ${form.get('full_name')}`
  }
}

class SumController extends XMLRPCController {
  test_add(a: number, b: number) {
    return a + b
  }
}

const FORM = 'application/x-www-form-urlencoded'
const calls: readonly Call[] = [
  { name: 'hello', method: 'GET', path: '/hello/joe' },
  {
    name: 'form with _method',
    method: 'POST',
    path: '/users/joe',
    type: FORM,
    body: '_method=PUT&full_name=Joe+Doe&email=joe%40example.com',
  },
  {
    name: 'XML-RPC call',
    method: 'POST',
    path: '/sum',
    type: 'text/xml',
    body: encodeCall('test.add', [1, 2]),
  },
]

const source = fileURLToPath(new URL('../src/', import.meta.url))
const directory = mkdtempSync(fileURLToPath(new URL('../test/.flow-', import.meta.url)))
const session = new Session()
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

try {
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const results: [name: string, flow: Flow][] = []

  const map = new Mapper()
    .connect('/hello/{id}', { controller: 'hello', action: 'greet' })
    .resource('user', 'users')
    .connect('/sum', { controller: 'sum' })
  const controllers = { hello: HelloController, users: UsersController, sum: SumController }
  const server = await serve(new FrameworkApp({ map, controllers }), { port: 0 })
  for (const call of calls) results.push([call.name, await flowOf(call, server.url)])
  await server.close()

  const app = await reloading(writeProject())
  const reloadingServer = await serve(app, { port: 0 })
  const page: Call = { name: 'reload, nothing changed', method: 'GET', path: '/hello/joe' }
  results.push([page.name, await flowOf(page, reloadingServer.url)])
  let edition = 0
  const prepare = () => {
    edition += 1
    writeController(`edition ${edition}`)
  }
  const edited: Call = { ...page, name: 'reload after an edit', prepare }
  results.push([edited.name, await flowOf(edited, reloadingServer.url)])
  await reloadingServer.close()
  app.close()

  print(results)
} finally {
  agent.destroy()
  session.disconnect()
  rmSync(directory, { recursive: true })
}

/** Repeats a request until two repetitions in a row run the same functions equally often. */
async function flowOf(call: Call, url: string): Promise<Flow> {
  let previous: Flow | undefined
  for (let round = 0; round < 50; round++) {
    call.prepare?.()
    await session.post('Profiler.takePreciseCoverage')
    await send(call, url)
    const flow = await takeFlow()
    if (round >= 10 && previous?.calls === flow.calls && previous.functions === flow.functions) return flow
    previous = flow
  }
  throw new Error(
    `"${call.name}" runs different functions each time: its count is not settled after 50 requests`,
  )
}

async function takeFlow(): Promise<Flow> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = new Map<string, Map<string, number>>()
  let functions = 0
  let total = 0
  for (const script of result) {
    if (!script.url.startsWith(pathToFileURL(source).href)) continue
    const file = fileURLToPath(script.url).slice(source.length)
    for (const { functionName, ranges } of script.functions) {
      const [range] = ranges
      if (range === undefined || range.count === 0) continue
      const ofFile = files.get(file) ?? new Map<string, number>()
      files.set(file, ofFile)
      ofFile.set(`${functionName || '(anonymous)'}:${range.startOffset}`, range.count)
      functions += 1
      total += range.count
    }
  }
  return { files, functions, calls: total }
}

function send({ method, path, type, body }: Call, url: string): Promise<void> {
  const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type }
  if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body))
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, url), { method, headers, agent }, (incoming) => {
      if (incoming.statusCode !== 200)
        reject(new Error(`${method} ${path} was answered ${incoming.statusCode}`))
      // The server finishes its part of the exchange before the next turn of the event loop.
      incoming.resume().on('end', () => setImmediate(resolve))
    })
    outgoing.on('error', reject).end(body)
  })
}

/** Writes an application with one controller and returns the URL of its module. */
function writeProject(): URL {
  mkdirSync(join(directory, 'controllers'))
  writeController('edition 0')
  const app = `import { FrameworkApp, Mapper } from 'propylon'
const map = new Mapper().connect('/{controller}/{id}', { action: 'greet' })
export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url), debug: true, logger: { info() {}, warn: console.warn, error: console.error } })
`
  writeFileSync(join(directory, 'app.ts'), app)
  return pathToFileURL(join(directory, 'app.ts'))
}

function writeController(edition: string): void {
  const controller = `import { WSGIController } from 'propylon'
export class HelloController extends WSGIController {
  greet(id: string) {
    return \`<!doctype html><title>${edition}</title><body>Hello, \${id}!</body>\`
  }
}
`
  writeFileSync(join(directory, 'controllers', 'hello.ts'), controller)
}

function print(results: readonly [name: string, flow: Flow][]): void {
  const wanted = process.argv[2]
  console.log('| request | files | functions | calls |\n|---|---:|---:|---:|')
  for (const [name, { files, functions, calls: total }] of results) {
    console.log(`| ${name} | ${files.size} | ${functions} | ${total} |`)
  }
  const listed = results.find(([name]) => name === wanted)
  if (listed === undefined) {
    if (wanted !== undefined) throw new Error(`There is no request "${wanted}" in the table.`)
    return
  }
  for (const [file, functions] of [...listed[1].files].sort()) {
    console.log(`\n${file}`)
    for (const [name, count] of functions) console.log(`  ${count} × ${name.slice(0, name.lastIndexOf(':'))}`)
  }
}
