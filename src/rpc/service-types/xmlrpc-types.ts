/**
 * Generates TypeScript interfaces from the introspection of XML-RPC servers.
 *
 * @module
 */

import { OWN_METHODS } from '../xmlrpc/client.ts'
import type { MethodDescription } from '../xmlrpc/introspection.ts'
import type { SignatureType } from '../xmlrpc/signature.ts'
import { type DocumentedParameter, parseHelp, typeWords } from './help.ts'
import { type CallSignature, type Parameter, type Procedure, writeModule } from './interface.ts'

/** Options of `generateTypes`. */
export interface GenerateOptions {
  /** Name of the interface. Default `Api`. */
  readonly name?: string
  /** Module that the library is imported from. Default `propylon/xmlrpc`. */
  readonly module?: string
  /** Origin of the types for the first line, such as the URL of the server. */
  readonly source?: string
}

/** TypeScript types of a parameter and a result, as source text. */
interface TypeTexts {
  readonly parameter: string
  readonly result: string
}

/**
 * Types of signatures. A parameter `double` is `Double` and not `number`, because the number 2 is encoded as `<int>`,
 * which strict servers refuse.
 */
const DECLARED: Readonly<Record<SignatureType, TypeTexts>> = {
  string: { parameter: 'string', result: 'string' },
  array: { parameter: 'readonly Encodable[]', result: 'ResultValue[]' },
  boolean: { parameter: 'boolean', result: 'boolean' },
  int: { parameter: 'number', result: 'number' },
  i4: { parameter: 'number', result: 'number' },
  i8: { parameter: 'bigint', result: 'bigint' },
  double: { parameter: 'Double', result: 'number' },
  struct: { parameter: 'EncodableStruct', result: 'ResultStruct' },
  'dateTime.iso8601': { parameter: 'DateTime | Date', result: 'DateTime' },
  base64: { parameter: 'Binary | Uint8Array', result: 'Binary' },
  nil: { parameter: 'null', result: 'null' },
}

const UNDECLARED: TypeTexts = { parameter: 'Encodable', result: 'ResultValue' }

/** Types of words in documentation. An array of PHP may be a struct, a number of a dynamic language a double. */
const DOCUMENTED: ReadonlyMap<string, TypeTexts> = new Map([
  ...['string', 'str', 'text', 'unicode'].map((word) => [word, DECLARED.string] as const),
  ...['int', 'integer', 'i4'].map((word) => [word, DECLARED.int] as const),
  ...['bool', 'boolean', 'true', 'false'].map((word) => [word, DECLARED.boolean] as const),
  ...['float', 'double', 'number'].map(
    (word) => [word, { parameter: 'number | Double', result: 'number' }] as const,
  ),
  ...['struct', 'structure', 'dict', 'dictionary', 'hash', 'map', 'object'].map(
    (word) => [word, DECLARED.struct] as const,
  ),
  ...['list', 'tuple'].map((word) => [word, DECLARED.array] as const),
  ['array', { parameter: 'readonly Encodable[] | EncodableStruct', result: 'NonNullable<ResultValue>' }],
  ['i8', DECLARED.i8],
])

/** The line at the end of a documentation in which servers repeat the signatures. */
const REPEATED = /\s*^Method signature: .*\s*$(?![\s\S])/m

const IMPORTED = [
  'Binary',
  'DateTime',
  'Double',
  'Encodable',
  'EncodableStruct',
  'ResultStruct',
  'ResultValue',
]

/**
 * Generates a TypeScript interface from a server's introspection, for `new XMLRPCClient<Api>(url)`. Names and
 * documentation from the server are escaped, so that they cannot become code.
 *
 * Types come from the signatures. Names of parameters, and which of them are optional, are read from the
 * documentation: `@param string name`, `@param {string} [name]`, `@param string $name`, `:param str name:`. A method
 * without a signature has the documented types; without these, it takes any parameters. A result of any type is a
 * `ResultValue`, whose members can be read.
 *
 * @throws TypeError - the name of the interface is not an identifier.
 * @example
 * ```ts
 * import { generateTypes } from 'propylon/xmlrpc'
 *
 * generateTypes([{ name: 'test.add', signatures: [['int', 'int', 'int']], help: '@param int a\n@param int b' }])
 * // export interface Api { "test": { /** … *\/ "add"(a: number, b: number): Promise<number> } }
 * ```
 */
