/** Runs the server of a peer as a child process on one core, and reads its CPU time and memory. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandOf, type Peer } from './peers.ts'

/** Running child processes. All are killed when this process exits. */
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

/** Starts a command on a core, in a new process group. */
export function startOnCore(
  core: number,
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

/** Kills a process of {@link startOnCore} and its children. */
export function end(child: ChildProcess): void {
  if (child.pid === undefined || !running.has(child)) return
  running.delete(child)
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** A running server. */
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
   * @param command - the command that starts it, if it is another than the peer's own.
   * @throws Error - the server exits, or does not listen within 120 s.
   */
  static async start(peer: Peer, core: number, command: readonly string[] = commandOf(peer)): Promise<ServerProcess> {
    const child = startOnCore(core, command, { env: { BENCH_PORT: String(await freePort()) } })
    const port = await new Promise<number>((resolve, reject) => {
      let output = ''
      const fail = (why: string) => {
        clearTimeout(timer)
        end(child)
        reject(new Error(`The server ${peer.name} ${why}. ${output}`))
      }
      const timer = setTimeout(() => fail('does not listen within 120 s'), 120_000)
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

  /** Whether the process still runs. */
  get alive(): boolean {
    return existsSync(`/proc/${this.pid}`)
  }

  /**
   * Returns the user and system time of all threads, in microseconds, from the nanoseconds of the kernel's scheduler.
   * For threads that have ended, uses their last known value.
   */
  cpuTime(): number {
    for (const thread of readdirSync(`/proc/${this.pid}/task`)) {
      try {
        const [used] = readFileSync(`/proc/${this.pid}/task/${thread}/schedstat`, 'utf8').split(' ')
        this.#threads.set(thread, Number(used))
      } catch {
        // The thread has ended since it was listed.
      }
    }
    let nanoseconds = 0
    for (const used of this.#threads.values()) nanoseconds += used
    return nanoseconds / 1000
  }

  /** Returns the current and the peak resident memory, in KiB. */
  memory(): { now: number; peak: number } {
    const text = readFileSync(`/proc/${this.pid}/status`, 'utf8')
    const read = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
    return { now: read('VmRSS'), peak: read('VmHWM') }
  }

  /** Collects garbage and returns the bytes in use. The server must have been started with BENCH_GC. */
  collectGarbage(): Promise<number> {
    const held = new Promise<number>((resolve) => {
      this.#child.stdout?.once('data', (data: Buffer) => resolve(Number(/held (\d+)/.exec(data.toString())?.[1])))
    })
    process.kill(this.pid, 'SIGUSR2')
    return held
  }

  stop(): void {
    end(this.#child)
  }
}

/** Waits until a port accepts connections, because some servers print it too early. */
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

/** Returns a free port, for servers that do not report the port that the system chose. */
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
