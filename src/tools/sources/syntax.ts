/**
 * The syntax tree of JavaScript: modules without their types, and templates.
 *
 * @module
 */
import type { AnyNode, AssignmentProperty, Node, Property } from 'acorn'

/** The kind of a node. */
type Kind = AnyNode['type']

/** A node of some kinds. */
export type Of<K extends Kind> = Extract<AnyNode, { readonly type: K }>

/** A class declaration or expression. */
export type ClassNode = Of<'ClassDeclaration' | 'ClassExpression'>

/** Returns true if a node is of one of some kinds. */
export function is<K extends Kind>(node: Node | null | undefined, ...kinds: readonly K[]): node is Of<K> {
  return node !== null && node !== undefined && (kinds as readonly string[]).includes(node.type)
}

export function isClassNode(node: Node | null | undefined): node is ClassNode {
  return is(node, 'ClassDeclaration', 'ClassExpression')
}

export function isFunctionNode(
  node: Node | null | undefined,
): node is Of<'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression'> {
  return is(node, 'FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression')
}

/** Returns the text of a literal string. */
export function stringOf(node: Node | null | undefined): string | undefined {
  if (is(node, 'Literal') && typeof node.value === 'string') return node.value
  return is(node, 'TemplateLiteral') && node.expressions.length === 0
    ? (node.quasis[0]?.value.cooked ?? undefined)
    : undefined
}

/** Returns the literal texts that an argument may be: one, or both of a conditional expression. */
export function literalsOf(node: Node): { readonly name: string; readonly node: Node }[] {
  if (is(node, 'ConditionalExpression')) return [...literalsOf(node.consequent), ...literalsOf(node.alternate)]
  const name = stringOf(node)
  return name === undefined ? [] : [{ name, node }]
}

/** Returns the name of a key or of a member, or undefined if it is computed. */
export function keyName(key: Node, computed: boolean): string | undefined {
  if (!computed && is(key, 'Identifier', 'PrivateIdentifier')) return key.name
  if (is(key, 'Literal') && ['string', 'number'].includes(typeof key.value)) return String(key.value)
  return undefined
}

/** Returns the name of a member expression (`this.render`), or undefined if it is computed. */
export function memberName(node: Node | null | undefined): string | undefined {
  if (is(node, 'ChainExpression')) return memberName(node.expression)
  return is(node, 'MemberExpression') ? keyName(node.property, node.computed) : undefined
}

/** Returns the properties of an object literal or of a pattern by name, without spread and computed ones. */
export function propertiesOf(node: Node | null | undefined): ReadonlyMap<string, Property | AssignmentProperty> {
  const entries = new Map<string, Property | AssignmentProperty>()
  const properties: readonly Node[] = is(node, 'ObjectExpression', 'ObjectPattern') ? node.properties : []
  for (const property of properties) {
    const name = is(property, 'Property') ? keyName(property.key, property.computed) : undefined
    if (is(property, 'Property') && name !== undefined) entries.set(name, property)
  }
  return entries
}

/**
 * Returns a node and all nodes below it, each before those below it.
 *
 * @param enters - returns false for a node to leave out with its inside.
 */
export function nodesIn(root: Node, enters?: (node: AnyNode) => boolean): AnyNode[] {
  const found: AnyNode[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item)
    else if (isNode(value) && (value === root || enters?.(value) !== false)) {
      found.push(value)
      for (const child of Object.values(value)) if (typeof child === 'object') visit(child)
    }
  }
  visit(root)
  return found
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}
