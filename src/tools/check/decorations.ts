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
  const decorated: Decorated[] = []
  let isComplete = true
  const add = (call: Of<'CallExpression'>) => {
    const found = decorationsIn(module, call)
    decorated.push(...found.decorated)
    isComplete &&= found.isComplete
  }
  for (const member of node.body.body) {
    if (is(member, 'MethodDefinition') && !member.static && member.decorators !== undefined) {
      const method = keyName(member.key, member.computed)
      if (method === undefined) continue
      const decorations = member.decorators.map(({ expression }) => decoration(module, expression))
      decorated.push({ method, place: placeOf(module, member.key), decorations })
    } else if (is(member, 'StaticBlock')) {
      for (const call of decorateCalls(module, member.body)) {
        if (
          is(call.arguments[0] && unwrap(call.arguments[0]), 'ThisExpression') ||
          names(module, call, node)
        ) {
          add(call)
        }
      }
    }
  }
  for (const call of decorateCalls(module, module.tree.body)) if (names(module, call, node)) add(call)
  return { decorated, isComplete }
}

/** Returns the calls of `decorate` among some statements. */
function decorateCalls(module: SourceModule, statements: readonly SyntaxNode[]): Of<'CallExpression'>[] {
  return statements.flatMap((statement) => {
    const call = is(statement, 'ExpressionStatement') ? unwrap(statement.expression) : undefined
    if (!is(call, 'CallExpression')) return []
    return frameworkName(module, call.callee) === 'decorate' ? [call] : []
  })
}

/** Returns true if the first argument of a call names a class. */
function names(module: SourceModule, call: Of<'CallExpression'>, node: ClassNode): boolean {
  const [first] = call.arguments
  return first !== undefined && classOf(module, first)?.node === node
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
