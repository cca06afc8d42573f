import type { Encodable, Value } from './types.ts'

/**
 * Methods of a server as a client has them: each returns a promise. A method that already returns a promise keeps its
 * overloads.
 */
export type Remote<Api> = {
  readonly [Name in Exclude<keyof Api, 'then' | 'toJSON'>]: Api[Name] extends (
    ...parameters: infer Parameters
  ) => infer Result
    ? (Result extends Promise<unknown> ? Api[Name] : (...parameters: Parameters) => Promise<Result>) &
        Remote<Api[Name]>
    : Remote<Api[Name]>
}

/** Methods of a server without a description: every name is a method and a namespace. */
export interface AnyApi {
  [name: string]: AnyMethod
}

/** A method of a server without a description. */
export type AnyMethod = AnyApi & ((...params: Encodable[]) => Promise<Value>)

/** Calls a method by its full name. */
export type CallByName = (name: string, params: readonly Encodable[]) => unknown

// `await`, JSON.stringify() and template literals read these properties, which must not call the server.
const NEVER_REMOTE: ReadonlySet<string> = new Set(['then', 'toJSON'])
const TEXT: ReadonlySet<string> = new Set(['toString', 'valueOf'])

/** Returns true if a part of a method name is available as a property. The others need `call`. */
export function isReachable(part: string): boolean {
  return !NEVER_REMOTE.has(part) && !TEXT.has(part)
}

/** Returns a function that calls the method `name`. Its properties are functions that call `name.…`. */
export function remoteMethod(name: string, call: CallByName): object {
  const method = (...params: Encodable[]) => call(name, params)
  return new Proxy(method, {
    get(_target, part) {
      if (typeof part === 'symbol' || NEVER_REMOTE.has(part)) return undefined
      if (TEXT.has(part)) return () => `[remote method ${name}]`
      return remoteMethod(`${name}.${part}`, call)
    },
  })
}
