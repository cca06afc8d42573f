/** Number of parameters of a method. */
import { argumentReads, parseFunction } from '../../controllers/function-source.ts'
import { originalMethod } from '../../controllers/parameters.ts'

/** Smallest and largest number of arguments that a method accepts. */
export interface Arity {
  readonly least: number
  readonly most: number
}

/**
 * Reads the arity of a method. Parameters before the first default are required. A native or bound function has no
 * source, so it accepts any larger number.
 */
export function arityOf(method: object): Arity {
  const original = originalMethod(method)
  const least = typeof original === 'function' ? original.length : 0
  return { least, most: mostOf(String(original)) }
}

function mostOf(source: string): number {
  let parsed: ReturnType<typeof parseFunction>
  try {
    parsed = parseFunction(source)
  } catch (error) {
    if (error instanceof SyntaxError) return Number.POSITIVE_INFINITY
    throw error
  }
  const { params } = parsed
  if (params.at(-1)?.type === 'RestElement') return Number.POSITIVE_INFINITY
  return Math.max(params.length, ...[...argumentReads(parsed).keys()].map((index) => index + 1))
}

/** Formats an arity for messages: `2 parameters`, `1 to 2 parameters`, `at least 1 parameter`. */
export function formatArity({ least, most }: Arity): string {
  const count = (n: number): string => `${n} parameter${n === 1 ? '' : 's'}`
  if (least === most) return most === 0 ? 'no parameters' : count(most)
  return most === Number.POSITIVE_INFINITY ? `at least ${count(least)}` : `${least} to ${most} parameters`
}
