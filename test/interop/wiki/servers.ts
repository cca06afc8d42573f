/** Servers of the tests' own: one that they may stop, and databases that go away. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '../../free-port.ts'

/** Returns the process ids of the workers. */
export function workersOf({ process: { pid } }: { readonly process: ChildProcess }): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
}

/** Waits until a condition holds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  const end = Date.now() + seconds * 1000
  while (!(await holds())) {
    assert.ok(Date.now() < end, `not after ${seconds} s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

/** A Redis server that the test may stop. It keeps what it has acknowledged in a directory. */
export class OwnRedis {
  readonly url: string
  readonly #port: number
  readonly #directory: string
  #process: ChildProcess | undefined

  private constructor(port: number, directory: string) {
    this.#port = port
    this.#directory = directory
    this.url = `redis://127.0.0.1:${port}`
  }

  static async start(directory: string): Promise<OwnRedis> {
    const redis = new OwnRedis(await freePort(), directory)
    await redis.start()
    return redis
  }

  async start(): Promise<void> {
    const options = { port: this.#port, bind: '127.0.0.1', dir: this.#directory, appendonly: 'yes', save: '' }
    const args = Object.entries({ ...options, appendfsync: 'always' }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ])
    this.#process = spawn('redis-server', args, { stdio: 'ignore' })
    await once(this.#process, 'spawn')
    await until('redis-server accepts connections', () => accepts(this.#port))
  }

  /** Ends the server as a crash does. */
  async kill(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child === undefined) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
}

/** A port through which a database is reached, until it is closed. */
export class Gate {
  readonly #target: { readonly host: string; readonly port: number }
  readonly #sockets = new Set<Socket>()
  readonly #port: number
  #server: Server | undefined
  #delay = 0
  #isFrozen = false

  private constructor(target: URL, port: number) {
    this.#target = { host: target.hostname, port: Number(target.port || 5432) }
    this.#port = port
  }

  /** Opens a port for a server. */
  static async open(target: string): Promise<Gate> {
    const gate = new Gate(new URL(target), await freePort())
    await gate.open()
    return gate
  }

  /** Returns the URL with the port in place of its own. */
  through(url: string): string {
    return Object.assign(new URL(url), { host: `127.0.0.1:${this.#port}` }).href
  }

  async open(): Promise<void> {
    this.#server = createServer((client) => {
      const server = connect(this.#target)
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(from)
        if (this.#isFrozen) from.pause()
        from.on('error', () => to.destroy())
        from.on('close', () => {
          this.#sockets.delete(from)
          to.destroy()
        })
        from.on('data', (chunk) => {
          if (this.#delay === 0) to.write(chunk)
          else setTimeout(() => to.write(chunk), this.#delay)
        })
      }
    }).listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /** Delays everything by a number of milliseconds, in each direction. */
  slow(delay: number): void {
    this.#delay = delay
  }

  /** Accepts connections, and forwards nothing any more. */
  freeze(): void {
    this.#isFrozen = true
    for (const socket of this.#sockets) socket.pause()
  }

  /** Forwards again. @param forgets - whether the connections of before stay silent for ever. */
  thaw(forgets = false): void {
    this.#isFrozen = false
    if (!forgets) for (const socket of this.#sockets) socket.resume()
  }

  /** Resets all connections and refuses further ones, as if the server had been killed. */
  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of this.#sockets) socket.resetAndDestroy()
    await closed
  }
}
