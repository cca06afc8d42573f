/** Formats the results as Markdown tables. */
import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { CONDITIONS } from './conditions.ts'
import type { Finding } from './measure.ts'
import { type Peer, peers, type RuntimeName, runtimes, versionsOf } from './peers.ts'
import type { Section } from './section.ts'
import { ratioText } from './statistics.ts'
import { works } from './works/index.ts'

/** The machine and the runtimes of a measurement. */
export interface Machine {
  readonly date: string
  readonly cpu: string
  readonly cores: number
  readonly versions: Readonly<Record<RuntimeName, string>>
}

/** Contents of results.json. */
export interface Results {
  readonly machine: Machine
  readonly findings: Finding[]
  readonly sections: Section[]
  /** Dates and machines of the measurements that are not of `machine`, by the names of works and sections. */
  readonly dates: Readonly<Record<string, string>>
}

export function machine(): Machine {
  const version = (runtime: RuntimeName) => {
    try {
      const text = execFileSync(runtimes[runtime], ['--version'], { encoding: 'utf8' })
      return /\d+\.\d+\.\d+/.exec(text)?.[0] ?? 'unknown'
    } catch {
      return 'not installed'
    }
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    versions: {
      node: version('node'),
      bun: version('bun'),
      deno: version('deno'),
      python: version('python'),
    },
  }
}

/** Returns RESULTS.md. */
export function reportText(results: Results): string {
  return `${[
    '# Propylon compared with other servers',
    introduction(results),
    ...works.flatMap((work) => workTables(work.name, work.title, results)),
    ...results.sections.map((section) => sectionText(section, results)),
    versionTable(),
  ].join('\n\n')}\n`
}

function introduction({ machine: { date, cpu, cores, versions } }: Results): string {
  return `Measured on ${date}: ${cpu}, ${cores} cores, Linux. Node ${versions.node}, Bun ${versions.bun}, Deno ${versions.deno}, Python ${versions.python}.

The server runs on one core and the load generator on another. All servers of a table run at the same time and are
measured one after another in many short windows. The order rotates from round to round. **CPU** is the user and system
time of the server process per request, at the first decile of its windows, because other activity on the machine only
adds time. **Ratio** is the CPU time relative to the bare server in the same round: the median over the rounds, with its
95 % confidence interval (bootstrap). Requests per second and latencies are medians over all windows. They also depend on the load generator and
the other core, and vary more. The load generator never sleeps, because waking it would cost the server CPU time.

Tables can be of several runs, and a virtual machine may take twice as long in one as in another: compare the ratios, and the times of one
table only.

The pages, the JSON and the form are sent by 64 open connections that never pause, with the header fields of Chromium. All servers have the same
options and do the same work, each in the style of its own guide:

${CONDITIONS}
- Elysia's adapter for Node has no option \`optimizeEmptyRequests\`.

To reproduce: \`npm install\` in \`bench\` and in \`test/packages\`, then \`npm run bench\` at the root of the project
(\`--help\` lists the options) on a machine with two idle cores. Each response is checked in full before it is measured.`
}

function workTables(name: string, title: string, results: Results): string[] {
  const { findings } = results
  const found = findings.filter((finding) => finding.work === name)
  if (found.length === 0) return []
  const tables = [`## ${title}`, ...dateOf(name, results)]
  const groups: readonly (readonly RuntimeName[])[] = [['node', 'python'], ['bun'], ['deno']]
  for (const group of groups) {
    const rows = found
      .filter((finding) => group.includes(peerOf(finding.peer)?.runtime ?? 'node'))
      .sort((a, b) => a.cpu - b.cpu)
      .map((finding) => [
        titleOf(finding.peer),
        finding.cpu.toFixed(1),
        ratioCell(finding),
        finding.perSecond.toFixed(0),
        milliseconds(finding.p50),
        milliseconds(finding.p99),
        finding.peak.toFixed(0),
      ])
    if (rows.length === 0) continue
    tables.push(
      table(
        [
          group[0] === 'node' ? 'on Node' : group[0] === 'bun' ? 'on Bun' : 'on Deno',
          'CPU µs',
          'ratio',
          'requests/s',
          'p50 ms',
          'p99 ms',
          'peak MiB',
        ],
        rows,
      ),
    )
  }
  return tables
}

function ratioCell({ ratio, peer, baseline }: Finding): string {
  if (ratio === null) return ''
  return peer === baseline ? '1' : ratioText(ratio)
}

function milliseconds(microseconds: number): string {
  return (microseconds / 1000).toFixed(2)
}

/** Returns a line with the date and the machine of a table, if the report has others. */
function dateOf(name: string, { dates }: Results): string[] {
  const date = dates[name]
  return date === undefined ? [] : [`Measured on ${date}.`]
}

function sectionText({ name, title, text, head, rows }: Section, results: Results): string {
  return [`## ${title}`, ...dateOf(name, results), text, table(head, rows)].join('\n\n')
}

function versionTable(): string {
  const rows = peers
    .filter((peer) => peer.packages.length > 0 && (peer.runtime === 'node' || peer.runtime === 'python'))
    .map((peer) => [peer.title, versionsOf(peer)])
  return `## Versions\n\n${table(['peer', 'packages'], rows)}`
}

function peerOf(name: string): Peer | undefined {
  return peers.find((peer) => peer.name === name)
}

function titleOf(name: string): string {
  return peerOf(name)?.title ?? name
}

/** Returns a Markdown table. All columns but the first are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, index) => (index === 0 ? '---' : '--:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
