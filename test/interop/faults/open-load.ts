/** Sends requests at a rate, however long the answers take. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface OpenLoadOptions {
  readonly url: string
  readonly path: string
  /** Requests per second. */
  readonly rate: number
  readonly seconds: number
  /** Time that is not measured, at the beginning. */
  readonly warmUp?: number
}

export interface OpenLoadResult {
  /** Responses with the status 200 per second, of those that came in time. */
  readonly goodput: number
  /** Requests per second that were sent. */
  readonly offered: number
  /** Latencies in milliseconds, from the time at which a request was due. */
  readonly accepted: readonly number[]
  readonly refused: readonly number[]
  /** Requests without a response. */
  readonly lost: number
}

/** Sends requests when they are due, on connections that are free or new. */
export async function openLoad(options: OpenLoadOptions): Promise<OpenLoadResult> {
  const { url, path, rate, seconds, warmUp = 1 } = options
  const { hostname, port } = new URL(url)
  const text = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`
  const free: Socket[] = []
  const pending = new Set<Promise<void>>()
  const accepted: number[] = []
  const refused: number[] = []
  let [lost, sent, inTime] = [0, 0, 0]
  const begin = performance.now()
  const from = 1000 * warmUp
  const until = from + 1000 * seconds

  async function send(due: number): Promise<void> {
    let socket = free.pop()
    while (socket?.destroyed) socket = free.pop()
    socket ??= connect(Number(port), hostname)
      .setNoDelay(true)
      .on('error', () => {})
    socket.write(text)
    const status = await answer(socket)
    const now = performance.now() - begin
    if (due < from) return
    sent += 1
    if (status === 200 && now < until) inTime += 1
    if (status === 200) accepted.push(now - due)
    else if (status === 503) refused.push(now - due)
    else lost += 1
    if (status !== 0) return
    socket.destroy()
  }

  async function answer(socket: Socket): Promise<number> {
    const ended = new AbortController()
    const { signal } = ended
    let received = ''
    try {
      const closed = once(socket, 'close', { signal }).then(() => undefined)
      closed.catch(() => {})
      for (;;) {
        const data = await Promise.race([once(socket, 'data', { signal }), closed])
        if (data === undefined) return 0
        received += String(data[0])
        const head = received.indexOf('\r\n\r\n')
        const length = Number(/^content-length: (\d+)/im.exec(received)?.[1] ?? 0)
        if (head < 0 || received.length < head + 4 + length) continue
        if (/^connection: close/im.test(received)) socket.destroy()
        else free.push(socket)
        return Number(received.slice(9, 12))
      }
    } finally {
      ended.abort()
    }
  }

  const total = Math.round(rate * (warmUp + seconds))
  for (let number = 0; number < total; number++) {
    const due = (1000 * number) / rate
    while (performance.now() - begin < due) await new Promise((resolve) => setTimeout(resolve, 1))
    const task = send(due).finally(() => pending.delete(task))
    pending.add(task)
  }
  await Promise.all(pending)
  for (const socket of free) socket.destroy()
  return { goodput: inTime / seconds, offered: sent / seconds, accepted, refused, lost }
}

/** Returns a quantile, or NaN if there are no values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
