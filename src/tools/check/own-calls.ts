/**
 * Calls of a framework method in a controller: `this.render()`, `this.t()`.
 *
 * @module
 */
import { ClassFunctions } from './class-functions.ts'
import type { ControllerModel } from './model.ts'
import type { SourceModule } from './modules.ts'
import { is, memberName, nodesOfThis, type Of, objectEntries, type SyntaxNode, unwrap } from './syntax.ts'

/** A call of a method of the controller itself. */
export interface OwnCall {
  /** Class and member that contain the call. */
  readonly label: string
  readonly module: SourceModule
  readonly call: Of<'CallExpression'>
}

/** Returns the calls of `this.NAME()` in the functions of a controller that does not replace the method. */
export function ownCalls({ classes, className }: ControllerModel, name: string): OwnCall[] {
  const functions = new ClassFunctions(classes, className)
  if (functions.named(name) !== undefined) return []
  return functions.all.flatMap(({ label, module, node }) =>
    nodesOfThis(node).flatMap((call) => (isOwnCall(call, name) ? [{ label, module, call }] : [])),
  )
}

/** Returns true for a call of `this.NAME()`. */
export function isOwnCall(node: SyntaxNode, name: string): node is Of<'CallExpression'> {
  const callee = is(node, 'CallExpression') ? unwrap(node.callee) : undefined
  return (
    is(callee, 'MemberExpression') &&
    is(unwrap(callee.object), 'ThisExpression') &&
    memberName(callee) === name
  )
}

/** Returns true if a controller passes a value of a name to a template. */
export function passesValue(model: ControllerModel, name: string): boolean {
  return ownCalls(model, 'render').some(
    ({ call }) => objectEntries(call.arguments[1])?.entries.has(name) === true,
  )
}
