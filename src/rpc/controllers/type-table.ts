/** Types of procedures, and the one table of XML-RPC types and their JSON Schemas. */

import type { StandardJSONSchemaV1, StandardSchemaV1, StandardTypedV1 } from '@standard-schema/spec'
import { oncePer } from '../../base/once-per.ts'
import { isPromise } from '../../base/promise.ts'
import { isRecord } from '../../base/record.ts'
import type { Converters } from '../../controllers/declarations.ts'
import { isConverter, validateValue, valueSchema } from '../../http/converters/converter.ts'
import {
  allowsText,
  type Direction,
  isUnrestricted,
  type JSONSchema,
  jsonSchemaOf,
} from '../../http/converters/json-schema.ts'
import { type SignatureType, TYPE_NAMES, typeOf } from '../xmlrpc/signature.ts'

/** A declared type: the name of an XML-RPC type, or a Standard Schema. */
export type DeclaredType = SignatureType | StandardSchemaV1

/** A declared signature: the type of the result, then the types of the parameters. */
export type DeclaredSignature = readonly [returns: DeclaredType, ...parameters: DeclaredType[]]

const INT: JSONSchema = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }

/** Returns the pattern of the numbers with as many digits as a text that are not greater. */
function upTo(largest: string): string {
  const less = [...largest].flatMap((digit, index) => {
    const least = index === 0 ? 1 : 0
    const rest = largest.length - index - 1
    return Number(digit) > least ? `${largest.slice(0, index)}[${least}-${Number(digit) - 1}][0-9]{${rest}}` : []
  })
  return [...less, largest].join('|')
}

/** The types and their values in JSON. A schema has the first of {@link TYPE_NAMES} with its keyword `type`. */
const TABLE: Readonly<Record<SignatureType, JSONSchema>> = {
  string: { type: 'string' },
  int: INT,
  i4: INT,
  double: { type: 'number' },
  boolean: { type: 'boolean' },
  struct: { type: 'object' },
  // Several MCP clients refuse an array without `items`.
  array: { type: 'array', items: {} },
  nil: { type: 'null' },
  // A 64-bit integer is text if JavaScript's numbers cannot represent it.
  i8: {
    anyOf: [
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', pattern: `^-?(?:0|[1-9][0-9]{0,17}|${upTo(String(2n ** 63n - 1n))})$` },
    ],
  },
  // A date-time may be in lower case and have a leap second. DateTime has neither.
  'dateTime.iso8601': {
    type: 'string',
    format: 'date-time',
    pattern: 'T[0-9]{2}:[0-5][0-9]:[0-5][0-9][.0-9]*(?:Z|[+-])',
  },
  base64: {
    type: 'string',
    contentEncoding: 'base64',
    pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  },
}

/** Values that tell the schemas of dates, bytes and 64-bit integers, which most libraries do not describe. */
const SAMPLES: readonly unknown[] = [new Date(0), new Uint8Array(1), 1n]

/** Types of which JSON has the value in another form. */
const CONVERTED: ReadonlySet<unknown> = new Set<SignatureType>(['dateTime.iso8601', 'base64', 'i8'])

const schemaTypes = {
  input: oncePer((schema: StandardSchemaV1) => typeOfSchema(schema, 'input')),
  output: oncePer((schema: StandardSchemaV1) => typeOfSchema(schema, 'output')),
}

/**
 * Returns the type of XML-RPC for a declared type. Undefined for a schema of several types, or of none that is known.
 */
export function xmlrpcType(type: DeclaredType, direction: Direction): SignatureType | undefined {
  return typeof type === 'string' ? type : schemaTypes[direction](type)
}

function typeOfSchema(schema: StandardSchemaV1, direction: Direction): SignatureType | undefined {
  const described = direction === 'input' ? valueSchema(schema) : jsonSchemaOf(schema, direction)
  const isDate = described.type === 'string' && /^date(?:-time)?$/.test(String(described.format))
  if (!isDate && !isUnrestricted(described)) return named(described)
  const types = new Set(SAMPLES.flatMap((sample) => sampledType(schema, sample, direction)))
  return types.size === 1 ? [...types][0] : named(described)
}

function named({ type }: JSONSchema): SignatureType | undefined {
  return type === undefined ? undefined : TYPE_NAMES.find((name) => TABLE[name].type === type)
}

/** Returns the type of a sample that a schema takes, or of the value that the schema makes of it. */
function sampledType(schema: StandardSchemaV1, sample: unknown, direction: Direction): SignatureType[] {
  try {
    const result = validateValue(schema, sample)
    if (isPromise(result)) {
      result.then(undefined, () => undefined)
      return []
    }
    if (result.issues !== undefined) return []
    return [typeOf(direction === 'input' ? sample : result.value) ?? []].flat()
  } catch {
    return []
  }
}

/** Returns true for a type of which no value is a text in JSON. */
export function refusesText(type: SignatureType | undefined): boolean {
  return type !== undefined && !allowsText(TABLE[type])
}

/** Returns true for a type of which JSON has the value in another form: a text for a date. */
export function isConverted(type: SignatureType | undefined): type is SignatureType {
  return CONVERTED.has(type)
}

/** Returns the type that decides how a number is sent as the result. The value decides for other types. */
export function encodedType(returns: DeclaredType | undefined): SignatureType | undefined {
  if (returns === undefined || typeof returns === 'string') return returns
  const type = xmlrpcType(returns, 'output')
  return type === 'double' || type === 'i8' ? type : undefined
}

/** Returns the schema that describes the JSON values of a declared type. It may validate none. */
export function schemaOf(type: DeclaredType, direction: Direction): StandardTypedV1 {
  if (typeof type === 'string') return describing(TABLE[type])
  const converted = xmlrpcType(type, direction)
  const isOther = isUnrestricted(jsonSchemaOf(type, direction)) || (isConverter(type) && direction === 'output')
  if (isConverted(converted) && isOther) return describing(TABLE[converted])
  return isConverter(type) ? describing(valueSchema(type)) : type
}

/** Returns a schema with a JSON Schema, which accepts any value. */
export function describing(schema: JSONSchema): StandardSchemaV1 & StandardJSONSchemaV1 {
  const convert = () => ({ ...schema })
  return {
    '~standard': {
      version: 1,
      vendor: 'propylon/signature',
      validate: (value) => ({ value }),
      jsonSchema: { input: convert, output: convert },
    },
  }
}

/** The type of a parameter or a result that a class with a declared signature does not declare. */
export const ANY: StandardSchemaV1 = describing({})

/**
 * The type of the one parameter of a method that destructures it: the schemas of its members. Calls convert them one
 * by one.
 */
export class Members implements StandardSchemaV1 {
  readonly '~standard': StandardSchemaV1['~standard']
  readonly converters: Converters

  constructor(converters: Converters) {
    this.converters = converters
    const issues = [{ message: 'must be an object' }]
    this['~standard'] = {
      ...describing({ type: 'object' })['~standard'],
      validate: (value) => (isRecord(value) ? { value } : { issues }),
    }
  }
}
