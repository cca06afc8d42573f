/**
 * Classes and the classes that they extend.
 *
 * @module
 */
import { frameworkName, type Lookup } from './lookup.ts'
import type { Located } from './model.ts'
import type { SourceModule } from './modules.ts'
import { type ClassNode, isClassNode, type SyntaxNode, unwrap } from './syntax.ts'

/** The application's own classes of a controller and the class of the framework behind them. */
export interface ClassChain {
  /** The class and those that it extends, nearest first. */
  readonly classes: readonly Located<ClassNode>[]
  /**
   * The class of the framework that the last one extends. `service` is one whose actions are methods of a service,
   * `none` a class that extends nothing, `unknown` a class that is not in the project's files.
   */
  readonly base: 'controller' | 'service' | 'none' | 'unknown'
}

/** Classes of the framework whose methods are those of a service. */
const SERVICES: ReadonlySet<string> = new Set(['XMLRPCController', 'JSONRPCController', 'RPCController'])

/** Maximum number of base classes. */
const MAX_LENGTH = 50

/** Returns a class with the classes that it extends. */
export function classChain(lookup: Lookup, first: Located<ClassNode>): ClassChain {
  const classes = [first]
  for (let last = first; classes.length < MAX_LENGTH; ) {
    const { superClass } = last.node
    if (superClass === null) return { classes, base: 'none' }
    const base = baseClass(lookup, last.module, superClass)
    if (typeof base === 'string') return { classes, base }
    classes.push(base)
    last = base
  }
  return { classes, base: 'unknown' }
}

function baseClass(
  lookup: Lookup,
  from: SourceModule,
  expression: SyntaxNode,
): Located<ClassNode> | 'controller' | 'service' | 'unknown' {
  const { module, node } = lookup.value(from, expression)
  if (isClassNode(node)) return { module, node }
  const meaning = lookup.expression(module, node)
  if (meaning?.kind === 'local' && meaning.declaration.kind === 'class') {
    return { module: meaning.module, node: meaning.declaration.node }
  }
  const name = frameworkName(meaning)
  if (name === 'WSGIController') return 'controller'
  return name !== undefined && SERVICES.has(name) ? 'service' : 'unknown'
}

/** Returns the class that an expression names or is, or undefined. */
export function classOf(
  lookup: Lookup,
  from: SourceModule,
  expression: SyntaxNode,
): Located<ClassNode> | undefined {
  const base = baseClass(lookup, from, unwrap(expression))
  return typeof base === 'string' ? undefined : base
}
