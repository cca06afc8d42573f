/**
 * Load generator, run as a child process. Keeps a number of connections busy with one request at a time on each.
 *
 * To use little CPU it only counts bytes: the framing of a response is known from the first one, which was checked in
 * full. A response with another status or length is an error.
 */
import { connect, type Socket } from 'node:net'
import type { Failure } from './load-process.ts'
import type { Framing } from './probe.ts'

/** A command from the parent process. */
export type Order =
  | { readonly kind: 'connect'; port: number; request: string; framing: Framing; connections: number }
  | { readonly kind: 'run'; milliseconds: number; atLeast: number }
  | { readonly kind: 'count'; readonly requests: number }
  | { readonly kind: 'disconnect' }

/** The response to an {@link Order}. */
export type Report = { readonly kind: 'done' } | Failure | { readonly kind: 'ran'; readonly window: Window }

export interface Window {
  readonly requests: number
  readonly seconds: number
  /** Latencies in microseconds. */
  readonly p50: number
  readonly p99: number
}

const END_OF_CHUNKS = Buffer.from('0\r\n\r\n')

function send(report: Report): void {
  process.send?.(report)
}

function failed(error: unknown): void {
  for (const client of clients) client.destroy()
  clients = []
  send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
}

let clients: Client[] = []
let stopAt = 0
let latestStopAt = 0
let minimum = 0
let busy = 0
let latencies: Float64Array = new Float64Array(0)
let count = 0
let onIdle: () => void = () => {}

class Client {
  readonly #socket: Socket
  readonly #request: Buffer
  readonly #framing: Framing
  readonly #statusLine: Buffer
  #received = 0
  #startedAt = 0
  #gone = false
  #tail: Buffer = Buffer.alloc(0)

  constructor(port: number, request: Buffer, framing: Framing, onConnect: () => void) {
    this.#request = request
    this.#framing = framing
    this.#statusLine = Buffer.from(`HTTP/1.1 ${framing.status}`)
    const buffer = Buffer.allocUnsafe(64 * 1024)
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer,
        callback: (length) => {
          this.#receive(buffer, length)
          return true
        },
      },
    })
    this.#socket.setNoDelay(true)
    this.#socket.once('connect', onConnect)
    this.#socket.on('error', failed)
    this.#socket.on('close', () => {
      if (!this.#gone) failed('the server closed a connection')
    })
  }

  ask(): void {
    this.#received = 0
    this.#startedAt = performance.now()
    this.#socket.write(this.#request)
  }

  destroy(): void {
    this.#gone = true
    this.#socket.destroy()
  }

  #receive(buffer: Buffer, length: number): void {
    if (this.#received === 0 && !this.#isExpected(buffer, length)) {
      failed(`unexpected response: ${buffer.subarray(0, Math.min(length, 60)).toString('latin1')}`)
      return
    }
    this.#received += length
    const expected = this.#framing.length
    if (expected === null ? !this.#endsChunks(buffer, length) : this.#received < expected) return
    if (expected !== null && this.#received > expected) {
      failed(`a response of ${this.#received} bytes instead of ${expected}`)
      return
    }
    const now = performance.now()
    if (count < latencies.length) latencies[count] = now - this.#startedAt
    count++
    if (now < stopAt || (count < minimum && now < latestStopAt)) this.ask()
    else if (--busy === 0) onIdle()
  }

  #isExpected(buffer: Buffer, length: number): boolean {
    const size = this.#statusLine.length
    return length >= size && buffer.compare(this.#statusLine, 0, size, 0, size) === 0
  }

  #endsChunks(buffer: Buffer, length: number): boolean {
    if (length >= 5) {
      this.#tail = Buffer.alloc(0)
      if (buffer[length - 1] !== 10 || buffer[length - 5] !== 48) {
        this.#tail = Buffer.from(buffer.subarray(length - 4, length))
        return false
      }
      return buffer.compare(END_OF_CHUNKS, 0, 5, length - 5, length) === 0
    }
    this.#tail = Buffer.concat([this.#tail, buffer.subarray(0, length)]).subarray(-5)
    return this.#tail.equals(END_OF_CHUNKS)
  }
}

function open(order: Extract<Order, { kind: 'connect' }>): void {
  const request = Buffer.from(order.request)
  let missing = order.connections
  const connected = () => {
    if (--missing === 0) send({ kind: 'done' })
  }
  clients = Array.from({ length: order.connections }, () => new Client(order.port, request, order.framing, connected))
}

/**
 * Runs a window until the time has passed and there are `atLeast` requests, but no longer than `longest`
 * milliseconds.
 */
function run(milliseconds: number, atLeast: number, longest: number, done: (window: Window) => void): void {
  latencies = new Float64Array(1_000_000)
  count = 0
  busy = clients.length
  const startedAt = performance.now()
  stopAt = startedAt + milliseconds
  latestStopAt = startedAt + longest
  minimum = atLeast
  onIdle = () => {
    const seconds = (performance.now() - startedAt) / 1000
    const sorted = latencies.subarray(0, Math.min(count, latencies.length)).sort()
    const at = (part: number) => Math.round(1000 * (sorted[Math.floor(sorted.length * part)] ?? 0))
    done({ requests: count, seconds, p50: at(0.5), p99: at(0.99) })
  }
  for (const client of clients) client.ask()
  stayAwake()
}

/**
 * Keeps this process busy during a window. Otherwise each response would have to wake it with an interrupt to the other
 * core, which costs the server CPU time: on a virtual machine up to half of a small request, and most for servers that
 * are slower than the load.
 */
function stayAwake(): void {
  if (busy > 0) setImmediate(stayAwake)
}

process.on('message', (order: Order) => {
  switch (order.kind) {
    case 'connect':
      open(order)
      break
    case 'run':
      run(order.milliseconds, order.atLeast, 10 * order.milliseconds, (window) => send({ kind: 'ran', window }))
      break
    case 'count':
      run(0, order.requests, Number.POSITIVE_INFINITY, (window) => send({ kind: 'ran', window }))
      break
    default:
      for (const client of clients) client.destroy()
      clients = []
      send({ kind: 'done' })
  }
})
process.on('disconnect', () => process.exit(0))
process.on('uncaughtException', failed)
