/**
 * Hooks that can refuse a request: they throw, or call a function that does.
 *
 * @module
 */
import { type ClassFunction, ClassFunctions } from './class-functions.ts'
import { constantOf, frameworkName, meaningOf } from './lookup.ts'
import type { ControllerModel, Located } from './model.ts'
import type { SourceModule } from './modules.ts'
import { parseFunctionText } from './parse.ts'
import {
  type FunctionNode,
  is,
  isClassNode,
  isFunctionNode,
  keyName,
  memberName,
  nodesIn,
  type Of,
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
  const functions = new ClassFunctions(model.classes, model.className)
  const own = functions.named(name)
  if (own !== undefined) return new Refusals(functions).of(own)
  return loadedRefuses(model, name, new Set())
}

class Refusals {
  readonly #functions: ClassFunctions
  readonly #visited = new Set<SyntaxNode>()

  constructor(functions: ClassFunctions) {
    this.#functions = functions
  }

  of({ module, node, index }: ClassFunction): boolean {
    return this.#refuses({ module, node }, index)
  }

  /** @param index - the index of the class whose `this` the function has, or -1 for a function without one. */
  #refuses({ module, node }: Located<FunctionNode>, index: number): boolean {
    if (this.#visited.has(node)) return false
    this.#visited.add(node)
    return uncaughtNodes(node).some(
      (inner) =>
        is(inner, 'ThrowStatement') ||
        (is(inner, 'MemberExpression') && this.#readsRefusing(inner, index)) ||
        (is(inner, 'CallExpression') && this.#callsRefusing(module, inner)),
    )
  }

  /** Returns true for a method or a getter of the class that can refuse. A method may also be passed on as a callback. */
  #readsRefusing(expression: Of<'MemberExpression'>, index: number): boolean {
    const own = index < 0 ? undefined : this.#functions.read(expression, index)
    return own !== undefined && this.of(own)
  }

  #callsRefusing(module: SourceModule, call: Of<'CallExpression'>): boolean {
    const callee = unwrap(call.callee)
    if (REFUSING.has(frameworkName(module, callee)) || isRejection(callee)) return true
    const meaning = meaningOf(module, callee)
    if (meaning?.kind === 'local' && isFunctionNode(meaning.declaration.node)) {
      return this.#refuses({ module: meaning.module, node: meaning.declaration.node }, -1)
    }
    const member = memberFunction(module, callee)
    return member !== undefined && this.#refuses(member, -1)
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
  const members = is(node, 'ObjectExpression')
    ? node.properties
    : isClassNode(node)
      ? node.body.body.filter((member) => is(member, 'MethodDefinition') && member.static)
      : []
  for (const member of members) {
    if (!is(member, 'Property', 'MethodDefinition') || keyName(member.key, member.computed) !== name) continue
    return isFunctionNode(member.value) ? { module: inside, node: member.value } : undefined
  }
  return undefined
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

/** Returns true if a method of a loaded class can refuse, as far as its own text and the methods that it calls show. */
function loadedRefuses(model: ControllerModel, name: string, visited: Set<string>): boolean {
  const loaded = model.methods.get(name)?.loaded
  if (visited.has(name) || loaded === undefined) return false
  visited.add(name)
  const node = parseFunctionText(String(loaded))
  if (node === undefined) return true // Bound or native: nothing is known.
  return uncaughtNodes(node).some((inner) => {
    if (is(inner, 'ThrowStatement')) return true
    if (is(inner, 'CallExpression')) {
      const callee = unwrap(inner.callee)
      if (is(callee, 'Identifier') && REFUSING.has(callee.name)) return true
      if (isRejection(callee)) return true
    }
    const called =
      is(inner, 'MemberExpression') && is(inner.object, 'ThisExpression') ? memberName(inner) : undefined
    return called !== undefined && loadedRefuses(model, called, visited)
  })
}
