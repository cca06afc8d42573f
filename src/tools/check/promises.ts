/**
 * The promises of a controller's own methods: which functions return them, and which expressions have them as values.
 *
 * @module
 */
import type { ClassFunction, ClassFunctions } from './class-functions.ts'
import type { Lookup } from './lookup.ts'
import { type Located, textOf } from './model.ts'
import type { SourceModule } from './modules.ts'
import {
  type FunctionNode,
  is,
  isClassNode,
  isFunctionNode,
  memberName,
  nodesIn,
  type Of,
  ownNodes,
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
}

/** The place of an expression: its module, the class around it, and the functions that names stand for. */
export interface Scope {
  readonly module: SourceModule
  /** The index of the class in the chain. */
  readonly index: number
  readonly locals: ReadonlyMap<string, FunctionNode>
  /** Whether promises of all functions of the project count, because the code decides who may go on. */
  readonly isGuard: boolean
}

/** Returns the scope of the code of a member. */
export function scopeOf({ module, node, index, name }: ClassFunction): Scope {
  return { module, index, locals: localFunctions(node), isGuard: name === '__before__' }
}

/** Functions of Promise that combine promises of a list. */
const COMBINATORS: ReadonlySet<string | undefined> = new Set(['all', 'allSettled', 'any', 'race'])

/** Methods of promises that return another one. */
const CHAINED: ReadonlySet<string | undefined> = new Set(['then', 'catch', 'finally'])

/** Finds the promises of the methods of one controller. */
export class MethodPromises {
  readonly #functions: ClassFunctions
  readonly #lookup: Lookup
  readonly #known = new Map<FunctionNode, boolean>()

  constructor(functions: ClassFunctions, lookup: Lookup) {
    this.#functions = functions
    this.#lookup = lookup
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
    return is(node, 'CallExpression') ? this.#called(node, scope) : undefined
  }

  /** Returns true if calling a function of a class returns a promise, or may do so. */
  returned(own: ClassFunction): boolean {
    return this.#returns(own, scopeOf(own))
  }

  /** Returns the promise of a method for which a function passed as a callback waits, or which it returns. */
  ofCallback(callback: SyntaxNode, scope: Scope): MethodPromise | undefined {
    const node = unwrap(callback)
    if (!isFunctionNode(node)) return undefined
    if (!node.async && is(node.body, 'BlockStatement')) {
      for (const inner of ownNodes(node)) {
        const found =
          is(inner, 'ReturnStatement') && inner.argument ? this.of(inner.argument, scope) : undefined
        if (found !== undefined) return found
      }
      return undefined
    }
    return is(node.body, 'BlockStatement') ? this.#awaited(node, scope) : this.#valueOf(node.body, scope)
  }

