/** An application with everything that can leak or fail, as a program. Its directory is the first argument. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { compress, health, requestLog, secureHeaders } from '../../../src/app/middleware/index.ts'
import { WaitingRoom } from '../../../src/base/waiting-room.ts'
import { int } from '../../../src/http/converters/index.ts'
import { sendFile } from '../../../src/http/files/index.ts'
import { memoryStore } from '../../../src/http/sessions/index.ts'
import { eventStream, FrameworkApp, isUnavailable, Mapper, WSGIController } from '../../../src/index.ts'
import { RPCController } from '../../../src/rpc/index.ts'
import { serve } from '../../../src/wsgi/node/index.ts'
import { inventory } from './inventory.ts'

const directory = process.argv[2] ?? ''
const templates = join(directory, 'templates')
const large = join(directory, 'large.bin')
mkdirSync(templates, { recursive: true })
writeFileSync(join(templates, 'page.eta'), '<h1><%= it.title %></h1>')
writeFileSync(large, Buffer.alloc(1_000_000, 'x'))
let uploads = 0

const pool = new WaitingRoom(Number.POSITIVE_INFINITY, () => new Error('The pool is full.'))
const clock = new Int32Array(new SharedArrayBuffer(4))

class PagesController extends WSGIController {
  index() {
    return 'index'
  }

  page() {
    return this.render('page', { title: 'Title' })
  }

  error() {
    throw new Error('an error of an action')
  }

  async rejection() {
    void Promise.reject(new Error('nobody waits for this promise'))
    return 'index'
  }

  async json() {
    return { length: JSON.stringify(await this.request.json()).length }
  }

  async whole() {
    return { length: (await this.request.bytes(2 ** 26)).length }
  }

  async upload() {
    const path = join(directory, `upload-${++uploads}`)
    let size = 0
    for await (const part of this.request.parts()) {
      await part.saveTo(path)
      size += 1
    }
    await rm(path, { force: true })
    return { size }
  }

  download() {
    return sendFile(this.request, large)
  }

  async *stream() {
    for (let chunk = 0; chunk < 20; chunk++) {
      await null
      yield 'x'.repeat(10_000)
    }
  }

  async *broken() {
    yield 'begun'
    throw new Error('an error of a stream')
  }

  events(signal: AbortSignal) {
    return eventStream(ticks(signal), { heartbeat: 20 })
  }

  visit() {
    const visits = Number(this.session.get('visits') ?? 0) + 1
    this.session.set('visits', visits)
    return { visits }
  }

  login() {
    this.session.regenerate().set('user', 'ann')
    return 'in'
  }

  logout() {
    this.session.destroy()
    return 'out'
  }

  /** Blocks the event loop. */
  block(milliseconds: string) {
    const end = performance.now() + Number(milliseconds)
    while (performance.now() < end);
    return 'unblocked'
  }

  /** Creates the file `stuck`, and blocks the event loop until there is a file `free`. */
  stuck() {
    writeFileSync(join(directory, 'stuck'), '')
    while (!existsSync(join(directory, 'free'))) Atomics.wait(clock, 0, 0, 10)
    return 'free'
  }

  /** Uses one of 8 connections for 100 ms. */
  async pooled() {
    const place = await pool.enter(['pool'], async () => [8])
    await new Promise((resolve) => setTimeout(resolve, 100))
    place()
    return 'done'
  }

  inventory() {
    return inventory()
  }
}

async function* ticks(signal: AbortSignal) {
  for (let id = 1; !signal.aborted; id++) {
    yield { id: String(id), data: 'tick' }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

class StockController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json', 'mcp', 'openapi']
  static args = { add: { a: int, b: int } }
  static results = { add: int }

  add(a: number, b: number) {
    return a + b
  }

  fail() {
    throw new Error('an error of a procedure')
  }
}

const quiet = { info() {}, warn() {}, error() {} }
const app = new FrameworkApp({
  map: new Mapper()
    .rpc('stock', '/stock')
    .connect('/block/{milliseconds}', { controller: 'pages', action: 'block' })
    .connect('/{action}', { controller: 'pages' }),
  controllers: { pages: PagesController, stock: StockController },
  templates,
  session: { secret: 'a secret of at least 32 characters', store: memoryStore({ entries: 100 }) },
  logger: quiet,
  unavailable: isUnavailable,
  requestTimeout: 60_000,
  middleware: [requestLog({ write() {} }), secureHeaders(), compress(), health()],
})

const options = process.env.FAULTS_OPTIONS ?? '{}'
const server = await serve(app, { ...JSON.parse(options), unhandledRejections: 'log' })
console.log(server.url)
