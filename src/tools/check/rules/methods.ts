import { METHODS } from 'node:http'
import { similar } from '../../../base/suggest.ts'

const KNOWN: ReadonlySet<string> = new Set(METHODS)

/** Methods of everyday use, one of which a mistyped one means. */
const USUAL = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Returns how to correct a request method that is in lower case or misspelt, or undefined if it is right. */
export function methodFault(method: string): string | undefined {
  const upper = method.toUpperCase()
  if (method !== upper) return `Request methods are upper-case: write "${correct(upper)}".`
  const meant = KNOWN.has(method) ? undefined : similar(method, USUAL)
  return meant === undefined ? undefined : `Did you mean "${meant}"?`
}

function correct(method: string): string {
  return KNOWN.has(method) ? method : (similar(method, USUAL) ?? method)
}
