/** Measures many idle keep-alive connections: their memory, and CPU time per request on other connections meanwhile. */
import assert from 'node:assert/strict'
import { Crowd } from './crowd.ts'
import { settled } from './idle.ts'
import { type Load, quiet, SERVER_CORE, Subject } from './measure.ts'
import { type Peer, peers } from './peers.ts'
import type { MeasureSection } from './section.ts'
import { ratioText, ratioWithInterval } from './statistics.ts'
import { works } from './works/index.ts'
import { requestText } from './works/work.ts'

const CONNECTIONS = 10_000
const NAMES = ['node', 'propylon', 'fastify', 'express', 'hono']

export const measureScaleConnections: MeasureSection = async ({ load, quick, log }) => {
  const rows: string[][] = []
  process.env.BENCH_GC = '1'
  process.env.BENCH_KEEP_ALIVE = '600000'
  try {
    for (const peer of peers.filter(({ name }) => NAMES.includes(name))) {
      rows.push(await rowOf(peer, load, quick))
      log(`  ${peer.title}`)
    }
  } finally {
    delete process.env.BENCH_GC
    delete process.env.BENCH_KEEP_ALIVE
  }
  return {
    title: `${CONNECTIONS.toLocaleString('en')} idle connections`,
    text: 'Resident memory after garbage collection, before the connections are opened and when each has received a response, and the CPU time of a request for the hello text on 32 other connections, without and with them. Two processes of each server are measured in alternating windows, of which one has the connections. The ratio is the time with them relative to the time without them.',
    head: [
      'server',
      'KiB each',
      'MiB before',
      'MiB with them',
      'CPU µs without',
      'CPU µs with them',
      'ratio',
    ],
    rows,
  }
}

/** Measures two processes of a server in alternating windows, of which one has the connections. */
async function rowOf(peer: Peer, load: Load, quick: boolean): Promise<string[]> {
  const [hello] = works
  assert(hello !== undefined)
  const crowd = new Crowd()
  const subjects: Subject[] = []
  try {
    const start = async () => {
      const subject = await Subject.start(hello, peer, SERVER_CORE, load)
      subjects.push(subject)
      await subject.sample(1.5)
      return { subject, memory: await settled(subject.server), costs: [] as number[] }
    }
    const alone = await start()
    const crowded = await start()
    const { server } = crowded.subject
    const request = requestText(hello)
    const idle = { group: 'idle', port: server.port, connections: CONNECTIONS, request, status: 200 }
    await crowd.order({ kind: 'open', ...idle })
    const after = await settled(server)
    for (const { subject } of [alone, crowded]) await subject.sample(0.5)
    for (let window = 0; window < (quick ? 30 : 100); window++) {
      for (const { subject, costs } of window % 2 === 0 ? [alone, crowded] : [crowded, alone])
        costs.push((await subject.sample(0.05)).cpu)
    }
    // Fails if the server has closed one of them.
    await crowd.order({ kind: 'close', group: 'idle' })
    return [
      peer.title,
      ((after - crowded.memory) / CONNECTIONS).toFixed(1),
      (crowded.memory / 1024).toFixed(0),
      (after / 1024).toFixed(0),
      quiet(alone.costs).toFixed(1),
      quiet(crowded.costs).toFixed(1),
      ratioText(ratioWithInterval(crowded.costs, alone.costs)),
    ]
  } finally {
    crowd.stop()
    for (const subject of subjects) subject.stop()
  }
}
