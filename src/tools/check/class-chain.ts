/**
 * Classes and the classes that they extend.
 *
 * @module
 */
import { JSONRPCController, RPCController, XMLRPCController } from '../../rpc/controllers/rpc-controller.ts'
import { DEFAULT_FACES } from '../../rpc/controllers/service-controller.ts'
import { constantOf, frameworkName, meaningOf } from './lookup.ts'
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
  /** The faces that a service has unless it declares others. */
  readonly faces: readonly string[]
}

/** Classes of the framework whose methods belong to a service, with their default faces. */
export const SERVICES: ReadonlyMap<string, readonly string[]> = new Map(
  [RPCController, XMLRPCController, JSONRPCController].map((each) => [each.name, each[DEFAULT_FACES]]),
)

/** Maximum number of base classes. */
const MAX_LENGTH = 50

/** Returns a class with the classes that it extends. */
export function classChain(first: Located<ClassNode>): ClassChain {
  const classes = [first]
  for (let last = first; classes.length < MAX_LENGTH; ) {
    const { superClass } = last.node
    if (superClass === null) return { classes, base: 'none', faces: [] }
    const base = baseClass(last.module, superClass)
    if (base === undefined || typeof base === 'string') {
      const faces = SERVICES.get(base ?? '')
      if (faces !== undefined) return { classes, base: 'service', faces }
      return { classes, base: base === 'WSGIController' ? 'controller' : 'unknown', faces: [] }
    }
    classes.push(base)
    last = base
  }
  return { classes, base: 'unknown', faces: [] }
}

/** Returns the class that an expression names or is, or the name of the framework's class. */
function baseClass(from: SourceModule, expression: SyntaxNode): Located<ClassNode> | string | undefined {
  const { module, node } = constantOf(from, expression)
  if (isClassNode(node)) return { module, node }
  const meaning = meaningOf(module, node)
  if (meaning?.kind === 'local' && meaning.declaration.kind === 'class') {
    return { module: meaning.module, node: meaning.declaration.node }
  }
  return frameworkName(module, node)
}

/** Returns the class that an expression names or is, or undefined. */
export function classOf(from: SourceModule, expression: SyntaxNode): Located<ClassNode> | undefined {
  const base = baseClass(from, unwrap(expression))
  return typeof base === 'string' ? undefined : base
}
