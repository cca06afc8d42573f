/** The results of other frameworks, as a section of the page. */
import { PEERS, type Peer, withPeer } from './peers.ts'
import { isPassed, type SiteReferee, type Verdict } from './referee.ts'

interface Result {
  readonly referee: SiteReferee
  readonly own: readonly Verdict[]
  /** Undefined for a framework that does not have the part. */
  readonly others: ReadonlyMap<Peer, readonly Verdict[] | undefined>
}

/** Returns the section. */
export async function comparison(referees: readonly SiteReferee[], heading: string): Promise<string> {
  const verdicts = new Map<Peer, ReadonlyMap<SiteReferee, readonly Verdict[]>>()
  for (const peer of PEERS) {
    verdicts.set(
      peer,
      await withPeer(peer, async (port) => {
        const found = new Map<SiteReferee, readonly Verdict[]>()
        for (const referee of referees) {
          if (peer.lacks?.includes(referee.name) !== true) found.set(referee, await referee.judge(port))
        }
        return found
      }),
    )
  }
  const results: Result[] = []
  for (const referee of referees) {
    const others = new Map(PEERS.map((peer) => [peer, verdicts.get(peer)?.get(referee)]))
    results.push({ referee, own: await referee.run(), others })
  }
  return `${heading}

The same requests to small applications in other frameworks that do the same, each with its usual packages (\`test/scoreboard/peers/\`).
A number counts passed cases. It says how near an application is to the referee: a failure may be another choice, as the reasons
above say for Propylon. Express and Nest use the packages send, range-parser, negotiator, accepts, cors, compression and busboy (through
multer) themselves. Fastify and AdonisJS use accepts.

${totals(results)}
${setup()}${results.map(differences).join('')}`
}

function totals(results: readonly Result[]): string {
  const count = (verdicts: readonly Verdict[] | undefined) => verdicts?.filter(isPassed).length ?? '–'
  const rows = results.map(({ referee, own, others }) =>
    row([referee.name, own.length, count(own), ...[...others.values()].map(count)]),
  )
  const head = row(['referee', 'cases', 'Propylon', ...PEERS.map(({ name }) => name)])
  return `${head}${row(['---', ...Array.from({ length: PEERS.length + 2 }, () => '---:')])}${rows.join('')}`
}

function setup(): string {
  const rows = PEERS.map(({ name, packages, settings }) => row([name, packages.join(', '), settings]))
  return `${row(['framework', 'packages', 'settings besides those that the cases name'])}${row(['---', '---', '---'])}${rows.join('')}`
}

/** Returns the table of cases that another framework does not pass. */
function differences({ referee, own, others }: Result): string {
  const rows = own.flatMap(({ name, allowed }) => {
    const found = new Map<string, string[]>()
    for (const [peer, verdicts] of others) {
      const verdict = verdicts?.find((each) => each.name === name)
      if (verdict === undefined || isPassed(verdict)) continue
      found.set(verdict.actual, [...(found.get(verdict.actual) ?? []), peer.name])
    }
    if (found.size === 0) return []
    const outcomes = [...found].map(([actual, names]) => `${names.join(', ')}: ${code(actual)}`)
    return [row([code(name), allowed.map(code).join(' or '), outcomes.join('<br>')])]
  })
  if (rows.length === 0) return ''
  return `\n### ${referee.name} in other frameworks\n\n${row(['case', 'expected', 'found'])}${row(['---', '---', '---'])}${rows.join('')}`
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |\n`
}

/** Returns a text as code in a table. */
export function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``
}
