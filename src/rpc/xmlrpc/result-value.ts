import type { NoMembers } from '../service-types/json-result.ts'
import type { Binary } from './binary.ts'
import type { DateTime } from './datetime.ts'
import type { Double } from './double.ts'

/** A struct in a response. */
export interface ResultStruct {
  [member: string]: ResultValue
}

/**
 * A decoded value whose type the server does not declare, as generated types have it. It is a `Value` whose members can
 * be read: `processes[0]?.name` compiles, and is undefined if the value has no such member. Its type is checked before it
 * is used as text, number, array or date: by `typeof`, `Array.isArray` or `instanceof`.
 */
export type ResultValue =
  | null
  | ((boolean | number | bigint | string | DateTime | Binary | Double | ResultValue[]) & NoMembers)
  | ResultStruct
