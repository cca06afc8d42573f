/**
 * The decorators of methods: passed to `decorate()` or written before a method.
 *
 * @module
 */
import { classOf } from './class-chain.ts'
import { constantOf, frameworkName } from './lookup.ts'
import { type Decorated, type Decoration, type Located, placeOf, textOf } from './model.ts'
import type { SourceModule } from './modules.ts'
import { propertiesOf } from './static-args.ts'
import { type ClassNode, is, keyName, type Of, type SyntaxNode, unwrap } from './syntax.ts'

/** The decorators of the methods of a class. */
export interface Decorations {
  readonly decorated: readonly Decorated[]
  /** False if there may be further decorators. */
  readonly isComplete: boolean
}

/** Returns the decorators of a class's own methods. */
export function readDecorations({ module, node }: Located<ClassNode>): Decorations {
  const names = ([first]: readonly SyntaxNode[]) => first && classOf(module, first)?.node === node
  const isThis = ([first]: readonly SyntaxNode[]) => first && is(unwrap(first), 'ThisExpression')
  const inside = node.body.body.flatMap((member) =>
    is(member, 'StaticBlock') ? decorateCalls(module, member.body) : [],
  )
  const calls = [
    ...inside.filter(({ arguments: given }) => isThis(given) || names(given)),
    ...decorateCalls(module, module.tree.body).filter(({ arguments: given }) => names(given)),
  ].map((call) => decorationsIn(module, call))
  const written = node.body.body.flatMap((member): Decorated[] => {
    if (!is(member, 'MethodDefinition') || member.static || member.decorators === undefined) return []
    const method = keyName(member.key, member.computed)
    if (method === undefined) return []
    const decorations = member.decorators.map(({ expression }) => decoration(module, expression))
    return [{ method, place: placeOf(module, member.key), decorations }]
  })
  return {
    decorated: [...written, ...calls.flatMap(({ decorated }) => decorated)],
    isComplete: calls.every(({ isComplete }) => isComplete),
  }
}

/** Returns the calls of `decorate` among some statements. */
function decorateCalls(module: SourceModule, statements: readonly SyntaxNode[]): Of<'CallExpression'>[] {
  return statements.flatMap((statement) => {
    const call = is(statement, 'ExpressionStatement') ? unwrap(statement.expression) : undefined
    if (!is(call, 'CallExpression')) return []
    return frameworkName(module, call.callee) === 'decorate' ? [call] : []
  })
}

function decorationsIn(module: SourceModule, call: Of<'CallExpression'>): Decorations {
  const [, record] = call.arguments
  const properties = record && propertiesOf(module, record)
  if (properties === undefined) return { decorated: [], isComplete: false }
  let { isComplete } = properties
  const decorated: Decorated[] = []
  for (const [method, entry] of properties.entries) {
    const list = constantOf(entry.module, entry.node)
    if (!is(list.node, 'ArrayExpression')) {
      isComplete = false
      continue
    }
    const decorations = list.node.elements.flatMap((element) =>
      element === null ? [] : [decoration(list.module, element)],
    )
    decorated.push({ method, place: placeOf(entry.key.module, entry.key.node), decorations })
  }
  return { decorated, isComplete }
}

function decoration(from: SourceModule, expression: SyntaxNode): Decoration {
  const { module, node } = constantOf(from, expression)
  const callee = is(node, 'CallExpression') ? node.callee : node
  return {
    decorator: frameworkName(module, callee),
    text: textOf(module, node),
    arguments: is(node, 'CallExpression') ? node.arguments.map((one) => constant(module, one)) : [],
    module,
    place: placeOf(module, node),
  }
}

/** Returns the value of an argument that names a constant of the same module. */
function constant(module: SourceModule, argument: SyntaxNode): SyntaxNode {
  const value = constantOf(module, argument)
  return value.module === module ? value.node : argument
}
