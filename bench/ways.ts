/** Measures several requests of one server beside each other. */
import { quiet, SERVER_CORE, Subject } from './measure.ts'
import type { Peer } from './peers.ts'
import type { MeasureContext } from './section.ts'
import { ratioText, ratioWithInterval } from './statistics.ts'
import type { Answer, Work } from './works/work.ts'

/** A request, and how to check its response. */
export interface Way extends Pick<Work, 'title' | 'method' | 'path' | 'headers' | 'body'> {
  /** Default 200. */
  readonly status?: number
  /** Title of the way that the ratio refers to. Default: the first. */
  readonly baseline?: string
  check(answer: Answer): void
}

/**
 * Measures the ways in turn, each with a process of the server for itself.
 *
 * @param file - in `servers/`.
 * @returns rows of the title, the CPU time in microseconds, and the ratio.
 */
export async function measureWays(
  file: string,
  ways: readonly Way[],
  { load, quick, log }: MeasureContext,
): Promise<string[][]> {
  const peer: Peer = { name: file, title: 'Propylon', runtime: 'node', server: [file], packages: [] }
  const measured: { readonly way: Way; readonly subject: Subject; readonly costs: number[] }[] = []
  try {
    for (const way of ways) {
      log(`  ${way.title}`)
      const work: Work = { name: way.title, status: 200, connections: 32, rate: 5000, ...way }
      const subject = await Subject.start(work, peer, SERVER_CORE, load)
      measured.push({ way, subject, costs: [] })
      await subject.sample(quick ? 1.5 : 2.5)
    }
    for (let round = 0; round < (quick ? 40 : 120); round++) {
      const first = round % measured.length
      for (const { subject, costs } of [...measured.slice(first), ...measured.slice(0, first)]) {
        costs.push((await subject.sample(0.05)).cpu)
      }
    }
  } finally {
    for (const { subject } of measured) subject.stop()
  }
  return measured.map(({ way, costs }) => {
    const standard = way.baseline ?? measured[0]?.way.title
    const base = measured.find(({ way: { title } }) => title === standard)?.costs ?? costs
    return [
      way.title,
      quiet(costs).toFixed(1),
      base === costs ? '1' : ratioText(ratioWithInterval(costs, base)),
    ]
  })
}
