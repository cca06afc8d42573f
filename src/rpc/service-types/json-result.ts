/** Gives a value without members a type for every member: undefined, which is what reading it returns. */
export interface NoMembers {
  readonly [member: string]: undefined
}

/** A JSON object in a response. */
export interface JSONResultObject {
  [member: string]: JSONResult
}

/**
 * A JSON value whose type the server does not declare, as generated types have it. Its members can be read:
 * `articles[0]?.name` compiles, and is undefined if the value has no such member. Its type is checked before it is used
 * as text, number or array: by `typeof` or `Array.isArray`.
 */
export type JSONResult = null | ((boolean | number | string | JSONResult[]) & NoMembers) | JSONResultObject
