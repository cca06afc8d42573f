/** Measures the memory of a server after many requests, and for clients that do not read their response. */
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Load, SERVER_CORE } from './measure.ts'
import { type Peer, peers } from './peers.ts'
import { probe } from './probe.ts'
import type { MeasureSection } from './section.ts'
import { ServerProcess } from './server-process.ts'
import { median } from './statistics.ts'
import { LARGE_STREAM_LENGTH } from './works/data.ts'
import { works } from './works/index.ts'
import { requestText } from './works/work.ts'

const FEW = 20_000

export const measureMemory: MeasureSection = async ({ load, quick, log }) => {
  const many = quick ? 100_000 : 1_000_000
  const clients = quick ? 50 : 150
  const rows: string[][] = []
  process.env.BENCH_GC = '1'
  try {
    for (const peer of peers.filter(({ name }) => name === 'propylon' || name === 'node')) {
      const [before, after] = await onServer(peer, (server) => afterRequests(server, load, many))
      const each: number[] = []
      for (let run = 0; run < (quick ? 3 : 5); run++)
        each.push(await onServer(peer, (server) => slowClients(server, clients)))
      const mib = (kib: number) => (kib / 1024).toFixed(1)
      rows.push([peer.title, mib(before), mib(after), (after - before).toFixed(0), spread(each)])
      log(`  ${peer.title}`)
    }
  } finally {
    delete process.env.BENCH_GC
  }
  const number = (value: number) => value.toLocaleString('en')
  return {
    title: 'Memory',
    text: `Resident memory after garbage collection: after ${number(FEW)} requests for the hello text, and after ${number(many)} more. The last column is the size of heap and buffers after garbage collection per slow client: ${clients} clients, in addition to as many others, request a stream of 8 MiB in chunks of 64 KiB and read only its beginning. The size is measured when the kernel's buffers are full. Afterwards all clients read on, and each must receive the whole stream. The value is the median of ${quick ? 3 : 5} servers with the lowest and the highest.`,
    head: ['server', 'MiB', `MiB, ${number(many)} later`, 'KiB more', 'KiB for a slow client'],
    rows,
  }
}

function spread(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return `${median(values).toFixed(0)} (${low.toFixed(0)}–${high.toFixed(0)})`
}

async function onServer<Result>(peer: Peer, measure: (server: ServerProcess) => Promise<Result>): Promise<Result> {
  const server = await ServerProcess.start(peer, SERVER_CORE)
  try {
    return await measure(server)
  } finally {
    server.stop()
  }
}

/** Returns resident memory after a few requests and after many more, in KiB. */
async function afterRequests(server: ServerProcess, load: Load, many: number): Promise<[number, number]> {
  const [hello] = works
  if (hello === undefined) throw new Error('The list of works is empty')
  const { port } = server
  const { connections } = hello
  const framing = await probe(hello, port)
  const serve = async (requests: number) => {
    await load.order({ kind: 'connect', port, request: requestText(hello), framing, connections })
    await load.order({ kind: 'count', requests }, 600_000)
    await load.order({ kind: 'disconnect' })
    return settled(server)
  }
  return [await serve(FEW), await serve(many)]
}

/** Returns the size of heap and buffers per client that does not read, in KiB. */
async function slowClients(server: ServerProcess, count: number): Promise<number> {
  const open = (clients: number) => Promise.all(Array.from({ length: clients }, () => begin(server.port)))
  const filled = async (clients: number) => {
    if ((await fullQueues(server.port)) / clients > 0.9 * LARGE_STREAM_LENGTH) {
      throw new Error('the buffers of the kernel hold the whole stream, so no client is slow: use a longer stream')
    }
    return (await server.collectGarbage()) / 1024
  }
  // Warm up, so that compiled code is not counted.
  for (let times = 0; times < 10; times++) await Promise.all((await open(8)).map(readAll))
  // The first clients account for memory that is allocated only once.
  const first = await open(count)
  const before = await filled(count)
  const second = await open(count)
  const after = await filled(2 * count)
  await Promise.all([...first, ...second].map(readAll))
  return (after - before) / count
}

/** Returns resident memory after garbage collection, in KiB. The server must have been started with BENCH_GC. */
async function settled(server: ServerProcess): Promise<number> {
  await sleep(300)
  await server.collectGarbage()
  await sleep(700)
  return server.memory().now
}

/** Requests the stream and reads only the head of the response. */
function begin(port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/files/large' }, resolve).once('error', reject)
  })
}

async function readAll(answer: IncomingMessage): Promise<void> {
  let length = 0
  for await (const chunk of answer) length += chunk.length
  if (length !== LARGE_STREAM_LENGTH)
    throw new Error(`received a stream of ${length} bytes instead of ${LARGE_STREAM_LENGTH}`)
}

/** Waits until the kernel's buffers have not grown for a second. Returns their size for all connections, in bytes. */
async function fullQueues(port: number): Promise<number> {
  for (let steady = 0, last = 0; ; ) {
    await sleep(250)
    const queued = queuedBytes(port)
    steady = queued === last && queued > 0 ? steady + 1 : 0
    if (steady === 4) return queued
    last = queued
  }
}

/** Returns the bytes in the send and receive queues of a port's connections, on both ends. */
function queuedBytes(port: number): number {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  let bytes = 0
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', remote = '', state, queues = ''] = line.trim().split(/\s+/)
    const isEstablished = state === '01'
    if (!isEstablished || !(local.endsWith(end) || remote.endsWith(end))) continue
    for (const size of queues.split(':')) bytes += Number.parseInt(size, 16)
  }
  return bytes
}
