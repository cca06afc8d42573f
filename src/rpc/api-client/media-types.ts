import { isRecord } from '../../base/record.ts'
import type { JSONObject } from '../service-types/openapi-operations.ts'
import { member, objectAt } from '../service-types/pointer.ts'

/** Kind of a body, by which a client reads or writes it. */
export type Kind = 'json' | 'text' | 'stream' | 'blob' | 'none'

/** A media type of a body, with its schema. */
export interface MediaType {
  /** Type in lower case, without parameters: `application/json`, `image/*`. */
  readonly type: string
  readonly kind: Kind
  /** JSON Schema; undefined for any value. */
  readonly schema: unknown
}

/** Returns the media types of a request body or a response. */
export function mediaTypesOf(document: JSONObject, described: JSONObject): MediaType[] {
  const content = member(described, 'content')
  return Object.entries(isRecord(content) ? content : {}).flatMap(([name, value]) => {
    const type = (name.split(';')[0] ?? '').trim().toLowerCase()
    if (!/^[\w.+*-]+\/[\w.+*-]+$/.test(type)) return []
    const schema = member(objectAt(document, value) ?? {}, 'schema')
    return [{ type, kind: kindOf(type, objectAt(document, schema)), schema }]
  })
}

/** Returns true for the type of a JSON text. */
export function isJSON(type: string): boolean {
  return /^application\/(?:.+\+)?json$/.test(type)
}

function kindOf(type: string, schema: JSONObject | undefined): Kind {
  if (isJSON(type)) return 'json'
  if (type === 'text/event-stream') return 'stream'
  if (/^text\/|[/+](?:xml|yaml|javascript|x-ndjson|jsonl)$/.test(type)) return 'text'
  // Generators write `*/*` for JSON of any server that declares no type.
  return type === '*/*' && schema !== undefined && member(schema, 'format') !== 'binary' ? 'json' : 'blob'
}
