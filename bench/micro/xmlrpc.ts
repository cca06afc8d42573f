/**
 * Compares decoding and encoding of XML-RPC calls with other libraries, for a small, a medium and a 20 MB document:
 *
 *     node bench/micro/xmlrpc.ts [small] [medium] [large]
 *
 * The libraries are loaded from `bench/node_modules`, or from the folder in BENCH_PEERS; the output lists those that
 * are not installed. Rounds are interleaved, and the best round counts, because noise only makes a measurement slower.
 * saxes reads tags and texts only and creates no values.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { DateTime, decodeCall, type Encodable, encodeCall } from '../../src/rpc/xmlrpc/index.ts'

type Work = () => unknown

interface Contender {
  readonly decode?: (document: Uint8Array) => unknown
  readonly encode?: (methodName: string, params: readonly Encodable[]) => unknown
}

const require = createRequire(
  process.env.BENCH_PEERS === undefined ? import.meta.url : `${process.env.BENCH_PEERS}/package.json`,
)
const missing: string[] = []

function peer(name: string): unknown {
  try {
    return require(name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error
    missing.push(name)
    return undefined
  }
}

const limits = { maxLength: 1e9, maxElements: 1e9, maxTextLength: 1e9 }
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

const contenders = new Map<string, Contender>([
  [
    'propylon',
    {
      decode: (document) => decodeCall(document, limits),
      encode: (methodName, params) => encoder.encode(encodeCall(methodName, params)),
    },
  ],
])

interface Saxes {
  SaxesParser: new () => {
    on(event: string, handler: (data: unknown) => void): void
    write(text: string): { close(): void }
  }
}
const saxes = peer('saxes') as Saxes | undefined
if (saxes !== undefined) {
  contenders.set('saxes alone', {
    decode: (document) => {
      const parser = new saxes.SaxesParser()
      let tags = 0
      let texts = 0
      parser.on('opentag', () => tags++)
      parser.on('closetag', () => tags++)
      parser.on('text', (text) => {
        texts += String(text).length
      })
      parser.write(decoder.decode(document)).close()
      return tags + texts
    },
  })
}

interface FastXmlParser {
  XMLParser: new (options: object) => { parse(text: string): unknown }
}
const fastXmlParser = peer('fast-xml-parser') as FastXmlParser | undefined
if (fastXmlParser !== undefined) {
  const parser = new fastXmlParser.XMLParser({ ignoreAttributes: false })
  contenders.set('fast-xml-parser', { decode: (document) => parser.parse(decoder.decode(document)) })
}

interface NpmDeserializer {
  default?: never
  new (): { deserializeMethodCall(stream: Readable, done: (error: unknown) => void): void }
}
interface NpmSerializer {
  serializeMethodCall(methodName: string, params: unknown[]): string
}
const npmDeserializer = peer('xmlrpc/lib/deserializer') as NpmDeserializer | undefined
const npmSerializer = peer('xmlrpc/lib/serializer') as NpmSerializer | undefined
if (npmDeserializer !== undefined && npmSerializer !== undefined) {
  contenders.set('npm xmlrpc', {
    decode: (document) =>
      new Promise<void>((resolve, reject) => {
        const done = (error: unknown) => (error == null ? resolve() : reject(error))
        new npmDeserializer().deserializeMethodCall(Readable.from([Buffer.from(document)]), done)
      }),
    encode: (methodName, params) =>
      encoder.encode(npmSerializer.serializeMethodCall(methodName, params.map(dated) as unknown[])),
  })
}

/** Replaces each DateTime by a Date, which npm xmlrpc requires. */
function dated(value: unknown): unknown {
  if (value instanceof DateTime) return value.toDate()
  if (Array.isArray(value)) return value.map(dated)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, dated(each)]))
}

const PYTHON = `
import sys, time, json, xmlrpc.client
document = sys.stdin.buffer.read()
budget = float(sys.argv[1])
def best(work):
    least, end = 1e9, time.perf_counter() + budget
    while True:
        start = time.perf_counter(); work(); now = time.perf_counter()
        least = min(least, now - start)
        if now > end: return least * 1000
params, method = xmlrpc.client.loads(document)
print(json.dumps([best(lambda: xmlrpc.client.loads(document)),
                  best(lambda: xmlrpc.client.dumps(params, method).encode())]))
`

