/** Measures latencies while a server receives more requests than it can serve. */
import { fileURLToPath } from 'node:url'
import { LOAD_CORE } from './load-process.ts'
import { SERVER_CORE } from './measure.ts'
import type { OverloadOrder, OverloadReport } from './overload-load.ts'
import { type Peer, runtimes } from './peers.ts'
import type { MeasureSection } from './section.ts'
import { end, ServerProcess, startOnCore } from './server-process.ts'

const CLIENTS = 1000

const servers: readonly Peer[] = [
  server('overload-limit', '`maxRequests: 64`', '64'),
  server('overload-default', 'the default, 10,000'),
]

function server(name: string, title: string, ...limit: string[]): Peer {
  return { name, title, runtime: 'node', server: ['overload.ts', ...limit], packages: [] }
}

export const measureOverload: MeasureSection = async ({ quick, log }) => {
  const rows: string[][] = []
  for (const peer of servers) {
    const found = await measure(peer, quick ? 3000 : 10_000)
    rows.push([
      peer.title,
      found.perSecond.toFixed(0),
      found.p50.toFixed(0),
      found.p99.toFixed(0),
      `${(100 * found.refused).toFixed(0)} %`,
      found.refused === 0 ? '' : found.refusedP99.toFixed(1),
    ])
    log(`  ${peer.title}`)
  }
  return {
    title: 'Overload',
    text: `${CLIENTS.toLocaleString('en')} clients send requests to a server whose action uses one of 8 connections for 5 ms, which allows at most 1,600 requests per second. Each client sends the next request as soon as it receives a response. With \`maxRequests\`, \`serve()\` refuses requests beyond the limit with 503 and \`Retry-After: 1\`. The clients wait for that time and open a new connection. Latencies are measured for single requests, not of all attempts of a client together.`,
    head: ['`serve()` with', 'answered/s', 'p50 ms', 'p99 ms', 'refused', 'p99 ms of refusals'],
    rows,
  }
}

async function measure(peer: Peer, milliseconds: number): Promise<OverloadReport> {
  const server = await ServerProcess.start(peer, SERVER_CORE)
  const file = fileURLToPath(new URL('./overload-load.ts', import.meta.url))
  const load = startOnCore(LOAD_CORE, [runtimes.node, file], { ipc: true })
  try {
    return await new Promise((resolve, reject) => {
      load.once('message', (report: OverloadReport) => resolve(report))
      load.once('exit', (code) => reject(new Error(`the load ended with ${code}`)))
      const order: OverloadOrder = { port: server.port, clients: CLIENTS, warmUp: 3000, milliseconds }
      load.send(order)
    })
  } finally {
    end(load)
    server.stop()
  }
}
