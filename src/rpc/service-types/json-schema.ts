import { isRecord } from '../../base/record.ts'
import { Identifiers } from './identifiers.ts'
import { member, valueAt } from './pointer.ts'
import { literal } from './text.ts'

/** Whether a type is that of a parameter, which may be any value, or of a result, whose members can be read. */
export type Position = 'parameter' | 'result'

type Schema = Readonly<Record<string, unknown>>

/** Types of schemas that allow any value. */
const ANY: Readonly<Record<Position, string>> = { parameter: 'unknown', result: 'JSONResult' }

const MAX_DEPTH = 40
/** Number of schemas of a document that are converted. The others allow any value. */
const MAX_SCHEMAS = 50_000
/** Number of types that are searched for a circle. */
const MAX_REACHED = 1000

/** A type that a schema refers to by its place in the document. */
interface NamedType {
  readonly name: string
  readonly schema: unknown
  readonly position: Position
  /** The named types that this one is an alias, a union or an intersection of. */
  readonly direct: Set<NamedType>
}

/**
 * Converts JSON Schemas (draft 2020-12, 7 and 4, and those of OpenAPI 3.0) of one document to TypeScript types. Local
 * references become named types, which may be recursive. What TypeScript cannot express, such as a pattern or a minimum,
 * is left out: the type is never narrower than the schema.
 */
export class SchemaTypes {
  readonly #document: unknown
  readonly #identifiers: Identifiers
  readonly #named = new Map<string, NamedType>()
  /** The named type that is being converted. */
  #source: NamedType | undefined
  /** Whether the schema that is being converted is not behind a member or an element. */
  #isDirect = true
  #count = 0

  /**
   * @param document - the document that local references refer to.
   * @param taken - names that types must not have.
   */
  constructor(document: unknown, taken: Iterable<string>) {
    this.#document = document
    this.#identifiers = new Identifiers(taken)
  }

  /** Returns the type of a schema, as source text. */
  typeOf(schema: unknown, position: Position): string {
    return bare(this.#type(schema, position, 0))
  }

  /** Returns the declarations of all named types, as source text. Call it last. */
  declarations(): string[] {
    const declarations: string[] = []
    // Types that these refer to are added to the map, and follow.
    for (const type of this.#named.values()) {
      this.#source = type
      declarations.push(`export type ${type.name} = ${this.typeOf(type.schema, type.position)}`)
    }
    return declarations
  }

  #type(schema: unknown, position: Position, depth: number): string {
    if (schema === false) return 'never'
    if (!isRecord(schema) || depth > MAX_DEPTH || ++this.#count > MAX_SCHEMAS) return ANY[position]
    const parts = [
      this.#reference(schema, position),
      this.#values(schema),
      this.#structure(schema, position, depth),
      this.#alternatives(member(schema, 'anyOf'), position, depth),
      this.#alternatives(member(schema, 'oneOf'), position, depth),
      ...this.#all(member(schema, 'allOf'), position, depth),
    ].filter((part): part is string => part !== undefined && part !== ANY[position])
    const type = compound(new Set(parts), '&') ?? ANY[position]
    return member(schema, 'nullable') === true && type !== ANY[position] ? union([type, 'null']) : type
  }

  #reference(schema: Schema, position: Position): string | undefined {
    const reference = member(schema, '$ref')
    if (typeof reference !== 'string') return undefined
    const target = valueAt(this.#document, reference)
    if (target === undefined) return ANY[position]
    const key = `${position} ${reference}`
    let named = this.#named.get(key)
    if (named === undefined) {
      named = { name: this.#nameOf(reference, position), schema: target, position, direct: new Set() }
      this.#named.set(key, named)
    }
    return this.#refersTo(named) ? named.name : ANY[position]
  }

  /**
   * Records that the type that is being converted refers to another one. Returns false if that would be a circle that
   * TypeScript refuses: `type A = A | string`. A circle through a property or an array is allowed.
   */
  #refersTo(target: NamedType): boolean {
    if (this.#source === undefined || !this.#isDirect) return true
    if (reaches(target, this.#source)) return false
    this.#source.direct.add(target)
    return true
  }

  #nameOf(reference: string, position: Position): string {
    const last = reference.split('/').at(-1) ?? ''
    const name = /^(?:schema|items|\d*|#)$/.test(last) ? 'Type' : last
    const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
    const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
    return this.#identifiers.of(`${pascal}${position === 'parameter' ? 'Input' : ''}`, 'Type')
  }

  /** Returns the union of the literals in `enum` and `const`. */
  #values(schema: Schema): string | undefined {
    const values = Object.hasOwn(schema, 'const') ? [schema.const] : member(schema, 'enum')
    if (!Array.isArray(values) || values.length === 0) return undefined
    const types = values.map(literalType)
    return types.includes(undefined) ? undefined : union(types as string[])
  }

  /** Returns the type of `type`, `properties` and `items`. */
  #structure(schema: Schema, position: Position, depth: number): string | undefined {
    const declared = member(schema, 'type')
    const types = Array.isArray(declared)
      ? declared
      : declared === undefined
        ? impliedTypes(schema)
        : [declared]
    if (types.length === 0) return undefined
    return union(types.map((type) => this.#basic(type, schema, position, depth)))
  }

  #basic(type: unknown, schema: Schema, position: Position, depth: number): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type
      case 'integer':
      case 'number':
        return 'number'
      case 'array':
        return this.#behindMember(() => this.#array(schema, position, depth))
      case 'object':
        return this.#behindMember(() => this.#object(schema, position, depth))
      default:
        return ANY[position]
    }
  }

  /** Converts schemas of members and elements, which may refer to any type. */
  #behindMember(convert: () => string): string {
    const wasDirect = this.#isDirect
    this.#isDirect = false
    const type = convert()
    this.#isDirect = wasDirect
    return type
  }

  #array(schema: Schema, position: Position, depth: number): string {
    const items = member(schema, 'items')
    const prefix = member(schema, 'prefixItems') ?? (Array.isArray(items) ? items : undefined)
    const further = Array.isArray(items) ? member(schema, 'additionalItems') : items
    if (Array.isArray(prefix) && prefix.length > 0)
      return this.#tuple(schema, prefix, further, position, depth)
    return `${this.#type(items, position, depth + 1)}[]`
  }

