/**
 * Promises of hooks and methods for which nothing waits, so that a guard decides after the action has run.
 *
 * @module
 */
import type { ClassFunction } from '../class-functions.ts'
import type { Finding } from '../finding.ts'
import { type ControllerModel, placeOf } from '../model.ts'
import { type MethodPromise, MethodPromises } from '../promises.ts'
import { nodesByScope, type Scope, scopeOf } from '../scope.ts'
import { is, memberName, nodesIn, nodesOfThis, type Of, type SyntaxNode, unwrap } from '../syntax.ts'

/** Checks that something waits for each promise of a controller's own methods. */
export function* checkPromises(model: ControllerModel): Iterable<Finding> {
  const promises = new MethodPromises(model)
  for (const own of promises.functions) {
    for (const [nodes, scope] of nodesByScope(own.node, scopeOf(own))) {
      for (const found of droppedIn(nodes, own, scope, promises)) yield dropped(own, found)
      for (const found of truthsIn(nodes, scope, promises)) yield alwaysTrue(own, found)
    }
    if (own.name === '__call__' && !own.isStatic) yield* checkFinally(own)
  }
}

/** An expression whose value is a promise. */
interface Dropped {
  readonly node: SyntaxNode
  readonly promise: MethodPromise
}

/** Functions that call another one later, and use nothing that it returns. */
const TIMERS: ReadonlySet<string | undefined> = new Set([
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'nextTick',
])

/** Methods of lists that take whatever their function returns for true or false. */
const PREDICATES: ReadonlySet<string | undefined> = new Set([
  'every',
  'filter',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'some',
])

function* droppedIn(
  nodes: readonly SyntaxNode[],
  own: ClassFunction,
  scope: Scope,
  promises: MethodPromises,
): Iterable<Dropped> {
  for (const node of nodes) {
    if (is(node, 'ExpressionStatement')) yield* dropping(node.expression, scope, promises)
    if (is(node, 'SequenceExpression')) {
      for (const one of node.expressions.slice(0, -1)) yield* dropping(one, scope, promises)
    }
    if (is(node, 'CallExpression')) yield* droppedByCall(node, scope, promises)
    if (is(node, 'AwaitExpression')) {
      // Awaiting a list waits for nothing.
      const promise = promises.ofList(node.argument, scope)
      if (promise !== undefined) yield { node, promise }
    }
    if (is(node, 'VariableDeclaration') && !node.kind.endsWith('using')) {
      for (const { id, init } of node.declarations) {
        if (is(id, 'Identifier') && init !== null && !isUsed(own.node, id.name)) {
          yield* dropping(init, scope, promises)
        }
      }
    }
  }
}

/** Yields the promise of a function that is passed to `forEach` or to a timer. */
function* droppedByCall(
  node: Of<'CallExpression'>,
  scope: Scope,
  promises: MethodPromises,
): Iterable<Dropped> {
  const name = calledName(node)
  const [callback] = node.arguments
  if (callback === undefined || (name !== 'forEach' && !TIMERS.has(name))) return
  const taken = unwrap(callback)
  // An asynchronous function for later is work in the background, which may handle its errors.
  if (name !== 'forEach' && is(taken, 'ArrowFunctionExpression') && taken.async) return
  const promise = promises.ofCallback(callback, scope)
  if (promise !== undefined && !isHandled(promise)) yield { node, promise }
}

/** Yields the promises that count as true: in conditions, and in calls like `names.some((name) => this.may(name))`. */
function* truthsIn(nodes: readonly SyntaxNode[], scope: Scope, promises: MethodPromises): Iterable<Dropped> {
  // Streams have methods of the same names, which wait.
  const awaited = new Set(
    nodes.flatMap((node) =>
      is(node, 'AwaitExpression') ? nodesIn(node) : is(node, 'ForOfStatement') ? nodesIn(node.right) : [],
    ),
  )
  for (const node of nodes) {
    const condition = conditionOf(node)
    const decided = condition && promises.of(condition, scope)
    if (condition && decided) yield { node: condition, promise: decided }
    if (!is(node, 'CallExpression') || awaited.has(node) || !PREDICATES.has(memberName(unwrap(node.callee))))
      continue
    const [callback] = node.arguments
    const promise = callback && promises.ofCallback(callback, scope)
    if (promise !== undefined) yield { node, promise }
  }
}

function calledName({ callee }: Of<'CallExpression'>): string | undefined {
  const node = unwrap(callee)
  return is(node, 'Identifier') ? node.name : memberName(node)
}

