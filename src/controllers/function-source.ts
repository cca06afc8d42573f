/** The source text of a method, parsed: the only place where its parameters stand. */
import { type Function as FunctionNode, parseExpressionAt } from 'acorn'

/** Private names and `super` refer to a class that is not in the text, so their scope is not checked. */
const options = { ecmaVersion: 'latest', checkPrivateFields: false } as const

/**
 * Parses the source text of a method or function.
 *
 * @throws SyntaxError when the text is none, as that of native and bound functions.
 */
export function parseFunction(source: string): FunctionNode {
  // A method's text stands alone only inside an object literal; a function's text is an expression.
  const asMethod = attempt(`({${source}})`)
  if (asMethod?.type === 'ObjectExpression') {
    const [member] = asMethod.properties
    if (member?.type === 'Property' && isFunction(member.value)) return member.value
  }
  const asExpression = attempt(`(${source})`)
  if (asExpression !== undefined && isFunction(asExpression)) return asExpression
  throw new SyntaxError('the source of the method cannot be read')
}

function attempt(text: string) {
  try {
    return parseExpressionAt(text, 0, options)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isFunction(node: { type: string }): node is FunctionNode {
  return node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
}
