/**
 * The functions of a controller's classes, as `this.name`, `super.name` and `this.#name` find them.
 *
 * @module
 */
import type { Located } from './model.ts'
import {
  type ClassNode,
  type FunctionNode,
  is,
  isFunctionNode,
  keyName,
  memberName,
  type SyntaxNode,
  unwrap,
} from './syntax.ts'

/** A method, a getter or a field that holds a function. */
export interface ClassFunction extends Located<FunctionNode> {
  /** With `#` before a private name. */
  readonly name: string
  readonly isGetter: boolean
  readonly isStatic: boolean
  /** The index of its class in the chain: 0 is the controller itself. */
  readonly index: number
  /** Class and member: `UsersController.show`. */
  readonly label: string
}

/** The functions of a class and of those that it extends. */
export class ClassFunctions {
  /** All functions, also those that a subclass overrides. */
  readonly all: readonly ClassFunction[]
  readonly #members: readonly ReadonlyMap<string, ClassFunction | undefined>[]

  /**
   * @param label - the name of the first class, if it has none of its own.
   * @param isStatic - true for static members, false for members of instances.
   */
  constructor(classes: readonly Located<ClassNode>[], label: string, isStatic = false) {
    this.#members = classes.map((one, index) => membersOf(one, index, one.node.id?.name ?? label, isStatic))
    this.all = this.#members.flatMap((members) => [...members.values()].filter((one) => one !== undefined))
  }

  /** Returns the member that a name means on an instance of a class, by the index of that class. */
  named(name: string, from = 0): ClassFunction | undefined {
    return this.#members
      .slice(from)
      .find((members) => members.has(name))
      ?.get(name)
  }

  /**
   * Returns the function that an expression inside a class reads: `this.name`, `super.name`, `this.#name`.
   *
   * @param index - the index of the class that contains the expression.
   * @param isThis - returns true for an expression whose value is `this`.
   */
  read(
    expression: SyntaxNode,
    index: number,
    isThis: (object: SyntaxNode) => boolean = (object) => is(object, 'ThisExpression'),
  ): ClassFunction | undefined {
    const member = unwrap(expression)
    if (!is(member, 'MemberExpression')) return undefined
    const isSuper = is(member.object, 'Super')
    if (!isSuper && !isThis(unwrap(member.object))) return undefined
    if (is(member.property, 'PrivateIdentifier')) return this.#members[index]?.get(`#${member.property.name}`)
    const name = memberName(member)
    if (name === undefined) return undefined
    return this.named(name, isSuper ? index + 1 : 0)
  }
}

/** Returns the members of one class by name; undefined for those that are not functions. */
function membersOf(
  { module, node }: Located<ClassNode>,
  index: number,
  className: string,
  isStatic: boolean,
): ReadonlyMap<string, ClassFunction | undefined> {
  const members = new Map<string, ClassFunction | undefined>()
  for (const member of node.body.body) {
    if (!is(member, 'MethodDefinition', 'PropertyDefinition', 'AccessorProperty')) continue
    if (member.static !== isStatic) continue
    if (is(member, 'MethodDefinition') && member.kind === 'set') continue
    const name = is(member.key, 'PrivateIdentifier')
      ? `#${member.key.name}`
      : keyName(member.key, member.computed)
    if (name === undefined) continue
    const value = member.value === null ? null : unwrap(member.value)
    // A declaration without a body (`abstract`, an overload) hides nothing.
    if (is(member, 'MethodDefinition') && !isFunctionNode(value)) continue
    const isGetter = is(member, 'MethodDefinition') && member.kind === 'get'
    const label = `${className}.${name}`
    members.set(
      name,
      isFunctionNode(value) ? { name, isGetter, isStatic, index, label, module, node: value } : undefined,
    )
  }
  return members
}
