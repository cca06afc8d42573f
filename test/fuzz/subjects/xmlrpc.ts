/** The XML-RPC decoder, with Python's xmlrpc.client as a second opinion. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Binary, DateTime, Double, decodeCall, encodeCall, XMLRPCDecodeError, XMLRPCEncodeError } from 'propylon/xmlrpc'
import { wireValue } from '../../rpc/xmlrpc/arbitrary.ts'
import { edited, edits } from '../arbitraries.ts'
import { property, type Subject } from '../property.ts'
import { Python } from '../python.ts'

/** Reads a call, and describes its parameters by type and value. */
const PROGRAM = `
import base64, datetime, struct, xmlrpc.client
def describe(value):
    if value is None: return ['nil']
    if isinstance(value, bool): return ['boolean', value]
    if isinstance(value, int): return ['int', str(value)]
    if isinstance(value, float): return ['double', struct.pack('>d', value).hex()]
    if isinstance(value, str): return ['string', value]
    if isinstance(value, xmlrpc.client.Binary): return ['base64', base64.b64encode(value.data).decode()]
    if isinstance(value, xmlrpc.client.DateTime): return ['dateTime', value.value]
    if isinstance(value, (list, tuple)): return ['array', [describe(each) for each in value]]
    return ['struct', sorted([name, describe(each)] for name, each in value.items())]
def answer(document):
    try:
        params, method = xmlrpc.client.loads(base64.b64decode(document))
        return {'method': method, 'params': [describe(each) for each in params]}
    except Exception:
        return None
`

let python: Python | undefined

type Description = readonly [type: string, value?: unknown]

/** A call, as Python describes it. */
interface Call {
  readonly method: string | null
  readonly params: readonly Description[]
}

/** Describes a decoded value as the program does. */
function describe(value: unknown): Description {
  if (value === null) return ['nil']
  if (typeof value === 'boolean') return ['boolean', value]
  if (typeof value === 'bigint' || typeof value === 'number') return ['int', String(value)]
  if (value instanceof Double) return ['double', hexOf(value.value)]
  if (typeof value === 'string') return ['string', value]
  if (value instanceof Binary) return ['base64', Buffer.from(value.bytes).toString('base64')]
  if (value instanceof DateTime) return ['dateTime', value.text]
  if (Array.isArray(value)) return ['array', value.map(describe)]
  const members = Object.entries(Object(value)).map(([name, each]): [string, Description] => [name, describe(each)])
  return ['struct', members.sort(([one], [other]) => compare(one, other))]
}

/** Compares texts by their code points, as Python does. */
function compare(one: string, other: string): number {
  const [first, second] = [[...one], [...other]]
  for (const [index, character] of first.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (second[index]?.codePointAt(0) ?? -1)
    if (difference !== 0) return difference
  }
  return first.length - second.length
}

function hexOf(value: number): string {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes.toString('hex')
}

function ours(document: Uint8Array): Call | undefined {
  try {
    const { methodName, params } = decodeCall(document, { doubles: 'wrapped' })
    return { method: methodName, params: params.map(describe) }
  } catch (error) {
    if (error instanceof XMLRPCDecodeError) return undefined
    throw error
  }
}

function theirs(document: Uint8Array): Promise<Call | null> {
  assert.ok(python)
  return python.ask(Buffer.from(document).toString('base64'))
}

const PIECES = [
  ...[
    '<',
    '>',
    '/',
    '&',
    ';',
    '&amp;',
    '&lt;',
    '&#65;',
    '&#x41;',
    '&#0;',
    ' ',
    '\n',
    '\r',
    '\t',
    '\0',
    'ä',
    '😀',
    '-',
    '+',
    '.',
    'e',
    '1',
  ],
  ...[
    '<value>',
    '</value>',
    '<int>',
    '</int>',
    '<i4>',
    '</i4>',
    '<string>',
    '</string>',
    '<string/>',
    '<nil/>',
    '<boolean>',
    '</boolean>',
  ],
  ...[
    '<array>',
    '<data>',
    '</data>',
    '</array>',
    '<struct>',
    '</struct>',
    '<member>',
    '</member>',
    '<name>',
    '</name>',
    '<double>',
    '</double>',
  ],
  ...[
    '<base64>',
    '</base64>',
    '<dateTime.iso8601>',
    '</dateTime.iso8601>',
    '<![CDATA[',
    ']]>',
    '<!-- c -->',
    '<?x y?>',
    '<ex:nil/>',
    '<i8>',
    '</i8>',
  ],
]

/** A document, and the description of its parameters as JSON. */
const written = fc.array(wireValue, { maxLength: 3 }).map((params) => ({
  document: encodeCall('test.echo', params, { allowNil: true, i8: true }),
  values: JSON.stringify(params.map(describe)),
}))

/** A document, and changes of it. */
const spoilt = fc.record({
  document: fc
    .array(wireValue, { maxLength: 3 })
    .map((params) => encodeCall('a.b', params, { allowNil: true, i8: true })),
  changes: edits(fc.oneof(fc.constantFrom(...PIECES), fc.constant(''))),
})

export const xmlrpc: Subject = {
  name: 'xmlrpc',
  needs: 'python3',
  async open() {
    python = new Python(PROGRAM)
  },
  async close() {
    await python?.close()
  },
  properties: [
    property(
      'a call that we write is read by both as the values that it was written from',
      written,
      async ({ document, values }) => {
        const bytes = Buffer.from(document)
        assert.deepEqual(ours(bytes)?.params, JSON.parse(values), document)
        assert.deepEqual((await theirs(bytes))?.params, JSON.parse(values), document)
      },
    ),
    property('a spoilt call that we accept means the same to Python', spoilt, async ({ document, changes }) => {
      const text = edited(document, changes)
      if (!text.isWellFormed()) return
      const bytes = Buffer.from(text)
      const read = ours(bytes)
      if (read === undefined) return
      const other = await theirs(bytes)
      if (other === null) assert.ok(isOurs(text), `only we accept ${text}`)
      else assert.deepEqual(other, JSON.parse(JSON.stringify(read)), text)
    }),
    property('what we accept we can write, and read again as the same', spoilt, ({ document, changes }) => {
      const bytes = Buffer.from(edited(document, changes))
      if (ours(bytes) === undefined) return
      const { methodName, params } = decodeCall(bytes, { doubles: 'wrapped' })
      let again: string
      try {
        again = encodeCall(methodName, params, { allowNil: true, i8: true })
      } catch (error) {
        if (error instanceof XMLRPCEncodeError) return assert.fail(error.message)
        throw error
      }
      assert.deepEqual(ours(Buffer.from(again)), ours(bytes))
    }),
  ],
}

/**
 * Returns true for documents that only we accept: expat knows the names of the fourth edition of XML 1.0, which has no characters
 * beyond U+FFFF in names, and fewer names of encodings.
 */
function isOurs(document: string): boolean {
  return /encoding=["'](?!UTF-8["'])/.test(document) || /<[?/]?[^<>]*[\u{10000}-\u{effff}][^<>]*>/u.test(document)
}
