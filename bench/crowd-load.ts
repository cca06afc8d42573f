/**
 * Load generator with thousands of connections, run as a child process: idle ones, event streams and WebSockets. They are
 * in groups, and a message that one group sends makes the server send one to each connection of a group.
 *
 * All messages are JSON objects without an inner one, so the first closing brace ends each.
 */
import { connect, type Socket } from 'node:net'
import type { Failure } from './load-process.ts'

/** A command from the parent process. */
export type CrowdOrder =
  | {
      /** Opens connections, and with a request waits for the head of the response on each. */
      readonly kind: 'open'
      readonly group: string
      readonly port: number
      readonly connections: number
      readonly request?: string
      /** Status of the responses. */
      readonly status?: number
    }
  | {
      /** Sends bytes on each connection of a group, and waits for one message on each of another or the same. */
      readonly kind: 'send'
      readonly from: string
      readonly to: string
      /** The bytes, as Latin-1. */
      readonly data: string
      readonly expected: string
      readonly times: number
    }
  | { readonly kind: 'close'; readonly group: string }

/** The response to a {@link CrowdOrder}. */
export type CrowdReport = { readonly kind: 'done' } | Failure

/** Connections that are opened at the same time. The servers' backlogs hold more. */
const OPENING = 256

const END = '}'
const PING = 0x89
/** A masked pong without data. The servers cut clients that send none. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

const groups = new Map<string, Connection[]>()
/** All sockets read into one buffer, which is used before the next one reads. */
const buffer = Buffer.allocUnsafe(64 * 1024)
let isSending = false

let isOrdered = false
let failure: string | undefined

/** Closes all connections. The report on this order, or on the next one, is a failure. */
function failed(error: unknown): void {
  failure ??= error instanceof Error ? error.message : String(error)
  isSending = false
  for (const connections of groups.values()) for (const each of connections) each.destroy()
  groups.clear()
  if (isOrdered) report()
}

function report(): void {
  isOrdered = false
  process.send?.(failure === undefined ? { kind: 'done' } : { kind: 'failed', message: failure })
}

class Connection {
  readonly #socket: Socket
  #text = ''
  #end = END
  #onMessage: ((text: string) => void) | undefined
  #gone = false

  constructor(port: number, onConnect: () => void) {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer,
        callback: (length) => {
          this.#receive(buffer.subarray(0, length))
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

  send(data: Buffer): void {
    this.#socket.write(data)
  }

  /** Calls back with the next text that ends so, and with what came with it. */
  receive(end: string, onMessage: (text: string) => void): void {
    this.#text = ''
    this.#end = end
    this.#onMessage = onMessage
  }

  destroy(): void {
    this.#gone = true
    this.#socket.destroy()
  }

  #receive(data: Buffer): void {
    if (data.includes(PING)) this.#socket.write(PONG)
    const text = this.#text + data.toString('latin1')
    const onMessage = this.#onMessage
    if (onMessage !== undefined && !text.includes(this.#end)) {
      this.#text = text
      return
    }
    this.#text = ''
    this.#onMessage = undefined
    if (onMessage !== undefined) onMessage(text)
    else if (text.includes(END)) failed(`an unexpected message: ${text.slice(0, 200)}`)
  }
}

async function open(order: Extract<CrowdOrder, { kind: 'open' }>): Promise<void> {
  const { group, port, connections, request, status } = order
  const opened: Connection[] = []
  groups.set(group, opened)
  while (opened.length < connections) {
    const count = Math.min(OPENING, connections - opened.length)
    const wave = Array.from({ length: count }, () => openOne(opened, port))
    await Promise.all(wave)
    if (request === undefined) continue
    const text = Buffer.from(request)
    const answers = opened.slice(-count).map(async (connection) => {
      const answer = nextOf(connection, '\r\n\r\n')
      connection.send(text)
      const [head = ''] = (await answer).split('\r\n\r\n')
      if (!head.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`not ${status}: ${head}`)
    })
    await Promise.all(answers)
  }
}

function openOne(opened: Connection[], port: number): Promise<void> {
  return new Promise((resolve) => opened.push(new Connection(port, resolve)))
}

function nextOf(connection: Connection, end: string): Promise<string> {
  return new Promise((resolve) => connection.receive(end, resolve))
}

async function send({ from, to, data, expected, times }: Extract<CrowdOrder, { kind: 'send' }>) {
  const bytes = Buffer.from(data, 'latin1')
  const senders = groups.get(from) ?? []
  const receivers = groups.get(to) ?? []
  isSending = true
  stayAwake()
  for (let time = 0; time < times; time++) {
    await new Promise<void>((resolve) => {
      let missing = receivers.length
      const onMessage = (text: string) => {
        if (!text.includes(expected) || text.indexOf(END) !== text.lastIndexOf(END))
          failed(`not one message ${expected}: ${text.slice(0, 500)}`)
        else if (--missing === 0) resolve()
      }
      for (const receiver of receivers) receiver.receive(END, onMessage)
      for (const sender of senders) sender.send(bytes)
    })
  }
  isSending = false
}

/** Keeps this process busy, because waking it would cost the server CPU time: see load.ts. */
function stayAwake(): void {
  if (isSending) setImmediate(stayAwake)
}

async function follow(order: CrowdOrder): Promise<void> {
  switch (order.kind) {
    case 'open':
      return await open(order)
    case 'send':
      return await send(order)
    default:
      for (const connection of groups.get(order.group) ?? []) connection.destroy()
      groups.delete(order.group)
  }
}

process.on('message', (order: CrowdOrder) => {
  isOrdered = true
  follow(order).then(report, failed)
})
process.on('disconnect', () => process.exit(0))
process.on('uncaughtException', failed)
