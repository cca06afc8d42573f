import type { XMLRPCClientMethods } from './client.ts'
import { Fault } from './fault.ts'

/** What a server tells of one of its methods. */
export interface MethodDescription {
  readonly name: string
  /** Each the return type, then the types of the parameters; null when the server states none. */
  readonly signatures: readonly (readonly string[])[] | null
  /** The method's documentation; empty when there is none. */
  readonly help: string
}

/** How many calls are on their way at once. */
const AT_ONCE = 4

/**
 * Asks a server for its methods, their signatures and their documentation. A server that has the first but
 * answers a fault to the others is taken to have none of them.
 *
 * @throws Fault when the server has no introspection.
 * @example
 * ```ts
 * const methods = await introspect(new XMLRPCClient(url))
 * await writeFile('api.ts', generateTypes(methods))
 * ```
 */
export async function introspect(client: XMLRPCClientMethods): Promise<MethodDescription[]> {
  const names = await client.listMethods()
  const methods = new Array<MethodDescription>(names.length)
  let next = 0
  const worker = async () => {
    for (let i = next++; i < names.length; i = next++) {
      const name = names[i] as string
      const signatures = await unlessFault(client.methodSignature(name), null)
      const help = await unlessFault(client.methodHelp(name), '')
      methods[i] = { name, signatures, help }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return methods
}

async function unlessFault<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Fault) return otherwise
    throw error
  }
}
