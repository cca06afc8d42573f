/**
 * Hooks that can refuse a request: they throw, or call a function that does. Functions of packages are not read.
 *
 * @module
 */
import type { Node } from 'acorn'
import type { CheckedClass, Project } from '../check/project.ts'
import { importedPath, type Located, type SourceFile, type Sources } from '../sources/sources.ts'
import { is, isClassNode, isFunctionNode, keyName, memberName, nodesIn, propertiesOf } from '../sources/syntax.ts'

/** Functions of the framework that end a request. */
const REFUSING: ReadonlySet<string> = new Set(['abort', 'redirect'])

/**
 * Returns true if a method of a class can refuse a request. A class without a source is judged by the text of the
 * method.
 */
export function canRefuse({ sources }: Project, { controllerClass, methods }: CheckedClass, name: string): boolean {
  const method = methods.get(name)
  if (method === undefined) return false
  const chain = sources.chain(controllerClass)
  return chain.length === 0
    ? /\bthrow\b|\babort\(|\bredirect\(|\bPromise\.reject\(/.test(String(method.value))
    : new Refusals(sources, chain).ofMember(name, 0)
}

class Refusals {
  readonly #sources: Sources
  readonly #chain: readonly Located[]
  readonly #visited = new Set<Node>()

  constructor(sources: Sources, chain: readonly Located[]) {
    this.#sources = sources
    this.#chain = chain
  }

  /** @param index - the class of the chain from which to look. */
  ofMember(name: string, index: number): boolean {
    for (const [offset, { source, node }] of this.#chain.slice(index).entries()) {
      const member = memberOf(node, name, false)
      if (member !== undefined) return this.#refuses(source, member, index + offset)
    }
    return false
  }

  /** @param index - the class whose `this` the function has. Undefined for a function without one. */
  #refuses(source: SourceFile, node: Node, index?: number): boolean {
    if (this.#visited.has(node)) return false
    this.#visited.add(node)
    return uncaughtNodes(node).some((inner) => {
      if (is(inner, 'ThrowStatement')) return true
      if (is(inner, 'MemberExpression') && index !== undefined) {
        // A getter, or a method that is called or passed on.
        const name = memberName(inner) ?? ''
        if (is(inner.object, 'ThisExpression')) return this.ofMember(name, 0)
        if (is(inner.object, 'Super')) return this.ofMember(name, index + 1)
      }
      return is(inner, 'CallExpression') && this.#callRefuses(source, inner.callee)
    })
  }

  #callRefuses(source: SourceFile, callee: Node): boolean {
    const owner = is(callee, 'MemberExpression') ? callee.object : callee
    if (!is(owner, 'Identifier')) return false
    if (owner.name === 'Promise' && memberName(callee) === 'reject') return true
    const meaning = this.#meaning(source, owner.name)
    if (meaning === undefined || typeof meaning === 'string') return meaning !== undefined && REFUSING.has(meaning)
    const { node } = meaning
    const target = owner === callee ? node : functionOf(node, memberName(callee) ?? '')
    return isFunctionNode(target) && this.#refuses(meaning.source, target)
  }

  /** Returns the value that a name has at the top level of a module, or the name of an export of the framework. */
  #meaning(source: SourceFile, name: string): Located | string | undefined {
    for (const each of source.tree.body) {
      if (is(each, 'ImportDeclaration')) {
        const specifier = each.specifiers.find(({ local }) => local.name === name)
        if (specifier === undefined) continue
        const imported =
          is(specifier, 'ImportSpecifier') && is(specifier.imported, 'Identifier') ? specifier.imported.name : name
        if (each.source.value === 'propylon') return imported
        const module = this.#sources.file(importedPath(String(each.source.value), source.path) ?? '')
        return module && this.#meaning(module, imported)
      }
      const statement = is(each, 'ExportNamedDeclaration') ? each.declaration : each
      if (is(statement, 'FunctionDeclaration', 'ClassDeclaration') && statement.id?.name === name)
        return { source, node: statement }
      const declared = is(statement, 'VariableDeclaration')
        ? statement.declarations.find(({ id }) => is(id, 'Identifier') && id.name === name)
        : undefined
      if (declared?.init) return { source, node: declared.init }
    }
    return undefined
  }
}

/** Returns the function of a class member or of a property of an object literal. */
function functionOf(owner: Node, name: string): Node | undefined {
  return isClassNode(owner) ? memberOf(owner, name, true) : propertiesOf(owner).get(name)?.value
}

function memberOf(owner: Node, name: string, isStatic: boolean): Node | undefined {
  const members = isClassNode(owner) ? owner.body.body : []
  for (const member of members) {
    if (!is(member, 'MethodDefinition', 'PropertyDefinition') || member.static !== isStatic) continue
    if (keyName(member.key, member.computed) === name) return member.value ?? undefined
  }
  return undefined
}

/**
 * Returns the nodes of a function, without the blocks whose errors a `catch` receives, and without functions that it
 * only stores.
 */
function uncaughtNodes(node: Node): Node[] {
  const skipped = new Set<Node>()
  for (const inner of nodesIn(node)) {
    if (is(inner, 'TryStatement') && inner.handler) skipped.add(inner.block)
    if (is(inner, 'AssignmentExpression') && is(inner.left, 'MemberExpression') && isFunctionNode(inner.right))
      skipped.add(inner.right)
  }
  return nodesIn(node, (inner) => !skipped.has(inner) && !isClassNode(inner))
}
