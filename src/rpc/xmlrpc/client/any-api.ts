import type { Encodable, Value } from '../types.ts'

/** Methods of a server without a description: every name is a method and a namespace. */
export interface AnyApi {
  [name: string]: AnyMethod
}

/** A method of a server without a description. */
export type AnyMethod = AnyApi & ((...params: Encodable[]) => Promise<Value>)
