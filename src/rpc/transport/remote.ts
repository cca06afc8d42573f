import type { CallOptions } from './transport-options.ts'

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

// `await`, JSON.stringify() and template literals read these properties, which must not call the server.
const NEVER_REMOTE: ReadonlySet<string> = new Set(['then', 'toJSON'])
const TEXT: ReadonlySet<string> = new Set(['toString', 'valueOf'])

/** Returns true if a part of a method name is available as a property. The others need `call`. */
export function isReachable(part: string): boolean {
  return !NEVER_REMOTE.has(part) && !TEXT.has(part)
}

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

/** Returns the names of the members of every client of a class. */
export function membersOf(client: { readonly prototype: object }): ReadonlySet<string> {
  return new Set(['url', ...Object.getOwnPropertyNames(client.prototype)])
}

/** The public class of a client, and its members, which hide methods of the server with the same name. */
interface ClientClass {
  readonly name: string
  readonly members: ReadonlySet<string>
  /** Returns the value of the property `constructor`. */
  readonly constructorOf: () => unknown
}

/**
 * Returns the public class of a client, whose instances have the methods of their server.
 *
 * @param name - the name of the public class.
 * @param members - members of every client. They hide methods of the server with the same name.
 * @param connect - opens the transport of a new client.
 */
export function remoteClass<Client extends CallingClient<Client>, Transport, Options extends object>(
  client: new (transport: Transport, options: Options) => Client,
  name: string,
  members: ReadonlySet<string>,
  connect: (url: string | URL, options: Options) => Transport,
): unknown {
  const own: ClientClass = { name, members, constructorOf: () => remote }
  const remote = new Proxy(client, {
    construct: (target, [url, options = {}]) => remoteClient(new target(connect(url, options), options), own),
  })
  return remote
}

/** Returns a client with the methods of its server: every property besides its own members is a remote method. */
function remoteClient<Client extends CallingClient<Client>>(client: Client, own: ClientClass): Client {
  return new Proxy(client, { get: (_client, name) => memberOf(client, name, own) })
}

function memberOf<Client extends CallingClient<Client>>(
  client: Client,
  name: string | symbol,
  own: ClientClass,
): unknown {
  if (typeof name === 'symbol') return undefined
  if (name === 'constructor') return own.constructorOf()
  if (name === 'with') return (options: CallOptions) => remoteClient(client.with(options), own)
  if (own.members.has(name)) {
    const member: unknown = Reflect.get(client, name, client)
    return typeof member === 'function' ? member.bind(client) : member
  }
  if (TEXT.has(name)) return () => `${own.name} ${client.url}`
  if (!isReachable(name)) return undefined
  return remoteMethod(name, (method, ...params) => client.call(method, ...params))
}
