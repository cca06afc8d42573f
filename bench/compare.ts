/**
 * Compares checkouts of the project: `node bench/compare.ts OLD NEW --work hello,form --runtime bun`.
 *
 * All servers of a work run at the same time, with the bare server. Each round has a short window for each of them, in
 * rotating order. The CPU time per request is divided by that of the bare server in the same round, so that other
 * activity on the machine, which changes slowly, affects both alike. Ends when the confidence intervals of all ratios
 * are narrow enough.
 */
import { parseArgs } from 'node:util'
import { Load, SERVER_CORE, Subject } from './measure.ts'
import { contendersOn, type Peer } from './peers.ts'
import { table } from './report.ts'
import { ratioWithInterval } from './statistics.ts'
import { works } from './works/index.ts'
import type { Work } from './works/work.ts'

const RUNTIMES = ['node', 'bun', 'deno'] as const
const WORKS = works.filter(({ baseline }) => baseline === undefined).map(({ name }) => name)

const USAGE = `node bench/compare.ts DIRECTORY... [options]

  DIRECTORY...     checkouts with bench/servers/ and installed packages
  --work NAMES     of ${WORKS.join(', ')} (default: hello)
  --runtime NAME   of ${RUNTIMES.join(', ')} (default: node)
  --peers NAMES    other servers to run beside them, such as fastify,hono
  --until RATIO    width of the 95 % confidence intervals at which the comparison ends, above and below (0.02)
  --most ROUNDS    at most this many rounds (400)
  --window MS      length of a window (50)
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    work: { type: 'string', default: 'hello' },
    runtime: { type: 'string', default: 'node' },
    peers: { type: 'string', default: '' },
    until: { type: 'string', default: '0.02' },
    most: { type: 'string', default: '400' },
    window: { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
})

/** Number of rounds before the intervals are looked at. */
const LEAST = 20

async function compare(work: Work, contenders: readonly Peer[], load: Load): Promise<void> {
  const subjects: Subject[] = []
  const costs = contenders.map((): number[] => [])
  const seconds = Number(values.window) / 1000
  try {
    for (const peer of contenders) {
      const subject = await Subject.start(work, peer, SERVER_CORE, load)
      subjects.push(subject)
      await subject.sample(2)
    }
    const ratios = () => costs.slice(1).map((own) => ratioWithInterval(own, costs[0] ?? []))
    const isNarrow = () => ratios().every(({ low, high }) => (high - low) / 2 < Number(values.until))
    for (let round = 0; round < Number(values.most); round++) {
      for (let turn = 0; turn < subjects.length; turn++) {
        const index = (round + turn) % subjects.length
        costs[index]?.push((await subjects[index]?.sample(seconds))?.cpu ?? Number.NaN)
      }
      if (round >= LEAST && round % LEAST === 0 && isNarrow()) break
    }
    const rows = ratios().map(({ ratio, low, high }, index) => [
      contenders[index + 1]?.title ?? '',
      ratio.toFixed(3),
      `${low.toFixed(3)}–${high.toFixed(3)}`,
    ])
    console.log(`\n${work.title}, ${costs[0]?.length} rounds, ratio to the ${contenders[0]?.title}\n`)
    console.log(table(['server', 'ratio', '95 %'], rows))
  } finally {
    for (const subject of subjects) subject.stop()
  }
}

async function main(): Promise<void> {
  const runtime = RUNTIMES.find((name) => name === values.runtime)
  const chosen = works.filter(({ name }) => values.work.split(',').includes(name))
  if (values.help || positionals.length === 0 || runtime === undefined || chosen.length === 0) {
    console.error(USAGE)
    process.exitCode = values.help ? 0 : 2
    return
  }
  const load = new Load()
  try {
    for (const work of chosen) await compare(work, contendersOn(runtime, positionals, values.peers), load)
  } finally {
    load.stop()
  }
}

await main()
