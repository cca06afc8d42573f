import { isStrings, methodNamesIn, type XMLRPCClientMethods } from './client.ts'
import { Fault, XMLRPCEncodeError, XMLRPCProtocolError, XMLRPCTransportError } from './errors.ts'
import { isSignatureType } from './signature.ts'
import { isPlain, type Value } from './values.ts'

/** Description of a method, from the server's introspection. */
export interface MethodDescription {
  readonly name: string
  /** Lists of the return type and the types of the parameters; null if none is declared. */
  readonly signatures: readonly (readonly string[])[] | null
  /** Documentation of the method; '' if there is none. */
  readonly help: string
}

/** Number of methods that `introspect` has described, and of all methods. */
export interface IntrospectionProgress {
  readonly done: number
  readonly total: number
}

/** Options of `introspect`. */
export interface IntrospectOptions {
  /** Names of the methods, for a server without `system.listMethods`. Default: those that the server lists. */
  readonly methods?: readonly string[]
  /** Beginning of the names of the methods to describe. Default: all methods. */
  readonly only?: string
  /** Called when methods have been described, with increasing numbers. */
  readonly onProgress?: (progress: IntrospectionProgress) => void
  /** Called for each method whose signatures or documentation could not be read, other than by a fault. */
  readonly onFailure?: (methodName: string, error: Error) => void
}

/** Maximum number of concurrent requests. */
const CONCURRENCY = 4

/** Number of methods in one `system.multicall`, with two calls for each. */
const BATCH = 50

const SIGNATURE = 'system.methodSignature'
const HELP = 'system.methodHelp'

/** Text of xmlrpc-c for a method without documentation. rTorrent has 1,000 of them. */
const NO_HELP = 'No help is available for this method.'

/**
 * Fetches the names, signatures and documentation of a server's methods. A method whose signatures or documentation are
 * a fault, cannot be read or have another HTTP status than 200 has none. A server that lists `system.multicall` gets one
 * request for 50 methods.
 *
 * @throws Fault - the server has no `system.listMethods`. Pass the names as `methods`.
 * @throws XMLRPCTransportError - the connection failed.
 * @throws XMLRPCProtocolError - the response to `system.listMethods` is not a list of names.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { generateTypes, introspect, XMLRPCClient } from 'propylon/xmlrpc'
 *
 * const client = new XMLRPCClient('http://127.0.0.1:5000/demo')
 * const methods = await introspect(client, {
 *   only: 'test.',
 *   onProgress: ({ done, total }) => console.error(`${done} of ${total}`),
 * })
 * await writeFile('api.ts', generateTypes(methods))
 * ```
 */
export async function introspect(
  client: XMLRPCClientMethods,
  options: IntrospectOptions = {},
): Promise<MethodDescription[]> {
  const listed = options.methods ?? (await listedNames(client))
  const names = [...new Set(listed)].filter((name) => name.startsWith(options.only ?? ''))
  const size = listed.includes('system.multicall') ? BATCH : 1
  const batches = Array.from({ length: Math.ceil(names.length / size) }, (_, i) =>
    names.slice(i * size, (i + 1) * size),
  )
  const described = new Array<MethodDescription[]>(batches.length)
  const describe = describer(client, names.length, options)
  let next = 0
  const worker = async () => {
    for (let i = next++; i < batches.length; i = next++) described[i] = await describe(batches[i] as string[])
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return described.flat()
}

/**
 * Returns a function that describes some methods: in one request if there are several, one by one if that request fails.
 *
 * @param total - number of all methods, for the progress.
 */
function describer(
  client: XMLRPCClientMethods,
  total: number,
  { onProgress, onFailure }: IntrospectOptions,
): (names: readonly string[]) => Promise<MethodDescription[]> {
  let done = 0
  /** Whether the server refused `system.multicall`. */
  let isRefused = false

  const advance = (count: number) => {
    done += count
    onProgress?.({ done, total })
  }

  /** Returns two results for each method, or undefined if the server cannot answer all calls in one response. */
  const together = async (names: readonly string[]): Promise<(Value | Fault)[] | undefined> => {
    if (isRefused) return undefined
    try {
      return await client.multicall(
        names.flatMap((name): [string, string][] => [
          [SIGNATURE, name],
          [HELP, name],
        ]),
      )
    } catch (error) {
      // One unreadable documentation makes the whole response unreadable, so other batches are still tried.
      if (error instanceof Fault) isRefused = true
      else if (!isOfOneCall(error)) throw error
      return undefined
    }
  }

  const alone = async (methodName: string, name: string): Promise<Value | Fault> => {
    try {
      return await client.call(methodName, name)
    } catch (error) {
      if (error instanceof Fault) return error
      if (!isOfOneCall(error)) throw error
      onFailure?.(name, error)
      return null
    }
  }

  return async (names) => {
    const results = names.length > 1 ? await together(names) : undefined
    const methods: MethodDescription[] = []
    for (const [i, name] of names.entries()) {
      const signatures = results === undefined ? await alone(SIGNATURE, name) : results[2 * i]
      const help = results === undefined ? await alone(HELP, name) : results[2 * i + 1]
      methods.push({ name, signatures: signaturesIn(signatures), help: helpIn(help) })
      if (results === undefined) advance(1)
    }
    if (results !== undefined) advance(names.length)
    return methods
  }
}

/** Returns the names that a server lists. PHP encodes an empty array as an empty struct. */
async function listedNames(client: XMLRPCClientMethods): Promise<string[]> {
  const listed = await client.call('system.listMethods')
  const isStruct = typeof listed === 'object' && listed !== null && isPlain(listed)
  return isStruct && Object.keys(listed).length === 0 ? [] : methodNamesIn(listed)
}

/**
 * Returns true for an error of a response, and of a name that cannot be sent, such as one with a control character from
 * a server that is not strict. Without a response, the next call would fail too.
 */
function isOfOneCall(error: unknown): error is Error {
  return (
    error instanceof XMLRPCEncodeError ||
    error instanceof XMLRPCProtocolError ||
    (error instanceof XMLRPCTransportError && error.status !== undefined)
  )
}

function helpIn(value: Value | Fault | undefined): string {
  return typeof value === 'string' && value !== NO_HELP ? value : ''
}

/** Without a signature servers return something other than an array ('undef'), an empty one, or a fault. */
function signaturesIn(value: Value | Fault | undefined): string[][] | null {
  // supervisord returns one flat signature. In a batch, ['array'] cannot be distinguished from 'array' in the array of a result.
  if (typeof value === 'string' && isSignatureType(value)) return [[value]]
  if (!Array.isArray(value) || value.length === 0) return null
  if (isStrings(value)) return [value]
  const signatures = value.filter((each) => Array.isArray(each)).filter(isStrings)
  return signatures.length === 0 ? null : signatures
}
