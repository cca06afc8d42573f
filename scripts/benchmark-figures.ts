/** Reads figures from the tables of bench/RESULTS.md, for pages that repeat some of them. */
import { read } from './doc-comments.ts'

/** Servers that pages compare. */
const SERVERS = ['Propylon', 'Express', 'Hono', 'Fastify', 'Koa'] as const
/** Columns of the comparison in the README. */
const COLUMNS = ['Propylon', 'Express', 'Hono', 'Fastify', 'NestJS', 'AdonisJS'] as const
/** The kinds of work, with the beginnings of their headings. */
const WORKS: readonly (readonly [title: string, heading: string])[] = [
  ['Hello', 'Hello text'],
  ['JSON among 50 routes', 'JSON of one user'],
  ['HTML of 20 users', 'HTML list'],
  ['form, validated', 'Urlencoded form'],
  ['1 MiB, streamed', '1 MiB body'],
]

/** Figures of one kind of work on Node: CPU time by server, relative to bare node:http. */
function ratiosOf(heading: string, end = ''): ReadonlyMap<string, string> {
  const results = read('bench/RESULTS.md')
  const isSection = (text: string) => text.startsWith(heading) && (text.split('\n', 1)[0] ?? '').endsWith(end)
  const section = results.split(/^## /m).find(isSection) ?? ''
  const table = /^\| on Node [\s\S]*?(?=\n\n|$(?![\s\S]))/m.exec(section)?.[0]
  if (table === undefined) throw new Error(`bench/RESULTS.md has no table on Node below "${heading}"`)
  return new Map(
    [...table.matchAll(/^\| ([^|]+) \| [^|]+ \| (?:\*\*)?([\d.]+)/gm)].map(([, name = '', ratio = '']) => [
      name,
      ratio,
    ]),
  )
}

/** The kinds of work that are also measured at saturation, with the header fields of a browser. */
const SATURATED = WORKS.filter(([, heading]) => heading !== '1 MiB body')

/** Returns a table of CPU times per request on Node, relative to bare node:http: servers by kinds of work. */
export function ratioTable(): string {
  return tableOf(WORKS.map(([title, heading]) => ({ title, ratios: ratiosOf(heading) })))
}

/** Returns the same table for 64 browsers at once. */
export function saturatedTable(): string {
  return tableOf(SATURATED.map(([title, heading]) => ({ title, ratios: ratiosOf(heading, ', by 64 browsers') })))
}

function tableOf(columns: readonly { title: string; ratios: ReadonlyMap<string, string> }[]): string {
  const rows = SERVERS.map(
    (server) => `| ${server} | ${columns.map(({ ratios }) => ratios.get(server) ?? '–').join(' | ')} |`,
  )
  const titles = columns.map(({ title }) => title)
  return `| | ${titles.join(' | ')} |\n|---|${titles.map(() => '--:|').join('')}\n${rows.join('\n')}\n`
}

/** Returns the row of the README: the figures of two kinds of work for each column. */
export function readmeRow(): string {
  const [hello, , , form] = WORKS.map(([, heading]) => ratiosOf(heading))
  const cells = COLUMNS.map((server) =>
    hello?.has(server) ? `${hello.get(server)} · ${form?.get(server)}` : 'not measured',
  )
  return `| CPU: hello · form | ${cells.join(' | ')} |`
}

/** Returns the date of the measurement and the versions that it names: `2026-11-22`, `Node 24.21.0, …`. */
export function measurement(): {
  readonly date: string
  readonly machine: string
  readonly versions: string
} {
  const [, date = '', machine = '', versions = ''] =
    /^Measured on (\S+): (.*?)\. (Node .*)\.$/m.exec(read('bench/RESULTS.md')) ?? []
  return { date, machine, versions }
}
