/** Reads the figures of bench/results.json for pages that show some of them. */
import { read } from './doc-comments.ts'

type Runtime = 'node' | 'bun' | 'deno'

/** The works that the pages compare, with their column titles. */
const WORKS: readonly (readonly [work: string, title: string])[] = [
  ['hello', 'hello'],
  ['user-json', 'JSON'],
  ['user-list', 'list'],
  ['form', 'form'],
  ['unrouted', '404'],
]

/** Name and title of a server. */
type Row = readonly [peer: string, title: string]

/** Rows of a table: names of the measured servers, and their titles. The first is the bare server. */
const SERVERS: Readonly<Record<Runtime, readonly [Row, ...Row[]]>> = {
  node: [
    ['node', 'bare `node:http`, µs'],
    ['propylon', 'Propylon'],
    ['fastify', 'Fastify'],
    ['hono', 'Hono'],
    ['express', 'Express'],
    ['koa', 'Koa'],
  ],
  bun: [
    ['bun-bare', 'bare `Bun.serve`, µs'],
    ['bun-propylon', 'Propylon'],
    ['bun-hono', 'Hono'],
    ['bun-elysia', 'Elysia'],
  ],
  deno: [
    ['deno-bare', 'bare `Deno.serve`, µs'],
    ['deno-propylon', 'Propylon'],
    ['deno-hono', 'Hono'],
    ['deno-elysia', 'Elysia'],
  ],
}

/** The part of bench/results.json that the pages show. */
interface Results {
  readonly machine: {
    readonly date: string
    readonly cpu: string
    readonly cores: number
    readonly versions: Readonly<Record<string, string>>
  }
  readonly findings: readonly {
    readonly peer: string
    readonly work: string
    readonly cpu: number
    readonly ratio: { readonly ratio: number } | null
  }[]
  readonly sections: readonly {
    readonly name: string
    readonly head: readonly string[]
    readonly rows: readonly (readonly string[])[]
  }[]
}

const results: Results = JSON.parse(read('bench/results.json'))

function findingOf(peer: string, work: string): Results['findings'][number] | undefined {
  return results.findings.find((finding) => finding.peer === peer && finding.work === work)
}

/** Returns the ratios of a server, with `–` for works that were not measured. */
function ratioRow([peer, title]: Row): string[] {
  return [title, ...WORKS.map(([work]) => findingOf(peer, work)?.ratio?.ratio.toFixed(2) ?? '–')]
}

/** Returns a Markdown table. All columns but the first are right-aligned. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const rule = `|---|${head
    .slice(1)
    .map(() => '--:|')
    .join('')}\n`
  return line(head) + rule + rows.map(line).join('')
}

/** Returns the table of a runtime: CPU time per request, divided by the time of its bare server, for which it is in µs. */
export function ratioTable(runtime: Runtime): string {
  const [bare, ...others] = SERVERS[runtime]
  const microseconds = WORKS.map(([work]) => {
    const found = findingOf(bare[0], work)
    return found?.cpu.toFixed(1) ?? '–'
  })
  return table(['server', ...WORKS.map(([, title]) => title)], [[bare[1], ...microseconds], ...others.map(ratioRow)])
}

/** Returns the table of README.md: the ratios on Node. */
export function readmeTable(): string {
  const rows = SERVERS.node.slice(1).filter(([peer]) => peer !== 'koa')
  return table(['CPU time', ...WORKS.map(([, title]) => title)], rows.map(ratioRow))
}

/** Returns the table of a measurement with a table of its own, such as `startup`. */
export function sectionTable(name: string): string {
  const section = results.sections.find((one) => one.name === name)
  if (section === undefined) throw new Error(`bench/results.json has no section "${name}"`)
  return table(section.head, section.rows)
}

/** Returns the date of the measurement, the machine and the versions. */
export function measurement(): { readonly date: string; readonly machine: string; readonly versions: string } {
  const { date, cpu, cores, versions } = results.machine
  return {
    date,
    machine: `${cpu}, ${cores} cores, Linux`,
    versions: `Node ${versions.node}, Bun ${versions.bun}, Deno ${versions.deno}`,
  }
}
