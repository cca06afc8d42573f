/**
 * Counts the instructions of a request: `node bench/instructions.ts OLD NEW --work hello,form`.
 *
 * Time varies with the machine and what else it does. The instructions of a program hardly do: two counts differ by less
 * than one in a hundred, so a loss of 3 % is seen at once, also on a busy machine. Instructions are not time: they say
 * nothing of caches and of waiting for memory.
 *
 * Servers run in Callgrind (package valgrind), on one thread, with a garbage collector that runs at fixed points. One
 * client sends one request after the other.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs, promisify } from 'node:util'
import { Load, SERVER_CORE } from './measure.ts'
import { commandOf, contendersOn, type Peer } from './peers.ts'
import { probe } from './probe.ts'
import { table } from './report.ts'
import { ServerProcess } from './server-process.ts'
import { works } from './works/index.ts'
import { requestText, type Work } from './works/work.ts'

const control = promisify(execFile)

const USAGE = `node bench/instructions.ts DIRECTORY... [options]

  DIRECTORY...     checkouts with bench/servers/ and installed packages
  --work NAMES     (default: hello,user-json,user-list,form,unrouted,missing)
  --peers NAMES    other servers on Node to count beside them, such as fastify
  --check          fail if a ratio is 3 % above instructions.json
  --update         write the ratios to instructions.json
`

/**
 * Rounds before the count, each of {@link COUNTED} requests over new connections: code that V8 has compiled for one
 * connection is compiled again when the next one differs.
 */
const WARM_UP_ROUNDS = 15

/** Requests that are counted. */
const COUNTED = 2000

/** Compilation and garbage collection at fixed points of the program, not of time. */
const NODE_FLAGS = ['--single-threaded', '--predictable', '--hash-seed=1', '--random-seed=1']

const CALLGRIND = [
  'valgrind',
  '--tool=callgrind',
  '--instr-atstart=no',
  '--smc-check=all-non-file',
  '--callgrind-out-file=/dev/null',
]

/**
 * Counts the instructions of the server for a request.
 *
 * @throws Error - the server does not start, or its response is wrong.
 */
async function count(work: Work, peer: Peer, load: Load): Promise<number> {
  const [node = '', ...rest] = commandOf(peer)
  const server = await ServerProcess.start(peer, SERVER_CORE, [...CALLGRIND, node, ...NODE_FLAGS, ...rest])
  try {
    const framing = await probe(work, server.port)
    const connect = {
      kind: 'connect',
      port: server.port,
      request: requestText(work),
      framing,
      connections: 1,
    } as const
    const send = async (requests: number) => {
      await load.order(connect)
      await load.order({ kind: 'count', requests }, 600_000)
      await load.order({ kind: 'disconnect' })
    }
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await send(COUNTED)
    await control('callgrind_control', ['--instr=on', String(server.pid)])
    // Callgrind begins to count some requests later.
    let before = 0
    for (let attempt = 0; before < 10_000; attempt++) {
      if (attempt === 10) throw new Error('Callgrind does not count.')
      await send(100)
      before = await counted(server)
    }
    await send(COUNTED)
    return ((await counted(server)) - before) / COUNTED
  } finally {
    server.stop()
  }
}

/** Returns the instructions of all threads so far. */
async function counted({ pid }: ServerProcess): Promise<number> {
  const { stdout } = await control('callgrind_control', ['-e', 'Ir', String(pid)])
  const threads = [...stdout.matchAll(/^\s+Th \d+\s+([\d,]+)/gm)]
  return threads.reduce((sum, [, instructions = '']) => sum + Number(instructions.replaceAll(',', '')), 0)
}

/** Ratios of the checkout to the bare server, by work. */
type Ratios = Record<string, number>

/** Growth of a ratio that `--check` refuses. */
const GROWTH = 1.03

const RATIOS = new URL('./instructions.json', import.meta.url)

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      work: { type: 'string', default: 'hello,user-json,user-list,form,unrouted,missing' },
      peers: { type: 'string', default: '' },
      check: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const contenders = contendersOn('node', positionals.length === 0 ? ['.'] : positionals, values.peers)
  const former: Ratios = JSON.parse(readFileSync(RATIOS, 'utf8'))
  const ratios: Ratios = {}
  const load = new Load()
  try {
    for (const name of values.work.split(',')) {
      const work = works.find((one) => one.name === name)
      if (work === undefined) throw new Error(`There is no work ${name}: ${works.map((one) => one.name).join(', ')}`)
      const counts: number[] = []
      for (const peer of contenders) counts.push(await count(work, peer, load))
      const rows = contenders.map(({ title }, i) => {
        const instructions = counts[i] ?? Number.NaN
        return [title, instructions.toFixed(0), (instructions / (counts[0] ?? Number.NaN)).toFixed(3)]
      })
      ratios[name] = (counts[1] ?? Number.NaN) / (counts[0] ?? Number.NaN)
      console.log(`\n${work.title}\n\n${table(['server', 'instructions', 'ratio'], rows)}`)
    }
  } finally {
    load.stop()
  }
  if (values.update) {
    const rounded = Object.entries(ratios).map(([name, ratio]) => [name, Number(ratio.toFixed(3))])
    writeFileSync(RATIOS, `${JSON.stringify({ ...former, ...Object.fromEntries(rounded) }, null, 2)}\n`)
  }
  if (!values.check) return
  for (const [name, ratio] of Object.entries(ratios)) {
    const before = former[name]
    if (before !== undefined && ratio <= before * GROWTH) continue
    console.error(`${name}: ${ratio.toFixed(3)} instead of ${before}. Find the cause, or run with --update.`)
    process.exitCode = 1
  }
}

await main()
