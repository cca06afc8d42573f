import { OWN_METHODS } from './client.ts'
import type { MethodDescription } from './introspection.ts'
import { isReachable } from './remote.ts'
import type { SignatureType } from './types.ts'

/** How the types are written. */
export interface GenerateOptions {
  /** The interface's name. Default `Api`. */
  readonly name?: string
  /** Where the library is imported from. Default `propylon/xmlrpc`. */
  readonly module?: string
  /** What the first line says the types were made of: the server's address, for instance. */
  readonly source?: string
}

interface Node {
  method: MethodDescription | undefined
  readonly children: Map<string, Node>
}

/** A double is taken as `Double` only: a plain 2 would go out as an int, which strict servers refuse. */
const TAKES: Readonly<Record<SignatureType, string>> = {
  string: 'string',
  array: 'readonly Encodable[]',
  boolean: 'boolean',
  int: 'number',
  i4: 'number',
  i8: 'bigint',
  double: 'Double',
  struct: 'EncodableStruct',
  'dateTime.iso8601': 'DateTime | Date',
  base64: 'Binary | Uint8Array',
  nil: 'null',
}

const GIVES: Readonly<Record<SignatureType, string>> = {
  string: 'string',
  array: 'Value[]',
  boolean: 'boolean',
  int: 'number',
  i4: 'number',
  i8: 'bigint',
  double: 'number',
  struct: 'Struct',
  'dateTime.iso8601': 'DateTime',
  base64: 'Binary',
  nil: 'null',
}

const IMPORTED = ['Binary', 'DateTime', 'Double', 'Encodable', 'EncodableStruct', 'Struct', 'Value']

/**
 * Writes a TypeScript interface from a server's introspection, for `new XMLRPCClient<Api>(url)`: calling a
 * server you do not own is type-checked. Names and texts come from the server, and are written so that they
 * can only be names and comments.
 *
 * @throws TypeError when the interface's name is no identifier.
 * @example
 * ```ts
 * generateTypes([{ name: 'test.add', signatures: [['int', 'int', 'int']], help: 'Adds.' }])
 * // export interface Api { "test": { /** Adds. *\/ "add"(p1: number, p2: number): Promise<number> } }
 * ```
 */
export function generateTypes(methods: readonly MethodDescription[], options: GenerateOptions = {}): string {
  const { name = 'Api', module = 'propylon/xmlrpc', source } = options
  if (!/^[A-Za-z_$][\w$]*$/.test(name) || IMPORTED.includes(name))
    throw new TypeError(`${JSON.stringify(name)} is not the name of an interface`)
  const root: Node = { method: undefined, children: new Map() }
  const unreachable: string[] = []
  for (const method of methods) {
    if (!plant(root, method)) unreachable.push(method.name)
  }
  const used = new Set<string>()
  const body = membersOf(root, '  ', used)
  const imported = IMPORTED.filter((type) => used.has(type))
  const lines = [
    `// The methods of ${source === undefined ? 'an XML-RPC server' : inComment(source)}, from its introspection.`,
  ]
  if (imported.length > 0) lines.push(`import type { ${imported.join(', ')} } from ${literal(module)}`)
  lines.push('', `export interface ${name} {`, ...body, '}')
  if (unreachable.length > 0) {
    lines.push('', '// To be reached by call() only:', ...unreachable.map((each) => `// ${inComment(each)}`))
  }
  return `${lines.join('\n')}\n`
}

/** Puts a method into the tree of namespaces; false when the proxy cannot reach it. */
function plant(root: Node, method: MethodDescription): boolean {
  const parts = method.name.split('.')
  if (OWN_METHODS.has(parts[0] as string) || parts[0] === 'constructor' || !parts.every(isReachable))
    return false
  let node = root
  for (const part of parts) {
    let child = node.children.get(part)
    if (child === undefined) {
      child = { method: undefined, children: new Map() }
      node.children.set(part, child)
    }
    node = child
  }
  node.method = method
  return true
}

function membersOf(node: Node, indent: string, used: Set<string>): string[] {
  const lines: string[] = []
  for (const [part, child] of node.children) {
    const { method, children } = child
    if (method !== undefined) lines.push(...comment(method.help, indent))
    if (children.size === 0 && method !== undefined) {
      lines.push(...callsOf(method, used).map((call) => `${indent}${literal(part)}${call}`))
    } else {
      const inner = `${indent}  `
      const calls = method === undefined ? [] : callsOf(method, used).map((call) => `${inner}${call}`)
      lines.push(`${indent}${literal(part)}: {`, ...calls, ...membersOf(child, inner, used), `${indent}}`)
    }
  }
  return lines
}

/** The ways to call a method, as TypeScript writes a call: `(p1: number): Promise<string>`. */
function callsOf(method: MethodDescription, used: Set<string>): string[] {
  const stated = method.signatures?.filter((signature) => signature.length > 0) ?? []
  if (stated.length === 0) {
    used.add('Encodable').add('Value')
    return ['(...params: Encodable[]): Promise<Value>']
  }
  const calls = stated.map(([returns = '', ...parameters]) => {
    const taken = parameters.map((type, i) => `p${i + 1}: ${typeIn(TAKES, type, 'Encodable', used)}`)
    return `(${taken.join(', ')}): Promise<${typeIn(GIVES, returns, 'Value', used)}>`
  })
  return [...new Set(calls)]
}

function typeIn(
  table: Readonly<Record<string, string>>,
  type: string,
  otherwise: string,
  used: Set<string>,
): string {
  const written = Object.hasOwn(table, type) ? (table[type] as string) : otherwise
  for (const word of written.match(/\w+/g) ?? []) used.add(word)
  return written
}

function comment(help: string, indent: string): string[] {
  const lines = help.trim() === '' ? [] : help.trim().split(/\r\n|[\n\r\u2028\u2029]/)
  if (lines.length === 0) return []
  if (lines.length === 1) return [`${indent}/** ${inComment(lines[0] as string)} */`]
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${inComment(line)}`.trimEnd()), `${indent} */`]
}

/** Text that cannot leave the comment it stands in, nor show up as something else in an editor. */
function inComment(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ').replaceAll('*/', '* /')
}

/** A string literal, in ASCII. */
function literal(text: string): string {
  const escaped = text.replace(
    /['\\]|[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `'${escaped}'`
}
