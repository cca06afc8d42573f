import type { CallOptions } from './transport-options.ts'

/**
 * Methods of a server as a client has them: each returns a promise. A method that already returns a promise keeps its
 * overloads.
 */
export type Remote<Api> = {
  readonly [Name in Exclude<keyof Api, 'then' | 'toJSON'>]: Api[Name] extends (
    ...parameters: infer Parameters
  ) => infer Result
    ? (Result extends Promise<unknown> ? Api[Name] : (...parameters: Parameters) => Promise<Result>) & Remote<Api[Name]>
    : Remote<Api[Name]>
}

// `await`, JSON.stringify() and template literals read these properties, which must not call the server.
const NEVER_REMOTE: ReadonlySet<string> = new Set(['then', 'toJSON'])
const TEXT: ReadonlySet<string> = new Set(['toString', 'valueOf'])

/** Calls a method by its full name. */
type CallByName = (name: string, ...params: never[]) => unknown

/** Returns a function that calls the method `name`. Its properties are functions that call `name.…`. */
function remoteMethod(name: string, call: CallByName): object {
  const method = (...params: never[]) => call(name, ...params)
  return new Proxy(method, {
    get(_target, part) {
      if (typeof part === 'symbol' || NEVER_REMOTE.has(part)) return undefined
      if (TEXT.has(part)) return () => `[remote method ${name}]`
      return remoteMethod(`${name}.${part}`, call)
    },
  })
}

/** A client that calls methods by their names. */
export interface CallingClient<Self> {
  readonly url: string
  call: CallByName
  with(options: CallOptions): Self
}

/**
 * Returns the public class of a client. Its instances have the members of the client, which hide methods of the
 * server with the same name. Every other property is a method of the server.
 *
 * @param name - the name of the public class.
 * @param connect - opens the transport of a new client.
 */
export function remoteClass<Client extends CallingClient<Client>, Transport, Options extends object>(
  client: new (transport: Transport, options: Options) => Client,
  name: string,
  connect: (url: string | URL, options: Options) => Transport,
): unknown {
  const members = new Set(['url', ...Object.getOwnPropertyNames(client.prototype)])
  const memberOf = (own: Client, key: string | symbol): unknown => {
    if (typeof key === 'symbol' || NEVER_REMOTE.has(key)) return undefined
    if (key === 'constructor') return remote
    if (key === 'with') return (options: CallOptions) => remoteClient(own.with(options))
    if (members.has(key)) {
      const member: unknown = Reflect.get(own, key, own)
      return typeof member === 'function' ? member.bind(own) : member
    }
    if (TEXT.has(key)) return () => `${name} ${own.url}`
    return remoteMethod(key, (method, ...params) => own.call(method, ...params))
  }
  const remoteClient = (own: Client): Client => new Proxy(own, { get: (_own, key) => memberOf(own, key) })
  const remote = new Proxy(client, {
    construct: (target, [url, options = {}]) => remoteClient(new target(connect(url, options), options)),
  })
  return remote
}
