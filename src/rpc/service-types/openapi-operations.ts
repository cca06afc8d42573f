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
