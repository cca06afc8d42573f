import { describeValue } from '../../base/describe.ts'
import { isReachable } from '../transport/remote.ts'
import { Identifiers, isTypeName } from './identifiers.ts'
import { newTree, placeIn, writeMembers } from './name-tree.ts'
import { inComment, literal } from './text.ts'

/** A parameter of a generated method. */
export interface Parameter {
  /** Name as the server has it; '' if it is unknown. Becomes an identifier. */
  readonly name: string
  /** TypeScript type, as source text. */
  readonly type: string
  /** Whether the argument can be left out. Has no effect if a required parameter follows. */
  readonly isOptional: boolean
}

/** One way to call a procedure. */
export interface CallSignature {
  readonly parameters: readonly Parameter[]
  /** TypeScript type of any number of further parameters, as source text; undefined if there are none. */
  readonly rest?: string | undefined
  /** TypeScript type of the result, as source text. */
  readonly result: string
}

/** A remote procedure, as the interface describes it. */
export interface Procedure {
  readonly name: string
  /** Text of the doc comment; '' for none. */
  readonly help: string
  /** Call signatures; the first one that matches counts. */
  readonly calls: readonly CallSignature[]
}

type Note = readonly [title: string, names: readonly string[]]

/** The parts of a generated module. */
export interface InterfaceModule {
  /** Name of the interface. */
  readonly name: string
  /** First line of the module: its origin. Control characters are escaped. */
  readonly heading: string
  readonly procedures: readonly Procedure[]
  /** Module of the library, and its types that the interface may need. */
  readonly imports: { readonly module: string; readonly types: readonly string[] }
  /** Declarations after the interface, as source text. */
  readonly declarations?: readonly string[]
  /** Lists of names in comments, by title. */
  readonly notes?: readonly Note[]
  /** Names of the client's own members, which hide procedures. Those are listed in a comment. */
  readonly ownMembers: ReadonlySet<string>
}

/** Number of parts of a name, between dots. Names of more are called by `call`. */
const MAX_PARTS = 50

/**
 * Formats a module with one interface, in which a dot of a procedure's name is a property access. Names and texts are
 * escaped, so that they cannot become code.
 *
 * @throws TypeError - the name of the interface is not an identifier, or an imported type has it.
 */
export function writeModule(module: InterfaceModule): string {
  const { name, imports, declarations = [], notes = [] } = module
  if (!isTypeName(name) || imports.types.includes(name)) {
    throw new TypeError(
      `${describeValue(name)} is not a name for the interface. Use an identifier such as Api.`,
    )
  }
  const root = newTree<Procedure>()
  const unreachable: string[] = []
  const words = new Set(declarations.flatMap(wordsOf))
  for (const procedure of module.procedures) {
    if (isProperty(procedure.name, module.ownMembers)) {
      placeIn(root, procedure.name.split('.')).value = procedure
      for (const { parameters, rest = '', result } of procedure.calls) {
        for (const text of [...parameters.map(({ type }) => type), rest, result]) {
          for (const word of wordsOf(text)) words.add(word)
        }
      }
    } else unreachable.push(procedure.name)
  }
  const lines = [`// ${inComment(module.heading)}`]
  const used = imports.types.filter((type) => words.has(type))
  if (used.length > 0) lines.push(`import type { ${used.join(', ')} } from ${literal(imports.module)}`)
  lines.push('', `export interface ${name} {`)
  writeMembers(lines, root, '  ', '', ({ help, calls }) => ({
    help,
    calls: [...new Set(calls.map(formatCall))],
  }))
  lines.push('}')
  for (const declaration of declarations) lines.push('', declaration)
  const call: Note = ['Available through call() only:', unreachable]
  for (const [title, names] of [...notes, call]) {
    if (names.length > 0) lines.push('', `// ${title}`)
    for (const each of names) lines.push(`// ${inComment(each)}`)
  }
  return `${lines.join('\n')}\n`
}

/** Returns the words of a type, without those in string literals, such as names of members. */
function wordsOf(type: string): string[] {
  return type.replaceAll(/'[^']*'/g, '').match(/\w+/g) ?? []
}

/** Returns true if a client has a property for the procedure. The others are called by their names. */
function isProperty(name: string, ownMembers: ReadonlySet<string>): boolean {
  const parts = name.split('.')
  const [first = ''] = parts
  if (ownMembers.has(first) || parts.length > MAX_PARTS) return false
  return parts.every(isReachable)
}

/** Formats a procedure for a person: its call signatures, its documentation, and declarations of the types that they name. */
export function procedureText(
  { name, help, calls }: Procedure,
  declarations: readonly string[] = [],
): string {
  const signatures = [...new Set(calls.map((call) => `${name}${formatCall(call)}`))]
  return [signatures.join('\n'), help.trim(), ...declarations].filter((part) => part !== '').join('\n\n')
}

/** Formats a call signature: `(name: string, wait?: boolean): Promise<boolean>`. */
function formatCall({ parameters, rest, result }: CallSignature): string {
  const identifiers = new Identifiers()
  const lastRequired = parameters.findLastIndex(({ isOptional }) => !isOptional)
  const taken = parameters.map(({ name, type }, i) => {
    return `${identifiers.of(name, `p${i + 1}`)}${i > lastRequired ? '?' : ''}: ${type}`
  })
  if (rest !== undefined) taken.push(`...params: ${rest}[]`)
  return `(${taken.join(', ')}): Promise<${result}>`
}
