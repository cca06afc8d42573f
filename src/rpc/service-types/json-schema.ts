import { isRecord } from '../../base/record.ts'
import { pascalCase } from '../../http/converters/schema-components.ts'
import { directedSchemas } from './directed-schemas.ts'
import { Identifiers } from './identifiers.ts'
import { canonical, lastName, member, objectAt, textMember, valueAt } from './pointer.ts'
import { bare, compound, docComment, literal, literalType, memberName, union } from './text.ts'

/** Whether a type belongs to a parameter, which may be any value, or to a result, whose members can be read. */
export type Position = 'parameter' | 'result'

type Schema = Readonly<Record<string, unknown>>

/** Types that no schema describes, as source text. */
export interface OtherTypes {
  /** Results of any value. Default `JSONResult`. Parameters of any value are `unknown`. */
  readonly anyResult?: string
  /** Files. Default: the type of any text. */
  readonly file?: string
}

/** A type that a schema refers to by its place in the document. */
interface NamedType {
  readonly name: string
  readonly schema: unknown
  readonly position: Position
  /** The named types that this one is an alias, a union or an intersection of. */
  readonly direct: Set<NamedType>
}

const MAX_DEPTH = 40
/** Number of types that are searched for a circle. */
const MAX_REACHED = 1000
/** Number of schemas of a document that are converted. The others allow any value. */
const MAX_SCHEMAS = 200_000
/** Number of members of a type that stand on one line, if they have no documentation. */
const MAX_ON_LINE = 3