  /** Returns the promise of an arrow function's expression, awaited or not. */
  #valueOf(body: SyntaxNode, scope: Scope): MethodPromise | undefined {
    const node = unwrap(body)
    return this.of(is(node, 'AwaitExpression') ? node.argument : node, scope)
  }

  /** Returns the first promise of a method for which an asynchronous function waits. */
  #awaited(node: FunctionNode, scope: Scope): MethodPromise | undefined {
    for (const inner of ownNodes(node)) {
      if (!is(inner, 'CallExpression')) continue
      const found = this.of(inner, scope)
      if (found !== undefined) return found
    }
    return undefined
  }

  #called(call: Of<'CallExpression'>, scope: Scope): MethodPromise | undefined {
    const callee = unwrap(call.callee)
    const text = textOf(scope.module, call)
    const own = this.#functions.read(callee, scope.index)
    if (own !== undefined) {
      return !own.isGetter && this.returned(own) ? { text, method: own.name, isHandled: false } : undefined
    }
    if (isFunctionNode(callee)) return this.#ofFunction(callee, text, scope)
    if (is(callee, 'Identifier')) return this.#named(callee, text, scope)
    if (!is(callee, 'MemberExpression')) return undefined
    const name = memberName(callee)
    if (is(callee.object, 'Super')) {
      // The framework's own `__call__` returns a promise if anything in it does.
      return name === '__call__' ? { text, method: name, isHandled: false } : undefined
    }
    const owner = unwrap(callee.object)
    if (is(owner, 'Identifier') && owner.name === 'Promise' && COMBINATORS.has(name)) {
      const found = this.#listed(call, scope)
      return found && { ...found, text }
    }
    if (!CHAINED.has(name)) return undefined
    const found = this.of(owner, scope)
    const handles = name === 'catch' || (name === 'then' && call.arguments.length > 1)
    return found && { ...found, isHandled: found.isHandled || handles }
  }

  /** Returns the promise of a function that is a constant of the method or a function of the project. */
  #named({ name }: Of<'Identifier'>, text: string, scope: Scope): MethodPromise | undefined {
    const local = scope.locals.get(name)
    if (local !== undefined) return this.#ofFunction(local, text, scope)
    if (!scope.isGuard) return undefined
    const meaning = this.#lookup.name(scope.module, name)
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

  /** Returns the promise among the promises of `Promise.all([…])` or `Promise.all(list.map(…))`. */
  #listed({ arguments: [list] }: Of<'CallExpression'>, scope: Scope): MethodPromise | undefined {
    const node = list && unwrap(list)
    if (is(node, 'ArrayExpression')) {
      for (const element of node.elements) {
        const found = element === null ? undefined : this.of(element, scope)
        if (found !== undefined) return found
      }
    }
    if (!is(node, 'CallExpression') || memberName(unwrap(node.callee)) !== 'map') return undefined
    const [callback] = node.arguments
    return callback && this.ofCallback(callback, scope)
  }

  #returns({ module, node }: Located<FunctionNode>, scope: Scope): boolean {
    const known = this.#known.get(node)
    if (known !== undefined) return known
    this.#known.set(node, false) // A function that calls itself.
    const returns =
      !node.generator && (node.async || isPromiseType(node) || this.#returnsValue(module, node, scope))
    this.#known.set(node, returns)
    return returns
  }

  #returnsValue(module: SourceModule, node: FunctionNode, scope: Scope): boolean {
    const inside = { ...scope, module, locals: new Map([...scope.locals, ...localFunctions(node)]) }
    const values = is(node.body, 'BlockStatement')
      ? ownNodes(node).flatMap((inner) =>
          is(inner, 'ReturnStatement') && inner.argument ? [inner.argument] : [],
        )
      : [node.body]
    return values.some((value) => isNewPromise(value) || this.of(value, inside) !== undefined)
  }
}

/** Returns true if a function declares a promise as its result. */
function isPromiseType({ returnType }: FunctionNode): boolean {
  const type = returnType?.typeAnnotation
  return (
    is(type, 'TSTypeReference') &&
    is(type.typeName, 'Identifier') &&
    ['Promise', 'PromiseLike'].includes(type.typeName.name)
  )
}

/** Returns true for `new Promise(…)`, `Promise.reject(…)` and the like. */
function isNewPromise(expression: SyntaxNode): boolean {
  const node = unwrap(expression)
  const callee = is(node, 'NewExpression', 'CallExpression') ? unwrap(node.callee) : undefined
  const owner = is(callee, 'MemberExpression')
    ? unwrap(callee.object)
    : is(node, 'NewExpression')
      ? callee
      : undefined
  return is(owner, 'Identifier') && owner.name === 'Promise'
}

/** Returns the functions that constants and declarations of a function name. A name with two meanings has none. */
function localFunctions(root: FunctionNode): Map<string, FunctionNode> {
  const found = new Map<string, FunctionNode>()
  const declared = new Set<string>()
  const add = (name: string, node: SyntaxNode | null) => {
    if (!declared.has(name) && isFunctionNode(node)) found.set(name, node)
    else found.delete(name)
    declared.add(name)
  }
  for (const node of nodesIn(root.body, (inner) => !isClassNode(inner))) {
    if (is(node, 'FunctionDeclaration') && node.id !== null) add(node.id.name, node)
    if (!is(node, 'VariableDeclaration')) continue
    for (const { id, init } of node.declarations) {
      if (is(id, 'Identifier')) add(id.name, node.kind === 'const' && init !== null ? unwrap(init) : null)
    }
  }
  for (const param of nodesIn(root).flatMap((node) => (isFunctionNode(node) ? node.params : []))) {
    if (is(param, 'Identifier')) add(param.name, null)
  }
  return found
}
