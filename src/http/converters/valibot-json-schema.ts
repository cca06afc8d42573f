/** Converts schemas of Valibot with `@valibot/to-json-schema`, an optional package that is loaded on first use. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ConversionConfig } from '@valibot/to-json-schema'
import { isRecord } from '../../base/record.ts'
import { errorMessage } from '../../base/thrown.ts'

type Convert = (schema: StandardSchemaV1, config: ConversionConfig) => unknown

/** The converter; null if the package is not installed; undefined before it is loaded. */
let converter: Convert | null | undefined
let loading: Promise<void> | undefined

/** Returns true if the package has been loaded, or is known to be missing. */
export function hasValibotConverter(): boolean {
  return converter !== undefined
}

/** Loads the package. A package that is not installed is not an error. */
export function loadValibotConverter(): Promise<void> {
  loading ??= import('@valibot/to-json-schema').then(
    (module: unknown) => {
      const convert = isRecord(module) ? module.toJsonSchema : undefined
      converter = isConvert(convert) ? convert : null
    },
    (error: unknown) => {
      if (!isMissing(error)) throw error
      converter = null
    },
  )
  return loading
}

function isConvert(value: unknown): value is Convert {
  return typeof value === 'function'
}

/** Returns true for the error of a module that does not exist. Runtimes without a code have a message. */
function isMissing(error: unknown): boolean {
  if (isRecord(error) && typeof error.code === 'string') return error.code.endsWith('MODULE_NOT_FOUND')
  return /no such module|cannot find|not found|resolve/i.test(errorMessage(error))
}

const DIALECTS = ['draft-07', 'draft-2020-12', 'openapi-3.0'] as const

/** Returns the JSON Schema of a schema of Valibot. Undefined if the package is not loaded or lacks the dialect. */
export function valibotJsonSchema(
  schema: StandardSchemaV1,
  direction: 'input' | 'output',
  target: string,
): unknown {
  const dialect = DIALECTS.find((known) => known === target)
  if (typeof converter !== 'function' || dialect === undefined) return undefined
  return converter(schema, {
    target: dialect,
    typeMode: direction,
    errorMode: 'ignore',
    ...(direction === 'output' && OUTPUT),
  })
}

/** Types of the results of transformations. Any other result is unknown to the converter, which would describe the input. */
const RESULTS: ReadonlyMap<string, 'boolean' | 'number' | 'string'> = new Map([
  ['normalize', 'string'],
  ['parse_boolean', 'boolean'],
  ['stringify_json', 'string'],
  ['to_boolean', 'boolean'],
  ['to_camel_case', 'string'],
  ['to_kebab_case', 'string'],
  ['to_lower_case', 'string'],
  ['to_number', 'number'],
  ['to_pascal_case', 'string'],
  ['to_snake_case', 'string'],
  ['to_string', 'string'],
  ['to_upper_case', 'string'],
  ['trim', 'string'],
  ['trim_end', 'string'],
  ['trim_start', 'string'],
])

/** Transformations that change the type for the compiler only. */
const TYPES_ONLY: ReadonlySet<string> = new Set(['brand', 'flavor', 'readonly'])

const DATE = { type: 'string', format: 'date-time' } as const

/** Describes what a schema returns: the results of transformations, and dates as JSON.stringify writes them. */
const OUTPUT: Pick<ConversionConfig, 'overrideAction' | 'overrideSchema'> = {
  overrideSchema: ({ valibotSchema }) => (valibotSchema.type === 'date' ? { ...DATE } : undefined),
  overrideAction({ valibotAction: { kind, type } }) {
    if (kind !== 'transformation' || TYPES_ONLY.has(type)) return undefined
    if (type === 'to_date') return { ...DATE }
    const result = RESULTS.get(type)
    return result === undefined ? {} : { type: result }
  },
}
