/**
 * Compares results with those of an earlier release: `node bench/compare.ts BASELINE.json [RESULTS.json] [--limit 0.1]`.
 *
 * Compares ratios instead of times, so that the results may come from different machines. Exits with 1 if Propylon's
 * ratio to the bare server has grown by more than the limit (default 0.1) and by more than its spread in the new results.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Finding } from './measure.ts'
import { type Results, table } from './report.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: 'string', default: '0.1' } },
})
const [baselineFile, resultsFile = new URL('./results.json', import.meta.url)] = positionals
const limit = Number(values.limit)
if (baselineFile === undefined || !(limit > 0)) {
  console.error('node bench/compare.ts BASELINE.json [RESULTS.json] [--limit 0.1]')
  process.exit(2)
}

function read(file: string | URL): Results {
  return JSON.parse(readFileSync(file, 'utf8'))
}

const isPropylon = ({ peer }: Finding) => peer === 'propylon' || peer.endsWith('-propylon')
const before = read(baselineFile)
const now = read(resultsFile)
let worse = 0
const rows: string[][] = []
for (const finding of now.findings.filter(isPropylon)) {
  const old = before.findings.find(({ peer, work }) => peer === finding.peer && work === finding.work)
  if (old === undefined || old.ratio === null || finding.ratio === null) continue
  // If Propylon is the baseline of a work, its ratio is 1. Compare it with the best of the other peers instead.
  const [then, today] =
    finding.baseline === finding.peer
      ? [lead(old, before), lead(finding, now)]
      : [old.ratio.whole, finding.ratio.whole]
  const growth = today / then - 1
  const isWorse = growth > limit && (finding.baseline === finding.peer || finding.ratio.low > then)
  if (isWorse) worse++
  rows.push([
    `${finding.work} (${finding.peer})`,
    then.toFixed(2),
    today.toFixed(2),
    `${(100 * growth).toFixed(0)} %`,
    isWorse ? 'WORSE' : '',
  ])
}
for (const finding of now.idle.filter(({ peer }) => peer === 'propylon')) {
  const old = before.idle.find(({ peer }) => peer === 'propylon')
  const bare = now.idle.find(({ peer }) => peer === 'node')
  const oldBare = before.idle.find(({ peer }) => peer === 'node')
  if (old === undefined || bare === undefined || oldBare === undefined) continue
  const [then, today] = [old.each / oldBare.each, finding.each / bare.each]
  const growth = today / then - 1
  // Resident memory varies more than CPU time, because it is allocated in pages.
  const isWorse = growth > 2 * limit
  if (isWorse) worse++
  rows.push([
    'idle connection (propylon)',
    then.toFixed(2),
    today.toFixed(2),
    `${(100 * growth).toFixed(0)} %`,
    isWorse ? 'WORSE' : '',
  ])
}

/** Returns the CPU time relative to the fastest other peer. Less than 1 means faster. */
function lead(finding: Finding, { findings }: Results): number {
  const others = findings.filter(({ work, peer }) => work === finding.work && !peer.endsWith('propylon'))
  return finding.cpu / Math.min(...others.map(({ cpu }) => cpu))
}

console.log(table(['work', 'before', 'now', 'change', ''], rows))
if (rows.length === 0) {
  console.error(
    `${baselineFile} and ${resultsFile} have no work of Propylon in common. Measure the same works in both.`,
  )
  process.exitCode = 2
} else if (worse > 0) process.exitCode = 1
