/**
 * Converts the JSON Schemas of a document to TypeScript types.
 *
 * @module
 */

import { isRecord } from '../../base/record.ts'
import { pascalCase } from '../../http/converters/schema-components.ts'
import { entriesOf, helpOf, type JSONObject, valueAt } from './operations.ts'
import { bare, compound, docComment, literalType, memberName, objectText, union } from './source-text.ts'

/** A component of the document, as a type. */
interface NamedType {
  readonly name: string
  readonly schema: unknown
  /** The named types that this one is an alias, a union or an intersection of. */
  readonly direct: Set<NamedType>
}

const COMPONENTS = '#/components/schemas'
/** Types of values without parts, but for text. */
const SCALARS = new Map([...['boolean', 'null', 'number'].map((type) => [type, type] as const), ['integer', 'number']])
/** Number of members of a type that stand on one line, if they have no documentation. */
const MAX_ON_LINE = 3
/** Number of characters of the name of a type. */
const MAX_NAME = 60

/**
 * Converts JSON Schemas (draft 2020-12) to TypeScript types. Components become named types, which may be recursive.
 * Constraints that TypeScript cannot express, such as a pattern, are left out: the type is never narrower than the
 * schema.
 */
export class SchemaTypes {
  /** The types by their references, in the order of the document. */
  readonly #named = new Map<string, NamedType>()
  /** The named type that is being converted. */
  #source: NamedType | undefined
  /** Whether the schema that is being converted is not behind a member or an element. */
  #isDirect = true
  #indent = ''

  /** @param taken - names that types must not have. */
  constructor(document: JSONObject, taken: Iterable<string>) {
    const names = new Set(taken)
    for (const [component, schema] of entriesOf(valueAt(document, COMPONENTS))) {
      const name = typeName(component, names)
      names.add(name)
      this.#named.set(`${COMPONENTS}/${component}`, { name, schema, direct: new Set() })
    }
  }

  /**
   * Returns the type of a schema, as source text.
   *
   * @param indent - blanks before the line in which the type begins.
   */
  typeOf(schema: unknown, indent = ''): string {
    this.#indent = indent
    return bare(this.#type(schema))
  }

  /** Returns the declarations of all named types, as source text. */
  declarations(): string[] {
    return [...this.#named.values()].map((type) => {
      this.#source = type
      const { name, schema } = type
      const help = isRecord(schema) ? docComment(helpOf(schema), '') : []
      return [...help, `export type ${name} = ${this.typeOf(schema)}`].join('\n')
    })
  }

  #type(schema: unknown): string {
    if (schema === false) return 'never'
    if (!isRecord(schema)) return 'unknown'
    const typesOf = (list: unknown) => (Array.isArray(list) ? list.map((each) => this.#type(each)) : [])
    const alternatives = [typesOf(schema.anyOf), typesOf(schema.oneOf)].filter(({ length }) => length > 0)
    const parts = [
      this.#reference(schema),
      valuesOf(schema) ?? this.#structure(schema),
      ...alternatives.map((types) => union(types)),
      ...typesOf(schema.allOf),
    ]
    return compound(new Set(parts.filter((part) => part !== 'unknown')), '&') ?? 'unknown'
  }

  #reference({ $ref }: JSONObject): string {
    const named = this.#named.get(String($ref))
    return named !== undefined && this.#refersTo(named) ? named.name : 'unknown'
  }

  /**
   * Records that the type that is being converted refers to another one. Returns false if that would be a circle that
   * TypeScript refuses: `type A = A | string`. A circle through a property or an array is allowed.
   */
  #refersTo(target: NamedType): boolean {
    if (this.#source === undefined || !this.#isDirect) return true
    const reached = new Set([target])
    for (const type of reached) for (const next of type.direct) reached.add(next)
    if (reached.has(this.#source)) return false
    this.#source.direct.add(target)
    return true
  }

  /** Returns the type of `type`, `properties` and `items`. */
  #structure(schema: JSONObject): string {
    const implied = isRecord(schema.properties) ? 'object' : schema.items === undefined ? [] : 'array'
    const types = [schema.type ?? implied].flat()
    return types.length === 0 ? 'unknown' : union(types.map((type) => this.#basic(type, schema)))
  }

  #basic(type: unknown, schema: JSONObject): string {
    if (type === 'string') return isFile(schema) ? 'Blob' : type
    if (type !== 'array' && type !== 'object') return SCALARS.get(String(type)) ?? 'unknown'
    // Members and elements may refer to any type.
    const wasDirect = this.#isDirect
    this.#isDirect = false
    const text = type === 'array' ? this.#array(schema) : this.#object(schema)
    this.#isDirect = wasDirect
    return text
  }

  #array({ prefixItems, items, minItems, maxItems }: JSONObject): string {
    if (!Array.isArray(prefixItems) || prefixItems.length === 0) return `${this.#type(items)}[]`
    const required = typeof minItems === 'number' ? minItems : 0
    const elements = prefixItems.map((each, i) => this.#type(each) + (i < required ? '' : '?'))
    const isClosed = items === false || maxItems === prefixItems.length
    return `[${[...elements, ...(isClosed ? [] : [`...${this.#type(items)}[]`])].join(', ')}]`
  }

  #object({ properties, required, additionalProperties: further }: JSONObject): string {
    const names = new Set([required].flat())
    const entries = entriesOf(properties)
    if (entries.length === 0) {
      return `{ [member: string]: ${further === false ? 'never' : bare(this.#type(further))} }`
    }
    const helps = entries.map(([, property]) => (isRecord(property) ? helpOf(property) : ''))
    const isShort = entries.length <= MAX_ON_LINE && helps.every((help) => help === '')
    const outer = this.#indent
    if (!isShort) this.#indent = `${outer}  `
    const members = entries.map(
      ([name, property]) => `${memberName(name)}${names.has(name) ? '' : '?'}: ${bare(this.#type(property))}`,
    )
    this.#indent = outer
    // The members must fit the index signature, so it allows any value.
    if (further === true || isRecord(further)) members.push('[member: string]: unknown')
    if (!isShort) return objectText(members, helps, outer)
    if (members.every((text) => !text.includes('\n'))) return `{ ${members.join('; ')} }`
    return objectText(
      members.map((text) => text.replaceAll('\n', '\n  ')),
      [],
      outer,
    )
  }
}

/** Returns the name of a component as an identifier that is not taken: itself, or with a number. */
function typeName(component: string, taken: ReadonlySet<string>): string {
  const plain = pascalCase(component).slice(0, MAX_NAME)
  const base = /[A-Za-z]/.test(plain) ? plain.replace(/^\d/, '_$&') : 'Type'
  let name = base
  for (let number = 2; taken.has(name); number++) name = `${base}${number}`
  return name
}

/** Returns the union of the literals in `enum` and `const`. */
function valuesOf(schema: JSONObject): string | undefined {
  const values = Object.hasOwn(schema, 'const') ? [schema.const] : schema.enum
  if (!Array.isArray(values) || values.length === 0) return undefined
  const types = values.map(literalType)
  return types.includes(undefined) ? undefined : union(types.filter((type) => type !== undefined))
}

/** Returns true for text that is the bytes of a file. */
function isFile({ format, contentEncoding, contentMediaType: type }: JSONObject): boolean {
  if (format === 'binary' || contentEncoding === 'binary') return true
  return typeof type === 'string' && contentEncoding === undefined && !/^text\/|[/+](?:json|xml)$/i.test(type)
}
