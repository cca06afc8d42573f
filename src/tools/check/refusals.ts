/**
 * Hooks that can refuse a request: they throw, or call a function that does.
 *
 * @module
 */
import { ClassFunctions } from './class-functions.ts'
import { constantOf, frameworkName, meaningOf } from './lookup.ts'
import type { ControllerModel, Located } from './model.ts'
import type { SourceModule } from './modules.ts'
import { parseFunctionText } from './parse.ts'
import {
  type FunctionNode,
  is,
  isClassNode,
  isFunctionNode,
  memberName,
  nodesIn,
  type Of,
  objectEntries,
  type SyntaxNode,
  unwrap,
} from './syntax.ts'

/** Functions of the framework that end a request. */
const REFUSING: ReadonlySet<string | undefined> = new Set(['abort', 'redirect'])

/**
 * Returns true if a method of a controller can refuse a request: the method itself or a function that it calls throws,
 * also by `abort()` or `redirect()`. Calls of functions in packages do not count, because their sources are not read.
 */
export function canRefuse(model: ControllerModel, name: string): boolean {
  return new Refusals(model).ofMethod(name)
}

class Refusals {
  readonly #model: ControllerModel
  readonly #functions: ClassFunctions
  readonly #visited = new Set<object>()

  constructor(model: ControllerModel) {
    this.#model = model
    this.#functions = new ClassFunctions(model.classes, model.className)
  }

  /** Returns true if a method can refuse, as far as its source shows, or its own text if it is of a loaded class. */
  ofMethod(name: string): boolean {
    const own = this.#functions.named(name)
    if (own !== undefined) return this.#refuses(own.node, own.module, own.index)
    const loaded = this.#model.methods.get(name)?.loaded
    if (loaded === undefined || this.#visited.has(loaded)) return false
    this.#visited.add(loaded)
    const node = parseFunctionText(String(loaded))
    return node === undefined || this.#refuses(node) // Nothing is known of a bound or native function.
  }

  /**
   * @param module - the module of the function. Undefined for a function of a loaded class.
   * @param index - the index of the class whose `this` the function has. Undefined for a function without one.
   */
  #refuses(node: FunctionNode, module?: SourceModule, index?: number): boolean {
    if (this.#visited.has(node)) return false
    this.#visited.add(node)
    const hasThis = module === undefined || index !== undefined
    return uncaughtNodes(node).some(
      (inner) =>
        is(inner, 'ThrowStatement') ||
        (hasThis && is(inner, 'MemberExpression') && this.#readsRefusing(inner, index)) ||
        (is(inner, 'CallExpression') && this.#callsRefusing(unwrap(inner.callee), module)),
    )
  }

  /** Returns true for a method or a getter of the class that can refuse. A method may also be passed on as a callback. */
  #readsRefusing(expression: Of<'MemberExpression'>, index = 0): boolean {
    const own = this.#functions.read(expression, index)
    if (own !== undefined) return this.#refuses(own.node, own.module, own.index)
    const name = is(expression.object, 'ThisExpression') ? memberName(expression) : undefined
    return name !== undefined && this.ofMethod(name)
  }

  #callsRefusing(callee: SyntaxNode, module: SourceModule | undefined): boolean {
    if (isRejection(callee)) return true
    if (module === undefined) return is(callee, 'Identifier') && REFUSING.has(callee.name)
    if (REFUSING.has(frameworkName(module, callee))) return true
    const meaning = meaningOf(module, callee)
    if (meaning?.kind === 'local' && isFunctionNode(meaning.declaration.node)) {
      return this.#refuses(meaning.declaration.node, meaning.module)
    }
    const member = memberFunction(module, callee)
    return member !== undefined && this.#refuses(member.node, member.module)
  }
}

/** Returns the function of an object literal or the static method of a class: `auth.require(…)`. */
function memberFunction(module: SourceModule, callee: SyntaxNode): Located<FunctionNode> | undefined {
  const name = memberName(callee)
  if (!is(callee, 'MemberExpression') || name === undefined) return undefined
  const owner = constantOf(module, callee.object)
  const meaning = meaningOf(owner.module, owner.node)
  const node = meaning?.kind === 'local' ? meaning.declaration.node : owner.node
  const inside = meaning?.kind === 'local' ? meaning.module : owner.module
  if (isClassNode(node)) return new ClassFunctions([{ module: inside, node }], '', true).named(name)
  const value = objectEntries(node)?.entries.get(name)?.value
  return isFunctionNode(value) ? { module: inside, node: value } : undefined
}

/** Returns the nodes of a function, without the blocks whose errors a `catch` receives, and without functions that it only stores. */
function uncaughtNodes(node: FunctionNode): SyntaxNode[] {
  const skipped = new Set<SyntaxNode>()
  for (const inner of nodesIn(node)) {
    if (is(inner, 'TryStatement') && inner.handler !== null) skipped.add(inner.block)
    if (
      is(inner, 'AssignmentExpression') &&
      is(inner.left, 'MemberExpression') &&
      isFunctionNode(inner.right)
    )
      skipped.add(inner.right)
  }
  return nodesIn(node, (inner) => !skipped.has(inner) && !isClassNode(inner))
}

function isRejection(callee: SyntaxNode): boolean {
  if (!is(callee, 'MemberExpression') || memberName(callee) !== 'reject') return false
  const owner = unwrap(callee.object)
  return is(owner, 'Identifier') && owner.name === 'Promise'
}
