/** Parses the source of methods. */
import { type Function as FunctionNode, parseExpressionAt } from 'acorn'

/**
 * Scopes are not checked: private names and `super` refer to a class that is not part of the text. `allowImportExportEverywhere`
 * allows `import.meta`; as modules, functions of scripts in sloppy mode could not be parsed.
 */
const options = {
  ecmaVersion: 'latest',
  checkPrivateFields: false,
  allowImportExportEverywhere: true,
} as const

/**
 * Parses the source text of a method or function.
 *
 * @throws SyntaxError - the text is not a function, as for native and bound functions.
 */
export function parseFunction(source: string): FunctionNode {
  // The text of a method is valid only inside an object literal, the text of a function only as an expression.
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
