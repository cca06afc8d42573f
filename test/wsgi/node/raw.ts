/** A client that sends and receives raw bytes. */

import net from 'node:net'
import { type ServeOptions, type ServerHandle, serve } from 'propylon/node'
import type { WSGICallable } from 'propylon/wsgi'

/** Sends bytes and resolves to all bytes received until the server closes the connection, as Latin-1. */
export function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1')
    let heard = ''
    socket.setEncoding('latin1')
    socket.on('data', (data) => {
      heard += String(data)
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(heard))
    socket.write(bytes, 'latin1')
  })
}

/** A connection on which a test sends and receives step by step. */
export class Connection {
  readonly socket: net.Socket
  heard = ''
  closed = false
  #wake: (() => void) | undefined

  constructor(port: number) {
    this.socket = net.connect(port, '127.0.0.1')
    this.socket.setEncoding('latin1')
    this.socket.on('data', (data) => {
      this.heard += String(data)
      this.#wake?.()
    })
    this.socket.on('error', () => this.#wake?.())
    this.socket.on('close', () => {
      this.closed = true
      this.#wake?.()
    })
  }

  say(bytes: string): void {
    this.socket.write(bytes, 'latin1')
  }

  /** Resolves when the text has been received. */
  async hears(text: string): Promise<void> {
    while (!this.heard.includes(text)) {
      if (this.closed) throw new Error(`The connection closed before ${JSON.stringify(text)} was heard: ${this.heard}`)
      await this.#more()
    }
  }

  /** Resolves when the connection is closed. */
  async ends(): Promise<void> {
    while (!this.closed) await this.#more()
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/** Log output of a server. */
export class Log {
  text = ''

  write(text: string): void {
    this.text += text
  }

  flush(): void {}
}

/** Serves an application while a test runs. */
export async function serving(
  app: WSGICallable,
  test: (server: ServerHandle, log: Log) => Promise<void>,
  options: ServeOptions = {},
): Promise<void> {
  const log = new Log()
  const server = await serve(app, { errors: log, drainTimeout: 2000, ...options })
  try {
    await test(server, log)
  } finally {
    await server.close()
  }
}
