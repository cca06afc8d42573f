/**
 * The promises of a controller's own methods: which functions return them, and which expressions have them as values.
 *
 * @module
 */

import { isPromiseType } from './annotations.ts'
import { type ClassFunction, ClassFunctions } from './class-functions.ts'
import { nameIn } from './lookup.ts'
import { type ControllerModel, type Located, textOf } from './model.ts'
import type { SourceModule } from './modules.ts'
import { isThis, type Scope, scopeInside, scopeOf } from './scope.ts'
import {
  type FunctionNode,
  is,
  isFunctionNode,
  memberName,
  type Of,
  ownNodes,
  returnedBy,
  type SyntaxNode,
  unwrap,
} from './syntax.ts'

/** The promise of a method that an expression has as its value. */
export interface MethodPromise {
  /** The call in the source: `super.__before__()`. */
  readonly text: string
  /** The name of the method that was called, or null for a function that waits for methods. */
  readonly method: string | null
  /** Whether a rejection is handled: `.catch(…)`. */
  readonly isHandled: boolean
  /** Whether the value is a list with the promise in it. */
  readonly isListed?: boolean
}

/** Functions of Promise that combine promises of a list. */
const COMBINATORS: ReadonlySet<string | undefined> = new Set(['all', 'allSettled', 'any', 'race'])

/** Methods of promises that return another one. */
const CHAINED: ReadonlySet<string | undefined> = new Set(['then', 'catch', 'finally'])

/** Finds the promises of the methods of one controller. */
export class MethodPromises {
  /** The functions whose promises are known, of instances and of the classes. */
  readonly functions: readonly ClassFunction[]
  readonly #instance: ClassFunctions
  readonly #statics: ClassFunctions
  readonly #classNames: readonly (string | undefined)[]
  readonly #known = new Map<FunctionNode, boolean>()

  constructor({ classes, className }: ControllerModel) {
    this.#instance = new ClassFunctions(classes, className)
    this.#statics = new ClassFunctions(classes, className, true)
    this.functions = [...this.#instance.all, ...this.#statics.all]
    this.#classNames = classes.map(({ node }) => node.id?.name)
  }

  /** Returns the promise of a method that an expression has as its value, or undefined if it certainly has none. */
  of(expression: SyntaxNode, scope: Scope): MethodPromise | undefined {
    const node = unwrap(expression)
    if (is(node, 'ConditionalExpression'))
      return this.of(node.consequent, scope) ?? this.of(node.alternate, scope)
    if (is(node, 'LogicalExpression')) return this.of(node.right, scope) ?? this.of(node.left, scope)
    if (is(node, 'SequenceExpression')) {
      const last = node.expressions.at(-1)
      return last && this.of(last, scope)
    }
    if (is(node, 'CallExpression')) return this.#called(node, scope)
    const own = is(node, 'MemberExpression') ? this.#own(node, scope) : undefined
    return own?.isGetter ? this.#ofOwn(own, textOf(scope.module, node)) : undefined
  }

  /** Returns the promise in a list: `[this.a()]`, `names.map((name) => this.a(name))`. */
  ofList(expression: SyntaxNode, scope: Scope): MethodPromise | undefined {
    const node = unwrap(expression)
    const text = textOf(scope.module, node)
    if (is(node, 'ArrayExpression')) {
      const found = firstOf(node.elements, (element) => element && this.of(element, scope))
      if (found) return { ...found, text, isListed: true }
    }
    if (!is(node, 'CallExpression')) return undefined
    const callee = unwrap(node.callee)
    const name = memberName(callee)
    const [first, second] = node.arguments
    const isFrom = is(callee, 'MemberExpression') && name === 'from' && isGlobal(callee.object, 'Array')
    const callback = isFrom ? second : name === 'map' || name === 'flatMap' ? first : undefined
    const found = callback && this.ofCallback(callback, scope)
    return found && { ...found, text, isListed: true }
  }

  /** Returns true if calling a function of a class returns a promise, or may do so. */
  returned(own: ClassFunction): boolean {
    return this.#returns(own, scopeOf(own))
  }

  /** Returns the promise of a method for which a function passed as a callback waits, or which it returns. */
  ofCallback(callback: SyntaxNode, scope: Scope): MethodPromise | undefined {
    const node = unwrap(callback)
    if (!isFunctionNode(node)) return undefined
    if (!is(node.body, 'BlockStatement')) {
      const value = unwrap(node.body)
      return this.of(is(value, 'AwaitExpression') ? value.argument : value, scope)
    }
    const calls = ownNodes(node).filter((inner) => is(inner, 'CallExpression'))
    return firstOf(node.async ? calls : returnedBy(node), (value) => this.of(value, scope))
  }

  #called(call: Of<'CallExpression'>, scope: Scope): MethodPromise | undefined {
    const callee = unwrap(call.callee)
    const text = textOf(scope.module, call)
    const own = this.#own(callee, scope)
    if (own !== undefined) return own.isGetter ? undefined : this.#ofOwn(own, text)
    if (isFunctionNode(callee)) return this.#ofFunction(callee, text, scope)
    if (is(callee, 'Identifier')) return this.#named(callee, text, scope)
    if (!is(callee, 'MemberExpression')) return undefined
    const name = memberName(callee)
    if (is(callee.object, 'Super')) {
      // The framework's own `__call__` returns a promise if anything in it does.
      return name === '__call__' ? { text, method: name, isHandled: false } : undefined
    }
    const owner = unwrap(callee.object)
    if (isGlobal(owner, 'Promise') && COMBINATORS.has(name)) {
      const [list] = call.arguments
      const found = list && this.ofList(list, scope)
      return found && { ...found, text, isListed: false }
    }
    if (!CHAINED.has(name)) return undefined
    const found = this.of(owner, scope)
    const handles = name === 'catch' || (name === 'then' && call.arguments.length > 1)
    return found && { ...found, isHandled: found.isHandled || handles }
  }

