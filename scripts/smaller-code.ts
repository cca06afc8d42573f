/** Makes the code of the build smaller, and keeps the names and lines that stack traces and debuggers show. */
import {
  type MethodDefinition,
  type Node,
  Parser,
  type PrivateIdentifier,
  type VariableDeclarator,
} from 'acorn'
import { minify } from 'terser'

/** Stands for the `#` of private methods, which terser would rename, and does not rename as names of properties. */
const PRIVATE = '$private_'

const SYNTAX = { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true } as const

/** Properties of nodes that hold statements or members of a class in an array. */
const LISTS: ReadonlySet<string> = new Set(['body', 'consequent'])

/**
 * Returns a module with short names for parameters, local variables and private fields, and without white space but one line for
 * each statement, each variable and each member of a class.
 *
 * The names of functions, classes and methods stay, also of private methods, and so does everything outside functions.
 */
export async function shortenCode(code: string): Promise<string> {
  const nodes = [...nodesOf(Parser.parse(code, SYNTAX))]
  const methods = new Set(nodes.flatMap(privateMethod))
  const hashes = nodes.filter((node) => isPrivate(node) && methods.has(node.name)).map(({ start }) => start)
  const reserved = nodes.flatMap(localFunction)
  const { code: short = '' } = await minify(insert(code, hashes, PRIVATE, 1), {
    // Leaves out braces, and joins declarations that follow each other.
    compress: { defaults: false, module: false, join_vars: true },
    // `module: false`: the names of what is outside functions stay.
    mangle: { module: false, keep_fnames: true, keep_classnames: true, toplevel: false, reserved },
    module: true,
    format: { semicolons: false, preserve_annotations: true },
  })
  return withLines(short.replaceAll(PRIVATE, '#'))
}

/** Returns the name of a variable that holds a function, whose name is that of the variable. */
function localFunction(node: Node): string[] {
  if (!isDeclarator(node) || node.id.type !== 'Identifier') return []
  return /Function|Class/.test(node.init?.type ?? '') ? [node.id.name] : []
}

function privateMethod(node: Node): string[] {
  return isMethod(node) && isPrivate(node.key) ? [node.key.name] : []
}

/** Begins a line for each statement and each declared variable. A new line never changes the meaning there. */
function withLines(code: string): string {
  const listed = [...nodesOf(Parser.parse(code, SYNTAX))].flatMap((node) =>
    Object.entries(node).flatMap(([key, value]) => {
      if (!Array.isArray(value)) return []
      // The first one follows `const`.
      return key === 'declarations' ? value.slice(1) : LISTS.has(key) ? value : []
    }),
  )
  const starts = listed.filter(isNode).map(({ start }) => start)
  return insert(
    code,
    starts.filter((start) => start > 0 && code[start - 1] !== '\n'),
    '\n',
    0,
  )
}

/** Returns a text with another at each of the positions instead of the characters there. */
function insert(text: string, positions: readonly number[], inserted: string, replaced: number): string {
  const ends = positions.toSorted((a, b) => a - b)
  const starts = [0, ...ends.map((position) => position + replaced)]
  return starts.map((start, index) => text.slice(start, ends[index])).join(inserted)
}

/** Returns a node and all within it. */
function* nodesOf(node: Node): Generator<Node> {
  yield node
  for (const value of Object.values(node)) {
    for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) yield* nodesOf(each)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'start' in value && 'type' in value
}

function isDeclarator(node: Node): node is VariableDeclarator {
  return node.type === 'VariableDeclarator'
}

function isMethod(node: Node): node is MethodDefinition {
  return node.type === 'MethodDefinition'
}

function isPrivate(node: Node): node is PrivateIdentifier {
  return node.type === 'PrivateIdentifier'
}
