import type { XMLRPCClientMethods } from './client.ts'
import { Fault } from './fault.ts'

/** Description of a method, from the server's introspection. */
export interface MethodDescription {
  readonly name: string
  /** Lists of the return type and the types of the parameters; null if none is declared. */
  readonly signatures: readonly (readonly string[])[] | null
  /** Documentation of the method; '' if there is none. */
  readonly help: string
}

/** Maximum number of concurrent calls. */
const CONCURRENCY = 4

/**
 * Fetches the names, signatures and documentation of a server's methods. A method whose signatures or documentation are
 * a fault has none.
 *
 * @throws Fault - the server has no introspection.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { generateTypes, introspect, XMLRPCClient } from 'propylon/xmlrpc'
 *
 * const methods = await introspect(new XMLRPCClient('http://127.0.0.1:5000/demo'))
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
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return methods
}

async function unlessFault<T>(result: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (error instanceof Fault) return otherwise
    throw error
  }
}
