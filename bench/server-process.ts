/** A peer's server as a process of its own, on a core of its own, and what it has used. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandOf, type Peer } from './peers.ts'

/** Processes that run now: all of them are ended however this process ends. */
const running = new Set<ChildProcess>()

function endAll(): void {
  for (const child of running) {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  running.clear()
}

process.on('exit', endAll)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    endAll()
    process.exit(1)
  })
}

/** All cores, for servers of several processes. */
export const ALL_CORES = `0-${cpus().length - 1}`

/** Starts a command on one core or on a list of them, in a process group of its own. */
export function startOnCore(
  core: number | string,
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; ipc?: boolean } = {},
): ChildProcess {
  const child = spawn('taskset', ['-c', String(core), ...command], {
    cwd: options.cwd,
    detached: true,
    env: { ...process.env, NODE_ENV: 'production', ...options.env },
    stdio: ['pipe', options.ipc ? 'inherit' : 'pipe', 'inherit', ...(options.ipc ? (['ipc'] as const) : [])],
  })
  running.add(child)
  child.on('exit', () => running.delete(child))
  return child
}

/** Ends a process that was started here, with all its children. */
export function end(child: ChildProcess): void {
  if (child.pid === undefined || !running.has(child)) return
  running.delete(child)
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** A server that answers. */
export class ServerProcess {
  readonly peer: Peer
  readonly port: number
  readonly #child: ChildProcess
  readonly #threads = new Map<string, number>()

  private constructor(peer: Peer, port: number, child: ChildProcess) {
    this.peer = peer
    this.port = port
    this.#child = child
  }

  /**
   * Starts a peer's server and waits until it listens.
   *
   * @throws Error when it ends before, or does not listen within 30 s.
   */
  static async start(peer: Peer, core: number): Promise<ServerProcess> {
    const child = startOnCore(core, commandOf(peer), { env: { BENCH_PORT: String(await freePort()) } })
    const port = await new Promise<number>((resolve, reject) => {
      let output = ''
      const fail = (why: string) => {
        clearTimeout(timer)
        end(child)
        reject(new Error(`The server ${peer.name} ${why}. ${output}`))
      }
      const timer = setTimeout(() => fail('does not listen within 30 s'), 30_000)
      child.once('error', (error) => fail(`cannot be started: ${error.message}`))
      child.once('exit', (code) => fail(`ended with ${code}`))
      child.stdout?.on('data', (data: Buffer) => {
        output += data.toString()
        const found = /^ready (\d+)$/m.exec(output)
        if (found === null) return
        clearTimeout(timer)
        child.removeAllListeners('exit')
        child.once('exit', () => running.delete(child))
        child.stdout?.removeAllListeners('data').resume()
        resolve(Number(found[1]))
      })
    })
    await listening(port)
    return new ServerProcess(peer, port, child)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Whether its process still runs. */
  get alive(): boolean {
    return existsSync(`/proc/${this.pid}`)
  }

  /**
   * User and system time so far, of all threads, in microseconds: the kernel's scheduler counts nanoseconds. Of threads
   * that have ended, it is what they had used when they were last seen.
   */
  cpuTime(): number {
    for (const thread of readdirSync(`/proc/${this.pid}/task`)) {
      const [used] = readFileSync(`/proc/${this.pid}/task/${thread}/schedstat`, 'utf8').split(' ')
      this.#threads.set(thread, Number(used))
    }
    let nanoseconds = 0
    for (const used of this.#threads.values()) nanoseconds += used
    return nanoseconds / 1000
  }

  /** Resident memory in KiB: now, and the most there ever was. */
  memory(): { now: number; peak: number } {
    const text = readFileSync(`/proc/${this.pid}/status`, 'utf8')
    const read = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
    return { now: read('VmRSS'), peak: read('VmHWM') }
  }

  /** Asks it to collect its garbage and resolves to the bytes that it still holds; only servers started with BENCH_GC do. */
  collectGarbage(): Promise<number> {
    const held = new Promise<number>((resolve) => {
      this.#child.stdout?.once('data', (data: Buffer) =>
        resolve(Number(/held (\d+)/.exec(data.toString())?.[1])),
      )
    })
    process.kill(this.pid, 'SIGUSR2')
    return held
  }

  stop(): void {
    end(this.#child)
  }
}

/** Waits until a port takes connections: some servers tell of it a moment too early. */
async function listening(port: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await new Promise<void>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1')
        socket.once('error', reject)
        socket.once('connect', () => {
          socket.destroy()
          resolve()
        })
      })
      return
    } catch (error) {
      if (attempt === 50) throw error
      await sleep(100)
    }
  }
}

/** A port that was free a moment ago, for servers that do not tell which one they were given. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
