/** Measures the memory of idle keep-alive connections. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Load, SERVER_CORE } from './measure.ts'
import type { Peer } from './peers.ts'
import { probe } from './probe.ts'
import { ServerProcess } from './server-process.ts'
import { requestText, type Work } from './works/work.ts'

export const IDLE_CONNECTIONS = 1000

export interface IdleFinding {
  readonly peer: string
  /** Resident memory after garbage collection without the connections, in MiB. */
  readonly before: number
  /** Resident memory after garbage collection with the connections, in MiB. */
  readonly with: number
  /** Memory per connection, in KiB. */
  readonly each: number
}

/** Opens connections, sends a request on each, and measures the server's memory while they are idle. */
export async function measureIdle(
  work: Work,
  peers: readonly Peer[],
  load: Load,
  log: (text: string) => void,
): Promise<IdleFinding[]> {
  const findings: IdleFinding[] = []
  process.env.BENCH_GC = '1'
  try {
    for (const peer of peers) {
      try {
        findings.push(await measurePeer(work, peer, load))
      } catch (error) {
        log(`  ${peer.name} is omitted: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  } finally {
    delete process.env.BENCH_GC
  }
  return findings
}

async function measurePeer(work: Work, peer: Peer, load: Load): Promise<IdleFinding> {
  const server = await ServerProcess.start(peer, SERVER_CORE)
  try {
    const { port } = server
    const framing = await probe(work, port)
    const connect = { kind: 'connect', port, request: requestText(work), framing } as const
    // Warm up, so that compiled code and heap growth are not counted.
    await load.order({ ...connect, connections: 32 })
    await load.order({ kind: 'run', milliseconds: 1000, atLeast: 10_000 })
    await load.order({ kind: 'disconnect' })
    const before = await settled(server)
    await load.order({ ...connect, connections: IDLE_CONNECTIONS })
    await load.order({ kind: 'once' })
    const after = await settled(server)
    await load.order({ kind: 'disconnect' })
    const each = (after - before) / IDLE_CONNECTIONS
    return { peer: peer.name, before: before / 1024, with: after / 1024, each }
  } finally {
    server.stop()
  }
}

/** Returns resident memory after garbage collection, in KiB. The server must have been started with BENCH_GC. */
export async function settled(server: ServerProcess): Promise<number> {
  await sleep(300)
  await server.collectGarbage()
  await sleep(700)
  return server.memory().now
}
