/** Measures servers: sends load to one after another in short windows, and computes the CPU time per request. */
import type { Order, Report, Window } from './load.ts'
import { LoadProcess } from './load-process.ts'
import { baselineOf, type Peer } from './peers.ts'
import { probe } from './probe.ts'
import { ServerProcess } from './server-process.ts'
import { median, type Ratio, ratioWithInterval } from './statistics.ts'
import { requestText, type Work } from './works/work.ts'

export const SERVER_CORE = 0

export interface Settings {
  readonly rounds: number
  /** Length of a window, in seconds. */
  readonly seconds: number
  /** Length of the warm-up, in seconds. */
  readonly warmUp: number
}

/** Measurements of one window. */
export interface Sample extends Window {
  /** User and system time of the server process per request, in microseconds. */
  readonly cpu: number
}

/** Results of a peer for a work. */
export interface Finding {
  readonly peer: string
  readonly work: string
  /** CPU time per request in the quiet windows, in microseconds: see {@link quiet}. */
  readonly cpu: number
  /** Median over the rounds, like `p50` and `p99`. */
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Peak resident memory, in MiB. */
  readonly peak: number
  /** CPU time relative to the baseline in the same round: the median over the rounds, with its confidence interval. */
  readonly ratio: Ratio | null
  readonly baseline: string
}

/** The child process that generates the load. */
export class Load extends LoadProcess<Order, Report> {
  constructor() {
    super('./load.ts')
  }
}

/**
 * Measures a work. Starts, checks and warms up all servers, then measures a window of each server per round. The order
 * rotates from round to round.
 *
 * @param log - receives the progress, and the peers that are omitted because they fail.
 */
export async function measureWork(
  work: Work,
  peers: readonly Peer[],
  settings: Settings,
  load: Load,
  log: (text: string) => void,
): Promise<Finding[]> {
  const contenders: Contender[] = []
  try {
    for (const peer of peers) {
      const contender = await enter(work, peer, load, settings, log)
      if (contender !== undefined) contenders.push(contender)
    }
    for (let round = 0; round < settings.rounds; round++) {
      const order = [...contenders.slice(round % contenders.length), ...contenders].slice(0, contenders.length)
      for (const { subject, samples } of order) samples.push(await subject.sample(settings.seconds))
      log(`  round ${round + 1} of ${settings.rounds}`)
    }
    return contenders.map((contender) => conclude(contender, contenders, work))
  } finally {
    for (const { subject } of contenders) subject.stop()
  }
}

/** A server under measurement. */
export class Subject {
  readonly server: ServerProcess
  readonly #work: Work
  readonly #connect: Order
  readonly #load: Load

  private constructor(server: ServerProcess, work: Work, connect: Order, load: Load) {
    this.server = server
    this.#work = work
    this.#connect = connect
    this.#load = load
  }

  /**
   * Starts a server and checks its response.
   *
   * @throws Error - the server does not start, or its response is wrong.
   */
  static async start(work: Work, peer: Peer, core: number, load: Load): Promise<Subject> {
    const server = await ServerProcess.start(peer, core)
    try {
      const framing = await probe(work, server.port)
      const { port } = server
      const request = requestText(work)
      const { connections } = work
      return new Subject(server, work, { kind: 'connect', port, request, framing, connections }, load)
    } catch (error) {
      server.stop()
      throw error
    }
  }

  /** Measures one window, on connections that the server has accepted. */
  async sample(seconds: number): Promise<Sample> {
    await this.#load.order(this.#connect)
    await this.#load.order({ kind: 'count', requests: 1 }, 30_000)
    const before = this.server.cpuTime()
    const milliseconds = seconds * 1000
    const atLeast = Math.round(seconds * this.#work.rate)
    const report = await this.#load.order({ kind: 'run', milliseconds, atLeast }, 10 * milliseconds + 30_000)
    const cpu = this.server.cpuTime() - before
    await this.#load.order({ kind: 'disconnect' })
    if (report.kind !== 'ran' || report.window.requests === 0)
      throw new Error(`${this.server.peer.name} completed no request of the work ${this.#work.name}`)
    return { ...report.window, cpu: cpu / report.window.requests }
  }

  stop(): void {
    this.server.stop()
  }
}

interface Contender {
  readonly subject: Subject
  readonly samples: Sample[]
}

async function enter(
  work: Work,
  peer: Peer,
  load: Load,
  settings: Settings,
  log: (text: string) => void,
): Promise<Contender | undefined> {
  let subject: Subject | undefined
  try {
    subject = await Subject.start(work, peer, SERVER_CORE, load)
    await subject.sample(settings.warmUp)
    return { subject, samples: [] }
  } catch (error) {
    subject?.stop()
    log(`  ${peer.name} is omitted: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

function conclude({ subject, samples }: Contender, all: readonly Contender[], work: Work): Finding {
  const { server } = subject
  const baseline = work.baseline ?? baselineOf(server.peer)
  const standard = all.find((other) => other.subject.server.peer.name === baseline)
  const costs = (of: readonly Sample[]) => of.map((one) => one.cpu)
  return {
    peer: server.peer.name,
    work: work.name,
    cpu: quiet(costs(samples)),
    perSecond: median(samples.map((one) => one.requests / one.seconds)),
    p50: median(samples.map((one) => one.p50)),
    p99: median(samples.map((one) => one.p99)),
    peak: server.memory().peak / 1024,
    ratio: standard === undefined ? null : ratioWithInterval(costs(samples), costs(standard.samples)),
    baseline,
  }
}

/**
 * Returns the first decile. Other processes on the machine or its host only ever add to the cost of a request, so the
 * lowest values are the most accurate.
 */
export function quiet(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 10)] ?? Number.NaN
}
