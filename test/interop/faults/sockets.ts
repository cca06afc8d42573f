/** Clients on raw sockets, which send and read as slowly as a test wants. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

/** Opens a connection to a server. Its errors are ignored: `close` follows. */
export async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

/** Opens many connections. */
export function openMany(url: string, count: number): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => open(url)))
}

/** Sends a text a piece at a time, with pauses, until it is sent or the connection is closed. */
export async function trickle(socket: Socket, text: string, bytes: number, pause: number): Promise<void> {
  for (let at = 0; at < text.length && !socket.destroyed; at += bytes) {
    socket.write(text.slice(at, at + bytes))
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Reads what a server sends until it closes the connection, or until `isEnough`. */
export async function readAll(socket: Socket, isEnough: (text: string) => boolean = () => false): Promise<string> {
  let text = ''
  await new Promise<void>((resolve) => {
    socket.on('data', (data) => {
      text += data.toString('latin1')
      if (isEnough(text)) resolve()
    })
    socket.once('close', () => resolve())
    if (socket.destroyed) resolve()
  })
  return text
}

/** Statuses of requests that are sent at once, in order. 0 for one without a response. */
export function statuses(requests: readonly Promise<Response>[]): Promise<number[]> {
  return Promise.all(
    requests.map(async (request) => {
      try {
        const response = await request
        await response.arrayBuffer()
        return response.status
      } catch {
        return 0
      }
    }),
  )
}

/** Returns the processor time that a process has used, in milliseconds. */
export function processorTime(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

/** Returns the resident memory of a process, in bytes. */
export function residentMemory(pid: number | undefined): number {
  const [, kilobytes = ''] = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return 1024 * Number(kilobytes)
}
