/**
 * Runs the benchmarks: `npm run bench -- --work hello,form --peers propylon,hono --quick`.
 *
 * Writes results.json, RESULTS.md, and the pages that repeat some of the figures. Works that are not measured in a run keep
 * their old results.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureCalls } from './calls.ts'
import { Load, measureWork } from './measure.ts'
import { measureMemory } from './memory.ts'
import { baselineOf, peers } from './peers.ts'
import { type Machine, machine, type Results, reportText } from './report.ts'
import type { MeasureSection, Section } from './section.ts'
import { measureStartup } from './startup.ts'
import { works } from './works/index.ts'

/** Measurements with a table of their own, in the order of the report. */
const measures: ReadonlyMap<string, MeasureSection> = new Map([
  ['calls', measureCalls],
  ['memory', measureMemory],
  ['startup', measureStartup],
])

const WORK_NAMES = [...works.map((work) => work.name), ...measures.keys()]

const USAGE = `npm run bench -- [options]

  --work NAMES     of ${WORK_NAMES.join(', ')} (default: all)
  --peers NAMES    of ${peers.map((peer) => peer.name).join(', ')}
  --rounds N       rounds for each piece of work (120)
  --seconds N      length of a window (0.05)
  --quick          40 rounds, and shorter measurements
  --only-print     does not write results.json, RESULTS.md and the pages
`

const { values } = parseArgs({
  options: {
    work: { type: 'string' },
    peers: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    'only-print': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

function chosen(option: string | undefined, known: readonly string[], what: string): readonly string[] {
  const names = option?.split(',') ?? known
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no ${what} "${unknown}". Use ${known.join(', ')}`)
  return names
}

function positive(option: string | undefined, otherwise: number): number {
  const number = option === undefined ? otherwise : Number(option)
  if (!(number > 0)) throw new Error(`${option} is not a positive number`)
  return number
}

const RESULTS = new URL('./results.json', import.meta.url)

function knownResults(): Results {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8'))
  } catch {
    return { machine: machine(), findings: [], sections: [], dates: {} }
  }
}

async function main(): Promise<void> {
  const workNames = chosen(values.work, WORK_NAMES, 'work')
  const peerNames = chosen(
    values.peers,
    peers.map((peer) => peer.name),
    'peer',
  )
  // The ratio of a peer requires its baseline.
  const wanted = peers.filter(
    (peer) =>
      peerNames.includes(peer.name) ||
      peers.some((other) => peerNames.includes(other.name) && baselineOf(other) === peer.name),
  )
  const settings = {
    rounds: positive(values.rounds, values.quick ? 40 : 120),
    seconds: positive(values.seconds, 0.05),
    warmUp: values.quick ? 1.5 : 2.5,
  }
  const log = (text: string) => console.error(text)
  const fresh: Results = { machine: machine(), findings: [], sections: [], dates: {} }
  const load = new Load()
  try {
    for (const work of works) {
      if (!workNames.includes(work.name)) continue
      log(`${work.title}`)
      const contenders = wanted.filter((peer) => peer.works?.includes(work.name) ?? true)
      fresh.findings.push(...(await measureWork(work, contenders, settings, load, log)))
      if (!values['only-print']) keep(fresh)
    }
    for (const [name, measure] of measures) {
      if (!workNames.includes(name)) continue
      log(name)
      fresh.sections.push({ name, ...(await measure({ load, quick: values.quick, log })) })
      if (!values['only-print']) keep(fresh)
    }
  } finally {
    load.stop()
  }
  if (!values['only-print']) writePages()
  console.log(reportText(fresh))
}

/** Writes the figures into README.md and docs/. */
function writePages(): void {
  const script = fileURLToPath(new URL('../scripts/reference-docs.ts', import.meta.url))
  execFileSync(process.execPath, ['--conditions=propylon-source', script], { stdio: 'inherit' })
}

/**
 * Replaces the stored results of the measured works. A table never mixes two runs. The report begins with the machine
 * of the works, and tables that were measured at another time or elsewhere say so.
 */
function keep(fresh: Results): void {
  const results = knownResults()
  const isKnown = (name: string) => works.some((work) => work.name === name)
  const names = [...new Set(results.findings.map(({ work }) => work).filter(isKnown)), ...measures.keys()]
  const isFresh = (name: string) =>
    fresh.findings.some(({ work }) => work === name) || fresh.sections.some((each) => each.name === name)
  const machine = fresh.findings.length > 0 ? fresh.machine : results.machine
  const dates = names
    .map((name) => [name, isFresh(name) ? originOf(fresh.machine) : (results.dates[name] ?? originOf(results.machine))])
    .filter(([, origin]) => origin !== originOf(machine))
  const merged: Results = {
    machine,
    dates: Object.fromEntries(dates),
    findings: [...results.findings.filter(({ work }) => isKnown(work) && !isFresh(work)), ...fresh.findings],
    sections: [...measures.keys()].flatMap((name) => {
      const isNamed = (section: Section) => section.name === name
      return fresh.sections.find(isNamed) ?? results.sections.find(isNamed) ?? []
    }),
  }
  writeFileSync(RESULTS, `${JSON.stringify(merged, rounded, 2)}\n`)
  writeFileSync(new URL('./RESULTS.md', import.meta.url), reportText(merged))
}

function originOf({ date, cpu }: Machine): string {
  return `${date}, ${cpu}`
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value
}

if (values.help) console.log(USAGE)
else {
  try {
    await main()
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  }
}
