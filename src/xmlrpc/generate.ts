import { describeValue } from '../wsgi/describe.ts'
import { OWN_METHODS } from './client.ts'
import type { MethodDescription } from './introspection.ts'
import { isReachable } from './remote.ts'
import type { SignatureType } from './types.ts'

/** Options of `generateTypes`. */
export interface GenerateOptions {
  /** Name of the interface. Default `Api`. */
  readonly name?: string
  /** Module that the library is imported from. Default `propylon/xmlrpc`. */
  readonly module?: string
  /** Origin of the types for the first line, such as the URL of the server. */
  readonly source?: string
}

interface Node {
  method: MethodDescription | undefined
  readonly children: Map<string, Node>
}

/**
 * TypeScript types of parameters. `double` is `Double` and not `number`, because the number 2 is encoded as `<int>`, which
 * strict servers refuse.
 */
const PARAMETER_TYPES: Readonly<Record<SignatureType, string>> = {
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

const RETURN_TYPES: Readonly<Record<SignatureType, string>> = {
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
 * Generates a TypeScript interface from a server's introspection, for `new XMLRPCClient<Api>(url)`. Names and
 * documentation from the server are escaped, so that they cannot become code.
 *
 * @throws TypeError - the name of the interface is not an identifier.
 * @example
 * ```ts
 * import { generateTypes } from 'propylon/xmlrpc'
 *
 * generateTypes([{ name: 'test.add', signatures: [['int', 'int', 'int']], help: 'Adds.' }])
 * // export interface Api { "test": { /** Adds. *\/ "add"(p1: number, p2: number): Promise<number> } }
 * ```
 */
export function generateTypes(methods: readonly MethodDescription[], options: GenerateOptions = {}): string {
  const { name = 'Api', module = 'propylon/xmlrpc', source } = options
  if (!/^[A-Za-z_$][\w$]*$/.test(name) || IMPORTED.includes(name))
    throw new TypeError(
      `${describeValue(name)} is not a name for the interface. Use an identifier such as Api.`,
    )
  const root: Node = { method: undefined, children: new Map() }
  const unreachable: string[] = []
  for (const method of methods) {
    if (!addMethod(root, method)) unreachable.push(method.name)
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
    lines.push('', '// Available through call() only:', ...unreachable.map((each) => `// ${inComment(each)}`))
  }
  return `${lines.join('\n')}\n`
}

/** Adds a method to the tree of namespaces. Returns false if the client has no property for it. */
function addMethod(root: Node, method: MethodDescription): boolean {
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
      lines.push(...callSignatures(method, used).map((call) => `${indent}${literal(part)}${call}`))
    } else {
      const inner = `${indent}  `
      const calls = method === undefined ? [] : callSignatures(method, used).map((call) => `${inner}${call}`)
      lines.push(`${indent}${literal(part)}: {`, ...calls, ...membersOf(child, inner, used), `${indent}}`)
    }
  }
  return lines
}

/** Formats the call signatures of a method: `(p1: number): Promise<string>`. */
function callSignatures(method: MethodDescription, used: Set<string>): string[] {
  const declared = method.signatures?.filter((signature) => signature.length > 0) ?? []
  if (declared.length === 0) {
    used.add('Encodable').add('Value')
    return ['(...params: Encodable[]): Promise<Value>']
  }
  const calls = declared.map(([returns = '', ...parameters]) => {
    const taken = parameters.map(
      (type, i) => `p${i + 1}: ${typeIn(PARAMETER_TYPES, type, 'Encodable', used)}`,
    )
    return `(${taken.join(', ')}): Promise<${typeIn(RETURN_TYPES, returns, 'Value', used)}>`
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

/** Escapes text for a comment: it cannot end the comment or reorder the text that an editor shows. */
function inComment(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ').replaceAll('*/', '* /')
}

/** Formats a string literal in ASCII. */
function literal(text: string): string {
  const escaped = text.replace(
    /['\\]|[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `'${escaped}'`
}
