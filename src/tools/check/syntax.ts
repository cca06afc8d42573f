/**
 * The syntax tree of a module: the nodes that the checks read, of ESTree and of TypeScript.
 *
 * @module
 */

import type { AnyNode } from 'acorn'

/** A node of a syntax tree. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly loc: { readonly start: { readonly line: number; readonly column: number } }
}

/** The nodes of ESTree that acorn makes, by their types. */
type ESTree = {
  [K in AnyNode['type']]: {
    [P in keyof Extract<AnyNode, { type: K }>]-?: Seen<Extract<AnyNode, { type: K }>[P]>
  }
}

/** A property of a node, which acorn always sets. Where ESTree has several types of nodes, TypeScript has further ones. */
type Seen<Value> = [NonNullable<Value>] extends [readonly (infer Item)[]]
  ? readonly Seen<Item>[]
  : [NonNullable<Value>] extends [{ type: infer Type }]
    ? (IsOne<Type> extends true ? Of<Type & Kind> : SyntaxNode) | Extract<Value, null>
    : Value

type IsOne<Type, All = Type> = Type extends unknown ? ([All] extends [Type] ? true : false) : never

interface Body {
  readonly body: readonly SyntaxNode[]
}

interface Annotated {
  readonly typeAnnotation?: Of<'TSTypeAnnotation'>
}

interface TypedFunction {
  readonly returnType?: Of<'TSTypeAnnotation'>
  readonly typeParameters?: SyntaxNode
}

interface TypedMember {
  readonly decorators?: readonly Of<'Decorator'>[]
}

interface Wrapper {
  readonly expression: SyntaxNode
}

/** The properties that TypeScript adds to nodes of ESTree. */
interface Additions {
  ArrowFunctionExpression: TypedFunction
  FunctionDeclaration: TypedFunction
  FunctionExpression: TypedFunction
  Identifier: Annotated & { optional?: boolean }
  ImportDeclaration: {
    specifiers: readonly Of<'ImportSpecifier' | 'ImportDefaultSpecifier' | 'ImportNamespaceSpecifier'>[]
  }
  MethodDefinition: TypedMember & { value: SyntaxNode; accessibility?: string }
  ObjectPattern: Annotated
  PropertyDefinition: TypedMember & { accessor?: boolean }
}

/** The nodes of TypeScript that the checks read. */
interface TypeScript {
  AccessorProperty: TypedMember & {
    key: SyntaxNode
    computed: boolean
    static: boolean
    value: SyntaxNode | null
  }
  Decorator: Wrapper
  ParenthesizedExpression: Wrapper
  // TypeScript: expressions
  TSAsExpression: Wrapper & { typeAnnotation: SyntaxNode }
  TSTypeAssertion: Wrapper & { typeAnnotation: SyntaxNode }
  TSSatisfiesExpression: Wrapper & { typeAnnotation: SyntaxNode }
  TSNonNullExpression: Wrapper
  TSInstantiationExpression: Wrapper
  // TypeScript: declarations
  TSTypeAliasDeclaration: {
    id: Of<'Identifier'>
    typeAnnotation: SyntaxNode
    typeParameters?: SyntaxNode
  }
  TSInterfaceDeclaration: { id: Of<'Identifier'>; body: Body; extends?: readonly SyntaxNode[] }
  TSEnumDeclaration: { id: Of<'Identifier'>; declare?: boolean }
  TSModuleDeclaration: { id: SyntaxNode; body: SyntaxNode; declare?: boolean }
  TSModuleBlock: Body
  TSParameterProperty: { parameter: SyntaxNode }
  TSImportEqualsDeclaration: { importKind: string }
  TSExportAssignment: Wrapper
  // TypeScript: types
  TSTypeAnnotation: { typeAnnotation: SyntaxNode }
  TSTypeReference: { typeName: SyntaxNode; typeArguments?: Of<'TSTypeParameterInstantiation'> }
  TSTypeParameterInstantiation: { params: readonly SyntaxNode[] }
  TSUnionType: { types: readonly SyntaxNode[] }
  TSIntersectionType: { types: readonly SyntaxNode[] }
  TSArrayType: { elementType: SyntaxNode }
  TSTypeOperator: { operator: string; typeAnnotation: SyntaxNode }
  TSParenthesizedType: { typeAnnotation: SyntaxNode }
  TSLiteralType: { literal: SyntaxNode }
  TSTypeLiteral: { members: readonly SyntaxNode[] }
  TSPropertySignature: Annotated & { key: SyntaxNode; computed: boolean; optional?: boolean }
}

type Kinds = ESTree & Additions & TypeScript

/** The name of a kind of node. */
export type Kind = keyof Kinds

/** A node of a kind. */
export type Of<K extends Kind> = { [P in K]: SyntaxNode & Readonly<Kinds[P]> & { readonly type: P } }[K]

/** A class declaration or expression. */
export type ClassNode = Of<'ClassDeclaration' | 'ClassExpression'>

/** A function whose body the checks read. */
export type FunctionNode = Of<'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression'>

