import type { Encodable, Value } from './types.ts'

/**
 * A server's methods as a client offers them: each returns a promise, dots are namespaces. A method that
 * already returns a promise is taken over with all its overloads.
 */
export type Remote<Api> = {
  readonly [Name in Exclude<keyof Api, 'then' | 'toJSON'>]: Api[Name] extends (
    ...parameters: infer Parameters
  ) => infer Result
    ? (Result extends Promise<unknown> ? Api[Name] : (...parameters: Parameters) => Promise<Result>) &
        Remote<Api[Name]>
    : Remote<Api[Name]>
}

/** The methods of a server about which nothing is known: every name is a method and a namespace. */
export interface AnyApi {
  [name: string]: AnyMethod
}

/** A method of a server about which nothing is known. */
export type AnyMethod = AnyApi & ((...params: Encodable[]) => Promise<Value>)

/** Calls a method by its full name. */
export type CallByName = (name: string, params: readonly Encodable[]) => unknown

// Asking for these must not call the server: `await`, JSON and template literals look for them by themselves.
const NEVER_REMOTE: ReadonlySet<string> = new Set(['then', 'toJSON'])
const TEXT: ReadonlySet<string> = new Set(['toString', 'valueOf'])

/** Whether a part of a dotted name can be reached as a property; the others are reached through `call`. */
export function isReachable(part: string): boolean {
  return !NEVER_REMOTE.has(part) && !TEXT.has(part)
}

/** What stands behind `client.test`: a function that calls `test`, whose properties call `test.…`. */
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
