/** Starts other people's servers. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'

export const servers = fileURLToPath(new URL('./servers', import.meta.url))

export interface OtherServer {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a server that prints its port. */
export async function startPrinting(command: string, ...args: readonly string[]): Promise<OtherServer> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${command} ended with ${code} before it served`)
    }),
  ])) as [string]
  return { url: `http://127.0.0.1:${line.trim()}/RPC2`, stop: () => stop(child) }
}

/** Starts supervisord, which manages nothing here, on a free port with a user and password. */
export async function startSupervisor(directory: string): Promise<OtherServer> {
  const port = await freePort()
  const settings = `
[supervisord]
nodaemon = true
logfile = ${directory}/supervisord.log
pidfile = ${directory}/supervisord.pid
childlogdir = ${directory}
user = root
[inet_http_server]
port = 127.0.0.1:${port}
username = user
password = secret
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[program:cat]
command = /bin/cat
`
  const file = join(directory, 'supervisord.conf')
  await writeFile(file, settings)
  const child = spawn('supervisord', ['-c', file], { stdio: 'ignore' })
  await accepting(port, child)
  return { url: `http://user:secret@127.0.0.1:${port}/RPC2`, stop: () => stop(child) }
}

/** Starts a server of PHP's extension, whose warnings are part of the response. */
export async function startPHP(): Promise<OtherServer> {
  const port = await freePort()
  const options = ['-d', 'display_errors=1', '-d', 'html_errors=1', '-S', `127.0.0.1:${port}`]
  const child = spawn('php', [...options, join(servers, 'php.php')], { stdio: 'ignore' })
  await accepting(port, child)
  return { url: `http://127.0.0.1:${port}/`, stop: () => stop(child) }
}

/** Ends a process and waits for it. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

/** Waits until a port or a unix socket accepts connections; the server decides how long that takes, and the test runner how long it may. */
export async function accepting(at: number | string, child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('error', reject)
  child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it served`)))
  const attempt = (): void => {
    const socket = typeof at === 'string' ? createConnection(at) : createConnection(at, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', () => setTimeout(attempt, 50))
  }
  attempt()
  await promise
}