/**
 * Converts JSON Schemas (draft 2020-12, 7 and 4, and OpenAPI 3.0) of one document to TypeScript types. Local
 * references become named types, which may be recursive. What TypeScript cannot express, such as a pattern or a minimum,
 * is left out: the type is never narrower than the schema. Members that are `readOnly` are not part of parameters, and
 * members that are `writeOnly` no part of results.
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
  #position: Position = 'result'
  /** Number of schemas around the schema that is being converted. */
  #depth = 0
  #indent = ''
  readonly #isDirected: (schema: unknown) => boolean
  /** Types of schemas that allow any value. */
  readonly #any: Readonly<Record<Position, string>>
  readonly #file: string

  /**
   * @param document - the document that local references refer to.
   * @param taken - names that types must not have.
   */
  constructor(document: unknown, taken: Iterable<string>, { anyResult, file }: OtherTypes = {}) {
    this.#document = document
    this.#identifiers = new Identifiers(taken)
    this.#isDirected = directedSchemas(document)
    this.#any = { parameter: 'unknown', result: anyResult ?? 'JSONResult' }
    this.#file = file ?? 'string'
  }

  /**
   * Returns the type of a schema, as source text.
   *
   * @param indent - blanks before the line in which the type begins.
   */
  typeOf(schema: unknown, position: Position, indent = ''): string {
    this.#indent = indent
    this.#position = position
    return bare(this.#type(schema))
  }

  /** Gives schemas their names before others can take them, in the order of the references. */
  declare(references: Iterable<string>): void {
    for (const reference of references) this.#namedAt(reference, 'result')
  }

  /** Returns the declarations of all named types, as source text. Call it last. */
  declarations(): string[] {
    const declarations: string[] = []
    // Types that these refer to are added to the map, and follow.
    for (const type of this.#named.values()) {
      this.#source = type
      const help = isRecord(type.schema) ? docComment(helpOf(type.schema), '') : []
      const text = `export type ${type.name} = ${this.typeOf(type.schema, type.position)}`
      declarations.push([...help, text].join('\n'))
    }
    return declarations
  }

  get #anyType(): string {
    return this.#any[this.#position]
  }

  #type(schema: unknown): string {
    if (schema === false) return 'never'
    if (!isRecord(schema) || this.#depth > MAX_DEPTH || ++this.#count > MAX_SCHEMAS) return this.#anyType
    this.#depth++
    const parts = [
      this.#reference(schema),
      this.#values(schema) ?? this.#structure(schema),
      this.#alternatives(schema, 'anyOf'),
      this.#alternatives(schema, 'oneOf'),
      ...this.#all(member(schema, 'allOf')),
    ].filter((part): part is string => part !== undefined && part !== this.#anyType)
    this.#depth--
    const type = compound(new Set(parts), '&') ?? this.#anyType
    return member(schema, 'nullable') === true && type !== this.#anyType ? this.#union([type, 'null']) : type
  }

  #union(types: readonly string[]): string {
    return union(types, Object.values(this.#any))
  }

  #reference(schema: Schema): string | undefined {
    const reference = member(schema, '$ref')
    if (typeof reference !== 'string') return undefined
    const named = this.#namedAt(reference, this.#position)
    return named !== undefined && this.#refersTo(named) ? named.name : this.#anyType
  }

  /** Returns the type of the schema at a reference, or undefined if there is none. */
  #namedAt(written: string, position: Position): NamedType | undefined {
    const reference = canonical(written)
    const schema = valueAt(this.#document, reference)
    if (schema === undefined) return undefined
    const isSplit = this.#any.parameter !== this.#any.result || this.#isDirected(schema)
    const key = isSplit ? `${position} ${reference}` : reference
    const known = this.#named.get(key)
    if (known !== undefined) return known
    const name = this.#nameOf(reference, isSplit && position === 'parameter' ? 'Input' : '')
    const named = { name, schema, position, direct: new Set<NamedType>() }
    this.#named.set(key, named)
    return named
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

  #nameOf(reference: string, suffix: string): string {
    const last = lastName(reference)
    const name = /^(?:schema|items|\d*|#)$/.test(last) ? 'Type' : last
    return this.#identifiers.of(`${pascalCase(name)}${suffix}`, 'Type')
  }

  /** Returns the union of the literals in `enum` and `const`. */
  #values(schema: Schema): string | undefined {
    const values = Object.hasOwn(schema, 'const') ? [schema.const] : member(schema, 'enum')
    if (!Array.isArray(values) || values.length === 0) return undefined
    const types = values.map(literalType)
    return types.includes(undefined) ? undefined : this.#union(types as string[])
  }

  /** Returns the type of `type`, `properties` and `items`. */
  #structure(schema: Schema): string | undefined {
    const declared = member(schema, 'type')
    const types = Array.isArray(declared)
      ? declared
      : declared === undefined
        ? impliedTypes(schema)
        : [declared]
    if (types.length === 0) return undefined
    return this.#union(types.map((type) => this.#basic(type, schema)))
  }

  #basic(type: unknown, schema: Schema): string {
    switch (type) {
      case 'string':
        return isFile(schema) ? this.#file : type
      case 'boolean':
      case 'null':
        return type
      case 'integer':
      case 'number':
        return 'number'
      case 'array':
        return this.#behindMember(() => this.#array(schema))
      case 'object':
        return this.#behindMember(() => this.#object(schema))
      default:
        return this.#anyType
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

  #array(schema: Schema): string {
    const items = member(schema, 'items')
    const prefix = member(schema, 'prefixItems') ?? (Array.isArray(items) ? items : undefined)
    const further = Array.isArray(items) ? member(schema, 'additionalItems') : items
    if (Array.isArray(prefix) && prefix.length > 0) return this.#tuple(schema, prefix, further)
    return `${this.#type(items)}[]`
  }

  #tuple(schema: Schema, prefix: readonly unknown[], further: unknown): string {
    const minimum = member(schema, 'minItems')
    const required = typeof minimum === 'number' ? minimum : 0
    const elements = prefix.map((each, i) => this.#type(each) + (i < required ? '' : '?'))
    const isClosed = further === false || member(schema, 'maxItems') === prefix.length
    if (!isClosed) elements.push(`...${this.#type(further)}[]`)
    return `[${elements.join(', ')}]`
  }

  #object(schema: Schema): string {
    const properties = member(schema, 'properties')
    const required = member(schema, 'required')
    const names = new Set(Array.isArray(required) ? required : [])
    const entries = Object.entries(isRecord(properties) ? properties : {}).filter(
      ([, property]) => !this.#isHidden(property),
    )
    const further = member(schema, 'additionalProperties')
    if (entries.length === 0) {
      if (further === false) return '{ [member: string]: never }'
      return `{ [member: string]: ${bare(this.#type(further))} }`
    }
    const helps = entries.map(([, property]) => (isRecord(property) ? helpOf(property) : ''))
    const isShort = entries.length <= MAX_ON_LINE && helps.every((help) => help === '')
    const outer = this.#indent
    if (!isShort) this.#indent = `${outer}  `
    const members = entries.map(([name, property]) => {
      const type = bare(this.#type(property))
      return `${memberName(name)}${names.has(name) ? '' : '?'}: ${type}`
    })
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

  /** Returns whether a member is left out of a request, or of a response. */
  #isHidden(property: unknown): boolean {
    const keyword = this.#position === 'parameter' ? 'readOnly' : 'writeOnly'
    return [property, objectAt(this.#document, property)].some(
      (schema) => isRecord(schema) && member(schema, keyword) === true,
    )
  }

  #alternatives(schema: Schema, keyword: 'anyOf' | 'oneOf'): string | undefined {
    const schemas = member(schema, keyword)
    if (!Array.isArray(schemas) || schemas.length === 0) return undefined
    return this.#union(
      schemas.map((each) => {
        const type = this.#type(each)
        const tag = type === this.#anyType ? undefined : this.#tagOf(each, schema)
        return tag === undefined ? type : `(${tag} & ${type})`
      }),
    )
  }

  /**
   * Returns the object type with the value of the discriminator (OpenAPI) that means an alternative, unless the
   * schema of the alternative itself says it.
   */
  #tagOf(alternative: unknown, schema: Schema): string | undefined {
    const discriminator = member(schema, 'discriminator')
    const reference = isRecord(alternative) ? member(alternative, '$ref') : undefined
    if (!isRecord(discriminator) || typeof reference !== 'string') return undefined
    const name = textMember(discriminator, 'propertyName')
    const properties = member(objectAt(this.#document, alternative) ?? {}, 'properties')
    const own = isRecord(properties) ? objectAt(this.#document, member(properties, name)) : undefined
    if (name === '' || (own !== undefined && this.#values(own) !== undefined)) return undefined
    const last = lastName(reference)
    const mapping = member(discriminator, 'mapping')
    const values = Object.entries(isRecord(mapping) ? mapping : {})
      .filter(([, target]) => target === reference || target === last)
      .map(([value]) => literal(value))
    return `{ ${memberName(name)}: ${bare(this.#union(values.length === 0 ? [literal(last)] : values))} }`
  }

  #all(schemas: unknown): string[] {
    return Array.isArray(schemas) ? schemas.map((each) => this.#type(each)) : []
  }
}

/** Returns the types that a schema without `type` describes. */
function impliedTypes(schema: Schema): string[] {
  if (isRecord(member(schema, 'properties')) || isRecord(member(schema, 'additionalProperties')))
    return ['object']
  if (member(schema, 'items') !== undefined || Array.isArray(member(schema, 'prefixItems'))) return ['array']
  if (isFile(schema)) return ['string']
  return []
}

/** Formats an object type with a line for each member. */
function objectText(members: readonly string[], helps: readonly string[], indent: string): string {
  const inner = `${indent}  `
  const lines = members.flatMap((text, i) => [...docComment(helps[i] ?? '', inner), `${inner}${text}`])
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** Returns true for text that is the bytes of a file (OpenAPI 3.0: `format: binary`, 3.1: `contentMediaType`). */
export function isFile(schema: Schema): boolean {
  if (member(schema, 'format') === 'binary' || member(schema, 'contentEncoding') === 'binary') return true
  const type = member(schema, 'contentMediaType')
  return (
    typeof type === 'string' &&
    member(schema, 'contentEncoding') === undefined &&
    !/^text\/|[/+](?:json|xml)$/i.test(type)
  )
}

/** Returns the documentation of a schema: its description, and whether it is deprecated. */
function helpOf(schema: Schema): string {
  const tag = member(schema, 'deprecated') === true ? '@deprecated' : ''
  return [textMember(schema, 'description').trim(), tag].filter((text) => text !== '').join('\n\n')
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
