/**
 * Load generator for an overloaded server, run as a child process. Its clients send the next request as soon as they
 * receive a response. After a 503 they wait for the time of Retry-After.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface OverloadOrder {
  readonly port: number
  readonly clients: number
  readonly warmUp: number
  /** Length of the measurement, in milliseconds. */
  readonly milliseconds: number
}

/** Latencies are in milliseconds. */
export interface OverloadReport {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Fraction of the responses that were 503. */
  readonly refused: number
  /** Latency of the responses with 503. */
  readonly refusedP99: number
}

interface Answer {
  readonly status: number
  readonly headers: string
}

const REQUEST = 'GET /orders HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

/** Sends a request and waits for the complete response. */
function ask(socket: Socket): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let received = ''
    const settle = (then: () => void) => {
      socket.off('data', read).off('error', fail).off('close', closed)
      then()
    }
    const fail = (error: Error) => settle(() => reject(error))
    const closed = () => fail(new Error(`the server closed a connection after ${JSON.stringify(received)}`))
    const read = (data: Buffer) => {
      received += data.toString('latin1')
      const answer = parse(received)
      if (answer !== undefined) settle(() => resolve(answer))
    }
    socket.on('data', read).on('error', fail).on('close', closed)
    socket.write(REQUEST)
  })
}

function parse(received: string): Answer | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const headers = received.slice(0, end)
  const length = Number(/^content-length: (\d+)\r?$/im.exec(headers)?.[1])
  if (!(length >= 0)) throw new Error(`a response without Content-Length: ${headers}`)
  return received.length < end + 4 + length ? undefined : { status: Number(headers.slice(9, 12)), headers }
}

async function run(order: OverloadOrder): Promise<OverloadReport> {
  const answered: number[] = []
  const refused: number[] = []
  const from = performance.now() + order.warmUp
  const to = from + order.milliseconds

  async function client(index: number): Promise<void> {
    // Spread the clients over one second, the time of Retry-After, so that they do not return all at once.
    await sleep((1000 * index) / order.clients)
    let socket: Socket | undefined
    while (performance.now() < to) {
      const askedAt = performance.now()
      socket ??= connect(order.port, '127.0.0.1').setNoDelay(true)
      const { status, headers } = await ask(socket)
      const now = performance.now()
      if (status !== 200 && status !== 503) throw new Error(`status ${status}`)
      if (now >= from && now < to) (status === 200 ? answered : refused).push(now - askedAt)
      if (status === 200) continue
      const retryAfter = Number(/^retry-after: (\d+)\r?$/im.exec(headers)?.[1])
      if (!(retryAfter > 0)) throw new Error(`a 503 without Retry-After: ${headers}`)
      socket.on('error', () => {}).destroy()
      socket = undefined
      await sleep(1000 * retryAfter)
    }
    socket?.destroy()
  }

  await Promise.all(Array.from({ length: order.clients }, (_, index) => client(index)))
  return {
    perSecond: (1000 * answered.length) / order.milliseconds,
    p50: quantile(answered, 0.5),
    p99: quantile(answered, 0.99),
    refused: refused.length / (answered.length + refused.length),
    refusedP99: quantile(refused, 0.99),
  }
}

/** Returns a quantile, or NaN if there are no values. */
function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN
}

process.once('message', async (order: OverloadOrder) => {
  const report: OverloadReport = await run(order)
  process.send?.(report, () => process.exit(0))
})
process.on('disconnect', () => process.exit(0))
