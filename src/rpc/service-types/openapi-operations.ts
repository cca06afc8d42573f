import { isRecord } from '../../base/record.ts'
import { member, objectAt } from './pointer.ts'

/** An object of a document. */
export type JSONObject = Readonly<Record<string, unknown>>

/** An operation of an OpenAPI document. */
export interface Operation {
  /** Method in lower case. */
  readonly method: string
  readonly path: string
  /** The path item, which has the parameters of all its operations. */
  readonly item: JSONObject
  readonly operation: JSONObject
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** Returns the operations of an OpenAPI 3.x document (https://spec.openapis.org) in their order. */
export function operationsOf(document: JSONObject): Operation[] {
  const paths = member(document, 'paths')
  return Object.entries(isRecord(paths) ? paths : {}).flatMap(([path, value]) => {
    const item = objectAt(document, value) ?? {}
    return METHODS.flatMap((method) => {
      const operation = objectAt(document, member(item, method))
      return operation === undefined ? [] : [{ method, path, item, operation }]
    })
  })
}

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

function kindOf(type: string, schema: JSONObject | undefined): Kind {
  if (/^application\/(?:.+\+)?json$/.test(type)) return 'json'
  if (type === 'text/event-stream') return 'stream'
  if (/^text\/|[/+](?:xml|yaml|javascript|x-ndjson|jsonl)$/.test(type)) return 'text'
  // Generators write `*/*` for JSON of any server that declares no type.
  return type === '*/*' && schema !== undefined && member(schema, 'format') !== 'binary' ? 'json' : 'blob'
}
