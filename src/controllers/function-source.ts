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
 * returns the generator inside, which has the parameters.
 *
 * @throws SyntaxError - the text is not a function, as for native and bound functions.
 */
export function parseFunction(source: string): FunctionNode {
  // The text of a method is valid only inside an object literal, the text of a function only as an expression.
  const asMethod = attempt(`({${source}})`)
  if (asMethod?.type === 'ObjectExpression') {
    const [member] = asMethod.properties
    if (member?.type === 'Property' && isFunction(member.value)) return innerFunction(member.value)
  }
  const asExpression = attempt(`(${source})`)
  if (asExpression !== undefined && isFunction(asExpression)) return innerFunction(asExpression)
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

/**
 * Returns the indexes that a function reads from `arguments`, with the names of the variables that a compiler
 * declares for parameters with defaults: `let id = arguments.length > 0 && arguments[0] !== undefined ? arguments[0]
 * : 'world'` (Babel).
 */
export function argumentReads(parsed: FunctionNode): ReadonlyMap<number, string | undefined> {
  const reads = new Map<number, string | undefined>()
  function visit(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) visit(each)
    if (!isNode(value) || HAS_OWN_ARGUMENTS.has(value.type)) return
    const index = indexOfArguments(value)
    if (index !== undefined && !reads.has(index)) reads.set(index, undefined)
    const declared = declaredParameter(value)
    if (declared !== undefined) reads.set(declared.index, declared.name)
    for (const child of Object.values(value)) visit(child)
  }
  visit(parsed.body)
  return reads
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

/** Returns name and index for `id = … ? arguments[0] : …` in a declaration. */
function declaredParameter(node: AnyNode): { readonly name: string; readonly index: number } | undefined {
  if (node.type !== 'VariableDeclarator' || !isNode(node.id) || !isNode(node.init)) return undefined
  const { name } = node.id
  const index = isNode(node.init.consequent) ? indexOfArguments(node.init.consequent) : undefined
  return index === undefined || typeof name !== 'string' ? undefined : { name, index }
}