/** Returns true if a node is of one of some kinds. */
export function is<K extends Kind>(
  node: SyntaxNode | null | undefined,
  ...kinds: readonly K[]
): node is Of<K> {
  return node !== null && node !== undefined && (kinds as readonly string[]).includes(node.type)
}

export function isClassNode(node: SyntaxNode | null | undefined): node is ClassNode {
  return is(node, 'ClassDeclaration', 'ClassExpression')
}

/** Returns true for a function with a body. */
export function isFunctionNode(node: SyntaxNode | null | undefined): node is FunctionNode {
  return is(node, 'FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression')
}

/** Parentheses and the syntax of types around an expression. */
export const WRAPPERS = [
  'TSAsExpression',
  'TSTypeAssertion',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
  'ParenthesizedExpression',
  'ChainExpression',
] as const

/** Removes parentheses and the syntax of types from around an expression: `(x as const)!` is `x`. */
export function unwrap(node: SyntaxNode): SyntaxNode {
  let inner = node
  while (is(inner, ...WRAPPERS)) inner = inner.expression
  return inner
}

/** Returns the text of a literal string or of a template without expressions. */
export function stringOf(node: SyntaxNode | null | undefined): string | undefined {
  if (node === null || node === undefined) return undefined
  const inner = unwrap(node)
  if (is(inner, 'Literal') && typeof inner.value === 'string') return inner.value
  if (is(inner, 'TemplateLiteral') && inner.expressions.length === 0) {
    return inner.quasis[0]?.value.cooked ?? undefined
  }
  return undefined
}

/** Returns the name of a key or of a member, or undefined if it is computed. */
export function keyName(key: SyntaxNode, computed: boolean): string | undefined {
  if (!computed && is(key, 'Identifier')) return key.name
  if (is(key, 'Literal') && ['string', 'number'].includes(typeof key.value)) return String(key.value)
  return computed ? stringOf(key) : undefined
}

/** Returns the name of a member expression (`this.render`), or undefined if it is computed. */
export function memberName(node: SyntaxNode): string | undefined {
  return is(node, 'MemberExpression') ? keyName(node.property, node.computed) : undefined
}

/** The properties of an object literal or of a pattern by name. */
export interface ObjectEntries {
  readonly entries: ReadonlyMap<string, Of<'Property'>>
  /** Whether every property is in `entries`: none is spread or computed. */
  readonly complete: boolean
}

/** Returns the properties of an object literal, or undefined for other expressions. */
export function objectEntries(node: SyntaxNode | null | undefined): ObjectEntries | undefined {
  const object = node === null || node === undefined ? undefined : unwrap(node)
  return is(object, 'ObjectExpression') ? namedProperties(object) : undefined
}

/** Returns the properties of an object literal or of a pattern. */
export function namedProperties({ properties }: Of<'ObjectExpression' | 'ObjectPattern'>): ObjectEntries {
  const entries = new Map<string, Of<'Property'>>()
  let complete = true
  for (const property of properties) {
    const name = is(property, 'Property') ? keyName(property.key, property.computed) : undefined
    if (is(property, 'Property') && name !== undefined) entries.set(name, property)
    else complete = false
  }
  return { entries, complete }
}

/**
 * Returns a node and all nodes below it, each before those below it.
 *
 * @param enters - returns false for a node to leave out with its inside.
 */
export function nodesIn(root: SyntaxNode, enters?: (node: SyntaxNode) => boolean): SyntaxNode[] {
  const found: SyntaxNode[] = []
  const visit = (node: SyntaxNode) => {
    found.push(node)
    const properties: object = node
    for (const name in properties) {
      if (name === 'loc') continue
      const value: unknown = Reflect.get(properties, name)
      if (typeof value !== 'object' || value === null) continue
      if (!Array.isArray(value)) {
        if (isNode(value) && enters?.(value) !== false) visit(value)
        continue
      }
      for (const item of value) if (isNode(item) && enters?.(item) !== false) visit(item)
    }
  }
  visit(root)
  return found
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** Returns the nodes of a member of a class that have its `this`, also in arrow functions. */
export function nodesOfThis(root: SyntaxNode, enters?: (node: SyntaxNode) => boolean): SyntaxNode[] {
  const hasOwnThis = (node: SyntaxNode) =>
    is(node, 'FunctionDeclaration', 'FunctionExpression') || isClassNode(node)
  return nodesIn(root, (node) => !hasOwnThis(node) && enters?.(node) !== false)
}

/** Returns the expressions that a function itself returns. */
export function returnedBy(node: FunctionNode): SyntaxNode[] {
  if (!is(node.body, 'BlockStatement')) return [node.body]
  return ownNodes(node).flatMap((inner) => (is(inner, 'ReturnStatement') && inner.argument) || [])
}

/** Returns the nodes of a function's own body, without the functions and classes inside. */
export function ownNodes(node: FunctionNode): SyntaxNode[] {
  return nodesIn(node.body, (inner) => !isFunctionNode(inner) && !isClassNode(inner))
}