  /** Returns the member of the class that an expression reads or calls: `this.a`, `UsersController.a`, `this.a.call`. */
  #own(expression: SyntaxNode, scope: Scope): ClassFunction | undefined {
    const node = unwrap(expression)
    const members = scope.isStatic ? this.#statics : this.#instance
    if (is(node, 'Identifier')) {
      const meaning = scope.locals.get(node.name)
      return meaning?.kind === 'member' ? members.named(meaning.name) : undefined
    }
    if (!is(node, 'MemberExpression')) return undefined
    const own = members.read(node, scope.index, (object) => isThis(object, scope))
    if (own !== undefined) return own
    const name = memberName(node)
    if (name === 'call' || name === 'apply') return this.#own(node.object, scope)
    const from = this.#classIndex(unwrap(node.object), scope)
    return from < 0 || name === undefined ? undefined : this.#statics.named(name, from)
  }

  /** Returns the index of the class that an expression names, or -1. */
  #classIndex(object: SyntaxNode, scope: Scope): number {
    if (is(object, 'Identifier'))
      return scope.locals.has(object.name) ? -1 : this.#classNames.indexOf(object.name)
    const isConstructor = is(object, 'MemberExpression') && memberName(object) === 'constructor'
    return isConstructor && isThis(unwrap(object.object), scope) ? 0 : -1
  }

  #ofOwn(own: ClassFunction, text: string): MethodPromise | undefined {
    return this.returned(own) ? { text, method: own.name, isHandled: false } : undefined
  }

  /** Returns the promise of a function that is a constant of the method or a function of the project. */
  #named({ name }: Of<'Identifier'>, text: string, scope: Scope): MethodPromise | undefined {
    if (scope.locals.has(name)) {
      const local = scope.locals.get(name)
      return local?.kind === 'function' ? this.#ofFunction(local.node, text, scope) : undefined
    }
    if (!scope.isGuard) return undefined
    const meaning = nameIn(scope.module, name)
    if (meaning?.kind !== 'local' || !isFunctionNode(meaning.declaration.node)) return undefined
    const { node } = meaning.declaration
    const returns = this.#returns(
      { module: meaning.module, node },
      { ...scope, module: meaning.module, locals: new Map() },
    )
    return returns ? { text, method: null, isHandled: false } : undefined
  }

  /** Returns the promise of a function without a `this` of its own. In a guard each counts. */
  #ofFunction(node: FunctionNode, text: string, scope: Scope): MethodPromise | undefined {
    const { module } = scope
    if (!this.#returns({ module, node }, scope)) return undefined
    if (scope.isGuard) return { text, method: null, isHandled: false }
    const found = this.ofCallback(node, scope)
    return found && { text, method: null, isHandled: found.isHandled }
  }

  #returns({ module, node }: Located<FunctionNode>, scope: Scope): boolean {
    const known = this.#known.get(node)
    if (known !== undefined) return known
    this.#known.set(node, false) // A function that calls itself.
    const returns =
      !node.generator &&
      (node.async ||
        isPromiseType(node.returnType?.typeAnnotation) ||
        this.#returnsValue(module, node, scope))
    this.#known.set(node, returns)
    return returns
  }

  #returnsValue(module: SourceModule, node: FunctionNode, scope: Scope): boolean {
    const inside = scopeInside(node, module, scope)
    return returnedBy(node).some((value) => isNewPromise(value) || this.of(value, inside) !== undefined)
  }
}

/** Returns the first result that a function has for one of some nodes. */
function firstOf<Node, Result>(
  nodes: readonly Node[],
  find: (node: Node) => Result | null | undefined,
): Result | undefined {
  for (const node of nodes) {
    const found = find(node)
    if (found) return found
  }
  return undefined
}

/** Returns true for `new Promise(…)`, `Promise.reject(…)` and the like. */
function isNewPromise(expression: SyntaxNode): boolean {
  const node = unwrap(expression)
  if (is(node, 'NewExpression')) return isGlobal(node.callee, 'Promise')
  const callee = is(node, 'CallExpression') ? unwrap(node.callee) : undefined
  return is(callee, 'MemberExpression') && isGlobal(callee.object, 'Promise')
}

function isGlobal(expression: SyntaxNode, name: string): boolean {
  const node = unwrap(expression)
  return is(node, 'Identifier') && node.name === name
}
