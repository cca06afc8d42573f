/**
 * The names that a method declares, with the shapes of those that are certain.
 *
 * @module
 */
import { typeShape } from './annotations.ts'
import { Expressions } from './expressions.ts'
import type { Located, ParameterModel } from './model.ts'
import { ANY, type Shape } from './shapes.ts'
import { type FunctionNode, is, isFunctionNode, nodesIn, ownNodes, type SyntaxNode } from './syntax.ts'

/**
 * Returns the expressions inside a method, which can use its parameters and constants.
 *
 * A name with several declarations, or with a type of several kinds, which a condition may narrow, has no certain shape.
 */
export function expressionsIn(
  { module, node }: Located<FunctionNode>,
  parameters: readonly ParameterModel[],
): Expressions {
  const counts = new Map<string, number>()
  for (const name of declaredNames(node)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const locals = new Map<string, Shape>([...counts.keys()].map((name) => [name, ANY]))
  const expressions = new Expressions(module, locals)
  const learn = (name: string, shape: Shape) => {
    const kinds = new Set(shape.map(({ kind }) => kind))
    if (counts.get(name) === 1 && kinds.size === 1) locals.set(name, shape)
  }
  for (const { name, shape } of parameters)
    if (shape !== undefined && !isAssigned(node, name)) learn(name, shape)
  for (const statement of ownNodes(node)) {
    if (!is(statement, 'VariableDeclaration') || statement.kind !== 'const') continue
    for (const { id, init } of statement.declarations) {
      if (!is(id, 'Identifier') || init === null) continue
      learn(id.name, id.typeAnnotation ? typeShape(module, id.typeAnnotation) : expressions.shape(init))
    }
  }
  return expressions
}

/** Returns the names that a function and the functions inside it declare, as often as they do. */
function declaredNames(root: FunctionNode): string[] {
  return nodesIn(root).flatMap((node) => {
    const own =
      is(node, 'FunctionDeclaration', 'ClassDeclaration', 'ClassExpression') && node.id ? [node.id] : []
    if (isFunctionNode(node)) return [...own, ...node.params].flatMap(boundNames)
    if (is(node, 'VariableDeclarator')) return boundNames(node.id)
    if (is(node, 'CatchClause') && node.param !== null) return boundNames(node.param)
    return own.flatMap(boundNames)
  })
}

/** Returns all names in a pattern. Names of defaults and types are among them, which makes them uncertain as well. */
function boundNames(pattern: SyntaxNode): string[] {
  return nodesIn(pattern, (node) => !node.type.startsWith('TS')).flatMap((node) =>
    is(node, 'Identifier') ? [node.name] : [],
  )
}

function isAssigned(root: FunctionNode, name: string): boolean {
  return nodesIn(root).some(
    (node) => is(node, 'AssignmentExpression') && boundNames(node.left).includes(name),
  )
}
