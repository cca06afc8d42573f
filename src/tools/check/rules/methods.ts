import { METHODS as KNOWN_TO_NODE } from 'node:http'
import { METHODS } from '../../../base/methods.ts'
import { similar } from '../../../base/suggest.ts'

const KNOWN: ReadonlySet<string> = new Set(KNOWN_TO_NODE)

/** Returns how to correct a request method that is in lower case or misspelt, or undefined if it is right. */
export function methodFault(method: string): string | undefined {
  const upper = method.toUpperCase()
  if (method !== upper) return `Request methods are upper-case: write "${correct(upper)}".`
  const meant = KNOWN.has(method) ? undefined : similar(method, METHODS)
  return meant === undefined ? undefined : `Did you mean "${meant}"?`
}

function correct(method: string): string {
  return KNOWN.has(method) ? method : (similar(method, METHODS) ?? method)
}