  #tuple(
    schema: Schema,
    prefix: readonly unknown[],
    further: unknown,
    position: Position,
    depth: number,
  ): string {
    const minimum = member(schema, 'minItems')
    const required = typeof minimum === 'number' ? minimum : 0
    const elements = prefix.map((each, i) => {
      const type = this.#type(each, position, depth + 1)
      return i < required ? type : `${type}?`
    })
    const isClosed = further === false || member(schema, 'maxItems') === prefix.length
    if (!isClosed) elements.push(`...${this.#type(further, position, depth + 1)}[]`)
    return `[${elements.join(', ')}]`
  }

  #object(schema: Schema, position: Position, depth: number): string {
    const properties = member(schema, 'properties')
    const required = member(schema, 'required')
    const names = new Set(Array.isArray(required) ? required : [])
    const members = Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => {
      const type = bare(this.#type(property, position, depth + 1))
      return `${literal(name)}${names.has(name) ? '' : '?'}: ${type}`
    })
    const further = member(schema, 'additionalProperties')
    if (members.length === 0) {
      if (further === false) return '{ [member: string]: never }'
      return `{ [member: string]: ${bare(this.#type(further, position, depth + 1))} }`
    }
    // The members must fit the index signature, so it allows any value.
    if (further === true || isRecord(further)) members.push('[member: string]: unknown')
    return `{ ${members.join('; ')} }`
  }

  #alternatives(schemas: unknown, position: Position, depth: number): string | undefined {
    if (!Array.isArray(schemas) || schemas.length === 0) return undefined
    return union(schemas.map((each) => this.#type(each, position, depth + 1)))
  }

  #all(schemas: unknown, position: Position, depth: number): string[] {
    return Array.isArray(schemas) ? schemas.map((each) => this.#type(each, position, depth + 1)) : []
  }
}

/** Returns the types that a schema without `type` describes. */
function impliedTypes(schema: Schema): string[] {
  if (isRecord(member(schema, 'properties')) || isRecord(member(schema, 'additionalProperties')))
    return ['object']
  if (member(schema, 'items') !== undefined || Array.isArray(member(schema, 'prefixItems'))) return ['array']
  return []
}

function literalType(value: unknown): string | undefined {
  if (typeof value === 'string') return literal(value)
  if (value === null || typeof value === 'boolean') return String(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined
}

/** Formats a union. Unions and intersections are in parentheses, so that they can be parts of other types. */
function union(types: readonly string[]): string {
  const distinct = new Set(types)
  for (const any of Object.values(ANY)) if (distinct.has(any)) return any
  distinct.delete('never')
  return compound(distinct, '|') ?? 'never'
}

function compound(types: ReadonlySet<string>, operator: '|' | '&'): string | undefined {
  return types.size > 1 ? `(${[...types].join(` ${operator} `)})` : [...types][0]
}

/** Removes the parentheses around a union or an intersection where no operator follows. */
function bare(type: string): string {
  return type.startsWith('(') && type.endsWith(')') ? type.slice(1, -1) : type
}

/** Returns true if a type is another one, or an alias, a union or an intersection of it. In doubt it is true. */
function reaches(from: NamedType, target: NamedType): boolean {
  const reached = new Set([from])
  for (const type of reached) {
    for (const next of type.direct) reached.add(next)
    if (reached.size > MAX_REACHED) return true
  }
  return reached.has(target)
}
