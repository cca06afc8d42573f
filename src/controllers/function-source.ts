/** Parses the source of methods. */
import { type Function as FunctionNode, type Node, parseExpressionAt } from 'acorn'

/**
 * Scopes are not checked: private names and `super` refer to a class that is not part of the text.
 * `allowImportExportEverywhere` allows `import.meta`; as modules, functions of scripts in sloppy mode could not be
 * parsed.
 */
const options = {
  ecmaVersion: 'latest',
  checkPrivateFields: false,
  allowImportExportEverywhere: true,
} as const

/**
 * Parses the source text of a method or function. For an asynchronous one that a build rewrote for older runtimes it
 * returns the generator inside, which has the parameters. Undefined if the text is not a function, as for native and
 * bound functions.
 */
export function parseFunction(source: string): FunctionNode | undefined {
  // The text of a method is valid only inside an object literal, the text of a function only as an expression.
  const asMethod = attempt(`({${source}})`)
  if (asMethod?.type === 'ObjectExpression') {
    const [member] = asMethod.properties
    if (member?.type === 'Property' && isFunction(member.value)) return innerFunction(member.value)
  }
  const asExpression = attempt(`(${source})`)
  return asExpression !== undefined && isFunction(asExpression) ? innerFunction(asExpression) : undefined
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

/**
 * Returns the generator of a function that only passes its arguments to it: `return __async(this, arguments,
 * function* (id) { … })` of esbuild and TypeScript, `return _async(function* (id) { … }).apply(this, arguments)` of
 * Babel and SWC.
 */
function innerFunction(outer: FunctionNode): FunctionNode {
  const statement = outer.body.type === 'BlockStatement' ? outer.body.body.at(-1) : undefined
  const call = statement?.type === 'ReturnStatement' ? statement.argument : undefined
  if (call?.type !== 'CallExpression' || !call.arguments.some(isArguments)) return outer
  const { callee } = call
  const wrapper = callee.type === 'MemberExpression' ? callee.object : call
  const inner = wrapper.type === 'CallExpression' ? wrapper.arguments.at(-1) : undefined
  return inner?.type === 'FunctionExpression' && inner.generator ? inner : outer
}

function isArguments(node: { type: string; name?: string }): boolean {
  return node.type === 'Identifier' && node.name === 'arguments'
}

/** Returns the indexes that a function reads from `arguments`: of parameters without names. */
export function argumentReads(parsed: FunctionNode): number[] {
  const read = (value: unknown): number[] => {
    if (Array.isArray(value)) return value.flatMap(read)
    if (!isNode(value) || HAS_OWN_ARGUMENTS.has(value.type)) return []
    const index = indexOfArguments(value)
    return [...(index === undefined ? [] : [index]), ...Object.values(value).flatMap(read)]
  }
  return read(parsed.body)
}

/**
 * Returns true for a function that ends without a value: it neither returns one nor throws, as far as its own
 * statements say.
 */
export function returnsNothing({ body, generator }: FunctionNode): boolean {
  const ends = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.some(ends)
    if (!isNode(value) || HAS_OWN_ARGUMENTS.has(value.type) || value.type === 'ArrowFunctionExpression') return false
    if (value.type === 'ThrowStatement' || (value.type === 'ReturnStatement' && value.argument !== null)) return true
    return Object.values(value).some(ends)
  }
  const last = body.type === 'BlockStatement' ? body.body.at(-1) : undefined
  // A call at the end may throw, such as abort(404) or a fault.
  const mayThrow =
    last?.type === 'ExpressionStatement' &&
    last.expression.type === 'CallExpression' &&
    last.expression.callee.type === 'Identifier'
  return body.type === 'BlockStatement' && !generator && !mayThrow && !ends(body)
}

/** Types of nodes in which `arguments` has another meaning. */
const HAS_OWN_ARGUMENTS: ReadonlySet<string> = new Set([
  'FunctionExpression',
  'FunctionDeclaration',
  'ClassExpression',
  'ClassDeclaration',
])

interface AnyNode extends Node {
  readonly [key: string]: unknown
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** Returns 0 for the node of `arguments[0]`. */
function indexOfArguments(node: AnyNode): number | undefined {
  if (node.type !== 'MemberExpression' || !isNode(node.object) || !isNode(node.property)) return undefined
  const { value } = node.property
  return node.object.type === 'Identifier' && node.object.name === 'arguments' && typeof value === 'number'
    ? value
    : undefined
}
