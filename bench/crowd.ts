/** Measures servers with thousands of open connections that receive messages: their memory, and CPU time per message. */
import type { CrowdOrder, CrowdReport } from './crowd-load.ts'
import { settled } from './idle.ts'
import { LoadProcess } from './load-process.ts'
import { quiet, SERVER_CORE } from './measure.ts'
import type { Peer } from './peers.ts'
import { ServerProcess } from './server-process.ts'
import { type Ratio, ratioWithInterval } from './statistics.ts'

/** Received messages of a warm-up. */
const WARM_UP = 30_000

/** Messages that the server sends to all connections. */
export interface Exercise {
  /** Whether each connection receives the answer to a message of its own, or all receive one message. */
  readonly kind: 'echo' | 'broadcast'
  /** Bytes that are sent, as Latin-1. */
  readonly data: string
  /** Text that each connection receives. */
  readonly expected: string
  /** Messages to each connection in a window. */
  readonly times: number
}

export interface CrowdPlan {
  /** The first is the baseline. */
  readonly peers: readonly Peer[]
  readonly connections: number
  /** Request that opens a connection, and the status of its response. */
  readonly request: string
  readonly status: number
  /** Request of the connection that makes the server send to all, if it needs one. */
  readonly senderRequest?: string
  readonly exercises: readonly Exercise[]
  readonly rounds: number
}

/** Cost of an exercise. */
export interface CrowdCost {
  /** CPU time per received message in quiet windows, in microseconds. */
  readonly cpu: number
  /** CPU time relative to the baseline. */
  readonly ratio: Ratio
}

/** Memory per connection after garbage collection, in KiB. */
export interface CrowdMemory {
  /** Resident memory. It also depends on how much the allocators held in reserve before. */
  readonly resident: number
  /** Heap and buffers. */
  readonly heap: number
}

export interface CrowdFinding {
  readonly peer: Peer
  readonly memory: CrowdMemory
  /** Costs of the exercises, in their order. */
  readonly costs: readonly CrowdCost[]
}

export class Crowd extends LoadProcess<CrowdOrder, CrowdReport> {
  constructor() {
    super('./crowd-load.ts')
  }
}

/**
 * Measures the memory of each server, one after another, then all in alternating windows.
 *
 * @throws Error - a server does not start, or a connection does not receive exactly the expected message.
 */
export async function measureCrowd(plan: CrowdPlan, log: (text: string) => void): Promise<CrowdFinding[]> {
  const subjects: CrowdSubject[] = []
  process.env.BENCH_GC = '1'
  try {
    for (const peer of plan.peers) {
      const subject = await CrowdSubject.start(plan, peer)
      subjects.push(subject)
      await subject.fill()
      log(`  ${peer.title}`)
    }
    for (let round = 0; round < plan.rounds; round++) {
      const first = round % subjects.length
      for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) await subject.sample()
    }
    return subjects.map(({ server, memory, samples }) => ({
      peer: server.peer,
      memory,
      costs: samples.map((costs, exercise) => ({
        cpu: quiet(costs),
        ratio: ratioWithInterval(costs, subjects[0]?.samples[exercise] ?? []),
      })),
    }))
  } finally {
    delete process.env.BENCH_GC
    for (const subject of subjects) subject.stop()
  }
}

/** A server and its connections. */
class CrowdSubject {
  readonly server: ServerProcess
  /** CPU times per message in the windows, by exercise. */
  readonly samples: readonly number[][]
  memory: CrowdMemory = { resident: 0, heap: 0 }
  readonly #plan: CrowdPlan
  readonly #crowd = new Crowd()

  private constructor(server: ServerProcess, plan: CrowdPlan) {
    this.server = server
    this.#plan = plan
    this.samples = plan.exercises.map(() => [])
  }

  static async start(plan: CrowdPlan, peer: Peer): Promise<CrowdSubject> {
    return new CrowdSubject(await ServerProcess.start(peer, SERVER_CORE), plan)
  }

  /** Warms up with fewer connections, so that compiled code is not counted, then opens all and measures their memory. */
  async fill(): Promise<void> {
    const { connections, exercises } = this.#plan
    await this.#open(connections / 10)
    for (const exercise of exercises) await this.#do(exercise, Math.ceil((10 * WARM_UP) / connections))
    await this.#crowd.order({ kind: 'close', group: 'all' })
    const before = await this.#used()
    await this.#open(connections)
    for (const exercise of exercises) await this.#do(exercise, exercise.times)
    const after = await this.#used()
    this.memory = {
      resident: (after.resident - before.resident) / connections,
      heap: (after.heap - before.heap) / connections,
    }
  }

  async #used(): Promise<CrowdMemory> {
    const resident = await settled(this.server)
    return { resident, heap: (await this.server.collectGarbage()) / 1024 }
  }

  async sample(): Promise<void> {
    const { connections, exercises } = this.#plan
    for (const [index, exercise] of exercises.entries()) {
      const used = await this.#do(exercise, exercise.times)
      this.samples[index]?.push(used / (exercise.times * connections))
    }
  }

  stop(): void {
    this.#crowd.stop()
    this.server.stop()
  }

  async #open(connections: number): Promise<void> {
    const { port } = this.server
    const { request, status } = this.#plan
    await this.#crowd.order({ kind: 'open', group: 'all', port, connections, request, status })
  }

  /** Returns the CPU time of the server, in microseconds. */
  async #do({ kind, data, expected }: Exercise, times: number): Promise<number> {
    const { port } = this.server
    const { senderRequest: request, status } = this.#plan
    const opening = request === undefined ? {} : { request, status }
    await this.#crowd.order({ kind: 'open', group: 'sender', port, connections: 1, ...opening })
    const before = this.server.cpuTime()
    const from = kind === 'echo' ? 'all' : 'sender'
    await this.#crowd.order({ kind: 'send', from, to: 'all', data, expected, times })
    const used = this.server.cpuTime() - before
    await this.#crowd.order({ kind: 'close', group: 'sender' })
    return used
  }
}
