/**
 * Profiles a server: `node bench/profile.ts WORK [PEER] [SECONDS]` runs it under load with --cpu-prof and prints the self
 * time by file and by function.
 */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Load, SERVER_CORE } from './measure.ts'
import { peers, runtimes } from './peers.ts'
import { probe } from './probe.ts'
import { end, startOnCore } from './server-process.ts'
import { works } from './works/index.ts'
import { requestText } from './works/work.ts'

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
    }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const [workName = 'hello', peerName = 'propylon', seconds = '6'] = process.argv.slice(2)
const work = works.find(({ name }) => name === workName)
const peer = peers.find(({ name }) => name === peerName)
if (work === undefined || peer === undefined || peer.runtime !== 'node') {
  throw new Error('Usage: node bench/profile.ts WORK [PEER on Node] [SECONDS]')
}

const directory = mkdtempSync(join(tmpdir(), 'propylon-profile-'))
const server = fileURLToPath(new URL(`./servers/${peer.server[0]}`, import.meta.url))
const child = startOnCore(SERVER_CORE, [
  runtimes.node,
  '--cpu-prof',
  '--cpu-prof-interval=200',
  `--cpu-prof-dir=${directory}`,
  server,
])
const load = new Load()
try {
  const port = await new Promise<number>((resolve) => {
    child.stdout?.on('data', (data: Buffer) => {
      const found = /^ready (\d+)$/m.exec(data.toString())
      if (found !== null) resolve(Number(found[1]))
    })
  })
  const framing = await probe(work, port)
  await load.order({
    kind: 'connect',
    port,
    request: requestText(work),
    framing,
    connections: work.connections,
  })
  const milliseconds = Number(seconds) * 1000
  const atLeast = Math.round(Number(seconds) * work.rate)
  const ran = await load.order({ kind: 'run', milliseconds, atLeast }, 12 * milliseconds)
  await load.order({ kind: 'disconnect' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.stdin?.end()
  await ended
  const file = readdirSync(directory).find((name) => name.endsWith('.cpuprofile')) ?? ''
  console.log(`${join(directory, file)}\n`)
  const profile: CpuProfile = JSON.parse(readFileSync(join(directory, file), 'utf8'))
  print(profile, ran.kind === 'ran' ? ran.window.requests : 0)
} finally {
  load.stop()
  end(child)
}

function print({ nodes, samples, timeDeltas }: CpuProfile, requests: number): void {
  const frames = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const byFunction = new Map<string, number>()
  const byFile = new Map<string, number>()
  let total = 0
  // Skip the first third, in which the code is compiled.
  for (let index = Math.floor(samples.length / 3); index < samples.length; index++) {
    const frame = frames.get(samples[index] ?? 0)
    if (frame === undefined || frame.functionName === '(idle)') continue
    const time = timeDeltas[index] ?? 0
    const url = frame.url.replace(/^file:.*\/(src|bench|node_modules)\//, '$1/')
    const place = url === '' ? frame.functionName : `${frame.functionName} ${url}:${frame.lineNumber + 1}`
    byFunction.set(place, (byFunction.get(place) ?? 0) + time)
    byFile.set(url || '(engine)', (byFile.get(url || '(engine)') ?? 0) + time)
    total += time
  }
  console.log(`${requests} requests; ${(total / ((requests * 2) / 3)).toFixed(1)} µs each, profiled\n`)
  for (const table of [byFile, byFunction]) {
    const top = [...table].sort((a, b) => b[1] - a[1]).slice(0, 45)
    for (const [place, time] of top)
      console.log(`${((100 * time) / total).toFixed(1).padStart(5)} %  ${place}`)
    console.log()
  }
}
