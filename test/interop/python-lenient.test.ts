import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, it } from 'node:test'
import { Binary, DateTime, decodeResponse, Fault } from '../../src/rpc/xmlrpc/index.ts'
import { SLOPPY } from '../rpc/xmlrpc/sloppy.ts'
import { structs } from '../rpc/xmlrpc/structs.ts'

/** Reads responses with xmlrpc.client. Writes each value with its type, and `null` where it cannot read. */
const READER = `
import base64, json, sys, xmlrpc.client
def tagged(value):
    if value is None or isinstance(value, (bool, str)): return value
    if isinstance(value, int): return {'int': str(value)}
    if isinstance(value, float): return {'float': repr(value)}
    if isinstance(value, xmlrpc.client.DateTime): return {'date': value.value}
    if isinstance(value, xmlrpc.client.Binary): return {'bytes': base64.b64encode(value.data).decode()}
    if isinstance(value, (list, tuple)): return [tagged(each) for each in value]
    if isinstance(value, dict): return {'struct': {name: tagged(each) for name, each in value.items()}}
    return {'other': str(value)}
out = []
for each in json.load(sys.stdin):
    try:
        values, _ = xmlrpc.client.loads(base64.b64decode(each))
        out.append({'value': tagged(values[0] if len(values) == 1 else values)})
    except xmlrpc.client.Fault as fault:
        out.append({'fault': [tagged(fault.faultCode), tagged(fault.faultString)]})
    except Exception:
        out.append(None)
json.dump(out, sys.stdout)
`

type Tagged =
  | null
  | boolean
  | string
  | readonly Tagged[]
  | {
      int?: string
      float?: string
      date?: string
      bytes?: string
      struct?: Record<string, Tagged>
      other?: string
    }

/** Converts what Python read to values of this library. */
function fromPython(tagged: Tagged, type: 'int' | 'i8'): unknown {
  if (tagged === null || typeof tagged !== 'object') return tagged
  if (Array.isArray(tagged)) return tagged.map((each) => fromPython(each, type))
  const { int, float, date, bytes, struct, other } = tagged as Exclude<typeof tagged, readonly Tagged[]>
  if (int !== undefined)
    return type === 'i8' || !Number.isSafeInteger(Number(int)) ? BigInt(int) : Number(int)
  if (float !== undefined) return Number(float.replace('inf', 'Infinity').replace('nan', 'NaN'))
  if (date !== undefined) return asDate(date)
  if (bytes !== undefined) return Binary.fromBase64(bytes)
  if (struct === undefined) return other
  return structs(
    Object.fromEntries(Object.entries(struct).map(([name, each]) => [name, fromPython(each, type)])),
  )
}

function asDate(text: string): DateTime | string {
  try {
    return new DateTime(text)
  } catch (error) {
    if (error instanceof RangeError) return text
    throw error
  }
}

type Read = { value?: Tagged; fault?: [Tagged, Tagged] } | null

async function python(documents: readonly (string | Uint8Array)[]): Promise<Read[]> {
  const child = spawn('python3', ['-c', READER], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(documents.map((each) => Buffer.from(each as string).toString('base64'))))
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString()) as Read[]
}

const rows = Object.values(SLOPPY).flat()
const answers = await python(rows.map(({ document }) => document))

describe('a lenient client recovers what Python’s xmlrpc.client recovers:', () => {
  let compared = 0
  rows.forEach(({ name, document, charset, unlikePython }, i) => {
    const read = answers[i] ?? null
    if (read === null || unlikePython !== undefined) return
    compared++
    it(JSON.stringify(name), () => {
      const decode = () => decodeResponse(document, { lenient: true, charset })
      if (read.fault !== undefined) {
        const [faultCode, faultString] = read.fault.map((each) => fromPython(each, 'int'))
        assert.throws(decode, (error) => {
          assert.ok(error instanceof Fault)
          assert.deepEqual([error.faultCode, error.faultString], [faultCode, faultString])
          return true
        })
        return
      }
      const value = decode()
      assert.deepStrictEqual(value, fromPython(read.value ?? null, typeof value === 'bigint' ? 'i8' : 'int'))
    })
  })

  it('compares a large part of the documents', () => assert.ok(compared > 60, `only ${compared}`))
})