function python(document: Uint8Array, budget: number): [decode: number, encode: number] | undefined {
  const run = spawnSync('python3', ['-c', PYTHON, String(budget / 1000)], {
    input: document,
    encoding: 'utf8',
  })
  return run.status === 0 ? (JSON.parse(run.stdout) as [number, number]) : undefined
}

function record(i: number): Encodable {
  return {
    id: i,
    name: `User number ${i}`,
    email: `user${i}@example.com`,
    active: i % 2 === 0,
    score: i * 1.37,
    tags: ['alpha', 'beta & gamma', 'delta'],
    address: { street: `${i} Long Street Name`, city: 'Vienna', zip: String(10_000 + i) },
    created: new DateTime('19980717T14:08:55'),
  }
}

const records = (count: number): Encodable[] => [Array.from({ length: count }, (_, i) => record(i))]

const documents: Readonly<Record<string, { params: Encodable[]; budget: number }>> = {
  small: { params: [4], budget: 1000 },
  medium: { params: records(60), budget: 1500 },
  large: { params: records(19_700), budget: 4000 },
}

/**
 * Returns the best time of each, in milliseconds. They take turns, so that noise affects all. Those that are four times
 * slower than the fastest stop after three rounds.
 */
async function race(
  works: ReadonlyMap<string, Work>,
  budget: number,
  repeat: number,
): Promise<Map<string, number>> {
  const best = new Map<string, number>()
  let running = [...works]
  const end = performance.now() + budget * 3
  for (let round = 1; round <= 3 || performance.now() < end; round++) {
    for (const [name, work] of running) {
      const start = performance.now()
      for (let i = 0; i < repeat; i++) {
        const made = work()
        if (made instanceof Promise) await made
      }
      const took = (performance.now() - start) / repeat
      best.set(name, Math.min(took, best.get(name) ?? Number.POSITIVE_INFINITY))
    }
    const quickest = Math.min(...best.values())
    if (round === 3) running = running.filter(([name]) => (best.get(name) ?? 0) < quickest * 4)
  }
  return best
}

function table(title: string, bytes: number, best: ReadonlyMap<string, number>): void {
  const ours = best.get('propylon') ?? Number.NaN
  console.log(`\n${title}, ${bytes.toLocaleString('en')} bytes`)
  for (const [name, took] of best) {
    const speed = bytes / took / 1000
    const rate = 1000 / took
    const cells = [
      name.padEnd(18),
      `${speed.toFixed(1).padStart(8)} MB/s`,
      `${rate.toFixed(rate < 100 ? 1 : 0).padStart(10)} /s`,
      `${(took / ours).toFixed(2).padStart(8)} × propylon’s time`,
    ]
    console.log(cells.join('  '))
  }
}

const chosen = process.argv.slice(2)
for (const [title, { params, budget }] of Object.entries(documents)) {
  if (chosen.length > 0 && !chosen.includes(title)) continue
  const document = encoder.encode(encodeCall('users.list', params))
  const repeat = Math.max(1, Math.round(200_000 / document.length))
  const decoding = new Map<string, Work>()
  const encoding = new Map<string, Work>()
  for (const [name, { decode, encode }] of contenders) {
    if (decode !== undefined) decoding.set(name, () => decode(document))
    if (encode !== undefined) encoding.set(name, () => encode('users.list', params))
  }
  const decoded = await race(decoding, budget, repeat)
  const encoded = await race(encoding, budget, repeat)
  const theirs = python(document, budget)
  if (theirs !== undefined) {
    decoded.set('python (expat)', theirs[0])
    encoded.set('python', theirs[1])
  }
  table(`decode ${title}`, document.length, decoded)
  table(`encode ${title}`, document.length, encoded)
}
if (missing.length > 0) console.log(`\nnot installed: ${missing.join(', ')}`)
