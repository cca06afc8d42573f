/**
 * The meaning of local names and of `this` in the code of a class's member.
 *
 * @module
 */
import type { ClassFunction } from './class-functions.ts'
import type { SourceModule } from './modules.ts'
import {
  type FunctionNode,
  is,
  isClassNode,
  isFunctionNode,
  keyName,
  memberName,
  nodesIn,
  nodesOfThis,
  type Of,
  type SyntaxNode,
  unwrap,
} from './syntax.ts'

/** A local name: a function, `this` (`const self = this`) or a member of it (`const { save } = this`). */
type Meaning =
  | { readonly kind: 'function'; readonly node: FunctionNode }
  | { readonly kind: 'this' }
  | { readonly kind: 'member'; readonly name: string }

/** The place of an expression: its module, the class around it, and the meaning of names. */
export interface Scope {
  readonly module: SourceModule
  /** The index of the class in the chain. */
  readonly index: number
  /** Each name that the code declares, with its meaning as far as it is known. */
  readonly locals: ReadonlyMap<string, Meaning | undefined>
  /** Whether `this` is the class, as in a static method. */
  readonly isStatic: boolean
  /** Whether `this` is the instance or the class: a `function` inside a method has a `this` of its own. */
  readonly hasThis: boolean
  /** Whether promises of all functions of the project count, because the code decides who may go on. */
  readonly isGuard: boolean
}

/** Returns the scope of the code of a member. */
export function scopeOf({ module, node, index, name, isStatic }: ClassFunction): Scope {
  const locals = localNames(node)
  return { module, index, locals, isStatic, hasThis: true, isGuard: !isStatic && name === '__before__' }
}

/** Returns the scope inside a function that is called elsewhere in a scope. */
export function scopeInside(node: FunctionNode, module: SourceModule, scope: Scope): Scope {
  return { ...scope, module, locals: new Map([...scope.locals, ...localNames(node)]) }
}

/** Yields the nodes that share a scope: first the nodes with the `this` of a member, then the nodes of each function inside without it. */
export function* nodesByScope(root: FunctionNode, scope: Scope): Iterable<[readonly SyntaxNode[], Scope]> {
  yield [nodesOfThis(root), scope]
  for (const node of nodesIn(root.body, (inner) => !isClassNode(inner))) {
    if (is(node, 'FunctionDeclaration', 'FunctionExpression'))
      yield [nodesOfThis(node), { ...scope, hasThis: false }]
  }
}

/** Returns true for `this`, or a name of it, where it is the instance or the class of the scope. */
export function isThis(expression: SyntaxNode, scope: Scope): boolean {
  if (is(expression, 'ThisExpression')) return scope.hasThis
  return is(expression, 'Identifier') && scope.locals.get(expression.name)?.kind === 'this'
}

/** Returns the names of a function's constants and inner functions. A name with two meanings has none. */
function localNames(root: FunctionNode): Map<string, Meaning | undefined> {
  const found = new Map<string, Meaning | undefined>()
  const add = (name: string, meaning: Meaning | undefined) =>
    found.set(name, found.has(name) ? undefined : meaning)
  for (const node of nodesIn(root.body, (inner) => !isClassNode(inner))) {
    if (is(node, 'FunctionDeclaration') && node.id !== null) add(node.id.name, { kind: 'function', node })
    if (!is(node, 'VariableDeclaration')) continue
    for (const { id, init } of node.declarations) {
      const value = node.kind === 'const' && init !== null ? unwrap(init) : null
      if (is(id, 'Identifier')) add(id.name, value === null ? undefined : meaningOf(value))
      else {
        const members = is(value, 'ThisExpression') && is(id, 'ObjectPattern') ? membersIn(id) : NO_MEMBERS
        for (const name of namesIn(id)) add(name, members.get(name))
      }
    }
  }
  for (const param of nodesIn(root).flatMap((node) => (isFunctionNode(node) ? node.params : []))) {
    for (const name of namesIn(param)) add(name, undefined)
  }
  return found
}

const NO_MEMBERS: ReadonlyMap<string, Meaning> = new Map()

/** Returns the members of `this` that a pattern takes, by their local names. */
function membersIn({ properties }: Of<'ObjectPattern'>): Map<string, Meaning> {
  const members = new Map<string, Meaning>()
  for (const property of properties) {
    if (!is(property, 'Property') || !is(property.value, 'Identifier')) continue
    const name = keyName(property.key, property.computed)
    if (name !== undefined) members.set(property.value.name, { kind: 'member', name })
  }
  return members
}

/** Returns the names that a variable or a parameter declares. */
function namesIn(pattern: SyntaxNode | null): string[] {
  if (is(pattern, 'Identifier')) return [pattern.name]
  if (is(pattern, 'AssignmentPattern')) return namesIn(pattern.left)
  if (is(pattern, 'RestElement')) return namesIn(pattern.argument)
  if (is(pattern, 'ArrayPattern')) return pattern.elements.flatMap(namesIn)
  if (!is(pattern, 'ObjectPattern')) return []
  return pattern.properties.flatMap((property) =>
    namesIn(is(property, 'Property') ? property.value : property),
  )
}

function meaningOf(value: SyntaxNode): Meaning | undefined {
  if (isFunctionNode(value)) return { kind: 'function', node: value }
  if (is(value, 'ThisExpression')) return { kind: 'this' }
  if (is(value, 'CallExpression')) {
    const callee = unwrap(value.callee)
    const isBound = is(callee, 'MemberExpression') && memberName(callee) === 'bind'
    return isBound ? meaningOf(unwrap(callee.object)) : undefined
  }
  const name = memberName(value)
  const isMember = is(value, 'MemberExpression') && is(unwrap(value.object), 'ThisExpression')
  return isMember && name !== undefined ? { kind: 'member', name } : undefined
}