/** Returns true if a function uses a variable that it declares. */
function isUsed(root: SyntaxNode, name: string): boolean {
  return nodesIn(root).filter((node) => is(node, 'Identifier') && node.name === name).length > 1
}

/** Yields the promises of an expression whose value nothing uses. `void` and `.catch()` say that this is meant. */
function* dropping(expression: SyntaxNode, scope: Scope, promises: MethodPromises): Iterable<Dropped> {
  const node = unwrap(expression)
  if (is(node, 'ConditionalExpression')) {
    yield* dropping(node.consequent, scope, promises)
    yield* dropping(node.alternate, scope, promises)
  } else if (is(node, 'LogicalExpression')) {
    yield* dropping(node.right, scope, promises)
  } else {
    const isVoid = is(node, 'UnaryExpression') && node.operator === 'void'
    const value = isVoid ? node.argument : node
    const promise = promises.of(value, scope) ?? promises.ofList(value, scope)
    if (promise !== undefined && !isHandled(promise) && !(isVoid && !isGuard(promise)))
      yield { node, promise }
  }
}

/** Returns true for the promise of a guard. It cannot run in the background, because it decides about the action. */
function isGuard({ method }: MethodPromise): boolean {
  return method === '__before__'
}

function isHandled(promise: MethodPromise): boolean {
  return promise.isHandled && !isGuard(promise)
}

/** Returns the expression of a node that decides about something. */
function conditionOf(node: SyntaxNode): SyntaxNode | undefined {
  if (is(node, 'IfStatement', 'WhileStatement', 'DoWhileStatement', 'ConditionalExpression')) return node.test
  if (is(node, 'UnaryExpression') && node.operator === '!') return node.argument
  return is(node, 'LogicalExpression') && node.operator !== '??' ? node.left : undefined
}

function dropped({ label, module, name }: ClassFunction, { node, promise }: Dropped): Finding {
  const { text, isListed } = promise
  const awaitable = isListed ? `Promise.all(${text})` : text
  return {
    code: 'promise-dropped',
    place: placeOf(module, node),
    message: isListed
      ? `${label}() does not wait for the promises of the list ${text}.`
      : `${label}() does not wait for ${text}, which returns a promise.`,
    fix:
      name === '__before__' || isGuard(promise)
        ? `Write await ${awaitable} in an async method, or return it. Otherwise the action runs before the hook has decided.`
        : `Write await ${awaitable}, or return it. If nothing is to wait for it, write void ${text}, or handle its errors with .catch(…).`,
    action: name,
  }
}

function alwaysTrue({ label, module, name }: ClassFunction, { node, promise }: Dropped): Finding {
  return {
    code: 'promise-dropped',
    place: placeOf(module, node),
    message: `A condition of ${label}() is always true: ${promise.text} returns a promise.`,
    fix: `Write await ${promise.text} in an async method.`,
    action: name,
  }
}

/** Checks that a `finally` of `__call__` runs after the request, not before an asynchronous action has ended. */
function* checkFinally(own: ClassFunction): Iterable<Finding> {
  for (const node of nodesOfThis(own.node)) {
    if (!is(node, 'TryStatement') || node.finalizer === null) continue
    const awaited = new Set(
      nodesOfThis(node.block).flatMap((inner) =>
        is(inner, 'AwaitExpression') && is(inner.argument, 'Identifier') ? [inner.argument.name] : [],
      ),
    )
    const isAwaited = (inner: SyntaxNode) =>
      is(inner, 'AwaitExpression') ||
      (is(inner, 'VariableDeclarator') && is(inner.id, 'Identifier') && awaited.has(inner.id.name)) ||
      (is(inner, 'AssignmentExpression') && is(inner.left, 'Identifier') && awaited.has(inner.left.name))
    for (const call of nodesOfThis(node.block, (inner) => !isAwaited(inner))) {
      if (!is(call, 'CallExpression') || !isSuperCall(call.callee)) continue
      yield {
        code: 'finally-early',
        place: placeOf(own.module, call),
        message: `The finally of ${own.label}() runs before an asynchronous action has ended, because nothing waits for super.__call__().`,
        fix: 'Write return await super.__call__(environ, start_response) in an async method.',
      }
    }
  }
}

function isSuperCall(callee: SyntaxNode): boolean {
  const node = unwrap(callee)
  return is(node, 'MemberExpression') && is(node.object, 'Super') && memberName(node) === '__call__'
}
