/** How many parameters a method takes. */
import { parseExpressionAt } from 'acorn'
import { originalMethod } from '../parameters.ts'

/** The numbers of arguments that a method can do with. */
export interface Arity {
  readonly least: number
  readonly most: number
}

/**
 * Reads how many arguments a method needs (those before the first default) and takes. The source must be to be had for
 * the latter; where it is not, as with native and bound functions, any number passes.
 */
export function arityOf(method: object): Arity {
  const original = originalMethod(method)
  const least = typeof original === 'function' ? original.length : 0
  return { least, most: mostOf(String(original)) }
}

function mostOf(source: string): number {
  // A method's text stands alone only inside an object literal; a function's text is an expression.
  const params = paramsIn(`({${source}})`) ?? paramsIn(`(${source})`)
  if (params === undefined || params.at(-1)?.type === 'RestElement') return Number.POSITIVE_INFINITY
  return params.length
}

function paramsIn(text: string): readonly { type: string }[] | undefined {
  let node: ReturnType<typeof parseExpressionAt>
  try {
    node = parseExpressionAt(text, 0, { ecmaVersion: 'latest', checkPrivateFields: false })
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const [member] = node.type === 'ObjectExpression' ? node.properties : []
  const method = member?.type === 'Property' ? member.value : node
  return method.type === 'FunctionExpression' || method.type === 'ArrowFunctionExpression'
    ? method.params
    : undefined
}

/** `2 parameters`, `1 to 2 parameters`, `at least 1 parameter`. */
export function formatArity({ least, most }: Arity): string {
  const count = (n: number): string => `${n} parameter${n === 1 ? '' : 's'}`
  if (least === most) return most === 0 ? 'no parameters' : count(most)
  return most === Number.POSITIVE_INFINITY ? `at least ${count(least)}` : `${least} to ${most} parameters`
}