export function generateTypes(methods: readonly MethodDescription[], options: GenerateOptions = {}): string {
  const { name = 'Api', module = 'propylon/xmlrpc', source } = options
  return writeModule({
    name,
    heading: `The methods of ${source ?? 'an XML-RPC server'}, from its introspection.`,
    procedures: methods.map(procedureOf),
    imports: { module, types: IMPORTED },
    ownMembers: OWN_METHODS,
  })
}

/** Returns a method as an interface describes it. */
export function procedureOf(method: MethodDescription): Procedure {
  return { name: method.name, help: method.help.replace(REPEATED, ''), calls: callsOf(method) }
}

function callsOf(method: MethodDescription): CallSignature[] {
  const documented = parseHelp(method.help)
  const declared = method.signatures?.filter((signature) => signature.length > 0) ?? []
  if (declared.length > 0) {
    return merged(
      declared.map(([returns = '', ...types]) => ({
        parameters: types.map((type, i) => declaredParameter(type, i, types, documented.parameters)),
        result: declaredType(returns).result,
      })),
    )
  }
  const { parameters } = documented
  const result =
    documented.result === undefined ? UNDECLARED.result : documentedType(documented.result).result
  if (parameters.length === 0) return [{ parameters: [], rest: UNDECLARED.parameter, result }]
  return [
    {
      parameters: parameters.map(({ name, type, isOptional }) => ({
        name,
        type: (type === undefined ? UNDECLARED : documentedType(type)).parameter,
        isOptional,
      })),
      result,
    },
  ]
}

/** Merges signatures with the same parameters, of which TypeScript would take the first: their results are a union. */
function merged(calls: readonly CallSignature[]): CallSignature[] {
  const byParameters = Map.groupBy(calls, ({ parameters }) => parameters.map(({ type }) => type).join(', '))
  return [...byParameters.values()].map(([first, ...others]) => {
    const { parameters, result } = first as CallSignature
    return { parameters, result: [...new Set([result, ...others.map((other) => other.result)])].join(' | ') }
  })
}

function declaredParameter(
  type: string,
  i: number,
  types: readonly string[],
  documented: readonly DocumentedParameter[],
): Parameter {
  const { name = '', isOptional = false } = documented[i] ?? {}
  return {
    name,
    type: declaredType(type).parameter,
    isOptional: isOptional || (type === 'boolean' && isFromHelp(types, documented)),
  }
}

/**
 * Returns true if a signature was made of the documentation, as supervisor does. Such a signature cannot express default
 * values. A flag at its end is taken for one that has a default value, as all of supervisor's have.
 */
function isFromHelp(types: readonly string[], documented: readonly DocumentedParameter[]): boolean {
  return types.length === documented.length && types.every((type, i) => type === documented[i]?.type)
}

function declaredType(type: string): TypeTexts {
  return Object.hasOwn(DECLARED, type) ? DECLARED[type as SignatureType] : UNDECLARED
}

/** Returns the union of the documented alternatives. Null is left out: most servers cannot receive it. */
function documentedType(type: string): TypeTexts {
  const words = typeWords(type).filter((word) => !/^(?:null|nil|none|void)$/.test(word))
  const types = words.map((word) => (word.endsWith('[]') ? DECLARED.array : DOCUMENTED.get(word)))
  const known = types.filter((each) => each !== undefined)
  if (known.length === 0 || known.length < types.length) return UNDECLARED
  return {
    parameter: [...new Set(known.map(({ parameter }) => parameter))].join(' | '),
    result:
      words.length < typeWords(type).length
        ? UNDECLARED.result
        : [...new Set(known.map(({ result }) => result))].join(' | '),
  }
}
