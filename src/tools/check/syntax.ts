/**
 * The syntax tree of a module: the nodes that the checks read, of ESTree and of TypeScript.
 *
 * @module
 */

/** A node of a syntax tree. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly loc: { readonly start: { readonly line: number; readonly column: number } }
}

interface Named {
  readonly name: string
}

interface Body {
  readonly body: readonly SyntaxNode[]
}

interface FunctionLike {
  readonly params: readonly SyntaxNode[]
  readonly body: SyntaxNode
  readonly async: boolean
  readonly generator: boolean
  readonly returnType?: Of<'TSTypeAnnotation'>
  readonly typeParameters?: Of<'TSTypeParameterDeclaration'>
}

interface ClassLike {
  readonly id: Of<'Identifier'> | null
  readonly superClass: SyntaxNode | null
  readonly body: Of<'ClassBody'>
}

interface Member {
  readonly key: SyntaxNode
  readonly computed: boolean
  readonly static: boolean
  readonly decorators?: readonly Of<'Decorator'>[]
}

interface Wrapper {
  readonly expression: SyntaxNode
}

interface Annotated {
  readonly typeAnnotation?: Of<'TSTypeAnnotation'>
}

/** The properties of each kind of node. */
interface Kinds {
  Program: Body
  // Modules
  ImportDeclaration: { specifiers: readonly SyntaxNode[]; source: Of<'Literal'> }
  ImportSpecifier: { imported: SyntaxNode; local: Of<'Identifier'> }
  ImportDefaultSpecifier: { local: Of<'Identifier'> }
  ImportNamespaceSpecifier: { local: Of<'Identifier'> }
  ExportNamedDeclaration: {
    declaration: SyntaxNode | null
    specifiers: readonly Of<'ExportSpecifier'>[]
    source: Of<'Literal'> | null
  }
  ExportSpecifier: { local: SyntaxNode; exported: SyntaxNode }
  ExportDefaultDeclaration: { declaration: SyntaxNode }
  ExportAllDeclaration: { exported: SyntaxNode | null; source: Of<'Literal'> }
  // Declarations
  VariableDeclaration: { kind: string; declarations: readonly Of<'VariableDeclarator'>[] }
  VariableDeclarator: { id: SyntaxNode; init: SyntaxNode | null }
  FunctionDeclaration: FunctionLike & { id: Of<'Identifier'> | null }
  ClassDeclaration: ClassLike
  ClassExpression: ClassLike
  ClassBody: Body
  MethodDefinition: Member & { kind: string; value: SyntaxNode; accessibility?: string }
  PropertyDefinition: Member & { value: SyntaxNode | null; accessor?: boolean }
  AccessorProperty: Member & { value: SyntaxNode | null }
  StaticBlock: Body
  CatchClause: { param: SyntaxNode | null; body: SyntaxNode }
  Decorator: Wrapper
  // Statements
  BlockStatement: Body
  ExpressionStatement: Wrapper
  ReturnStatement: { argument: SyntaxNode | null }
  ThrowStatement: { argument: SyntaxNode }
  IfStatement: { test: SyntaxNode }
  ForOfStatement: { await: boolean; right: SyntaxNode }
  WhileStatement: { test: SyntaxNode }
  DoWhileStatement: { test: SyntaxNode }
  TryStatement: {
    block: Of<'BlockStatement'>
    handler: Of<'CatchClause'> | null
    finalizer: SyntaxNode | null
  }
  // Expressions
  Identifier: Named & Annotated & { optional?: boolean }
  PrivateIdentifier: Named
  ThisExpression: object
  Super: object
  Literal: { value: unknown; bigint?: string; regex?: object }
  TemplateLiteral: {
    quasis: readonly (SyntaxNode & { value: { cooked: string | null } })[]
    expressions: readonly SyntaxNode[]
  }
  ArrayExpression: { elements: readonly (SyntaxNode | null)[] }
  ObjectExpression: { properties: readonly SyntaxNode[] }
  Property: { key: SyntaxNode; value: SyntaxNode; computed: boolean; kind: string; method: boolean }
  SpreadElement: { argument: SyntaxNode }
  FunctionExpression: FunctionLike
  ArrowFunctionExpression: FunctionLike
  CallExpression: { callee: SyntaxNode; arguments: readonly SyntaxNode[] }
  NewExpression: { callee: SyntaxNode; arguments: readonly SyntaxNode[] }
  MemberExpression: { object: SyntaxNode; property: SyntaxNode; computed: boolean }
  ChainExpression: Wrapper
  ParenthesizedExpression: Wrapper
  AwaitExpression: { argument: SyntaxNode }
  UnaryExpression: { operator: string; argument: SyntaxNode }
  UpdateExpression: { argument: SyntaxNode }
  BinaryExpression: { operator: string; left: SyntaxNode; right: SyntaxNode }
  LogicalExpression: { operator: string; left: SyntaxNode; right: SyntaxNode }
  ConditionalExpression: { test: SyntaxNode; consequent: SyntaxNode; alternate: SyntaxNode }
  AssignmentExpression: { left: SyntaxNode; right: SyntaxNode }
  SequenceExpression: { expressions: readonly SyntaxNode[] }
  // Patterns
  ObjectPattern: Annotated & { properties: readonly SyntaxNode[] }
  AssignmentPattern: { left: SyntaxNode; right: SyntaxNode }
  RestElement: { argument: SyntaxNode }
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
    typeParameters?: Of<'TSTypeParameterDeclaration'>
  }
  TSInterfaceDeclaration: { id: Of<'Identifier'>; body: Body; extends?: readonly SyntaxNode[] }
  TSEnumDeclaration: { id: Of<'Identifier'>; declare?: boolean }
  TSModuleDeclaration: { id: SyntaxNode; body: SyntaxNode; declare?: boolean }
  TSModuleBlock: Body
  TSParameterProperty: { parameter: SyntaxNode }
  TSImportEqualsDeclaration: { importKind: string }
  TSExportAssignment: Wrapper
  TSTypeParameterDeclaration: { params: readonly (SyntaxNode & Named)[] }
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

/** Returns true for a class. */
export function isClassNode(node: SyntaxNode | null | undefined): node is ClassNode {
  return is(node, 'ClassDeclaration', 'ClassExpression')
}

/** Returns true for a function with a body. */
export function isFunctionNode(node: SyntaxNode | null | undefined): node is FunctionNode {
  return is(node, 'FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression')
}

/** Removes parentheses and the syntax of types from around an expression: `(x as const)!` is `x`. */
export function unwrap(node: SyntaxNode): SyntaxNode {
  let inner = node
  while (
    is(
      inner,
      'TSAsExpression',
      'TSTypeAssertion',
      'TSSatisfiesExpression',
      'TSNonNullExpression',
      'TSInstantiationExpression',
      'ParenthesizedExpression',
      'ChainExpression',
    )
  ) {
    inner = inner.expression
  }
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

/** The properties of an object literal by name. */
export interface ObjectEntries {
  readonly entries: ReadonlyMap<string, Of<'Property'>>
  /** Whether every property is in `entries`: none is spread or computed. */
  readonly complete: boolean
}

/** Returns the properties of an object literal, or undefined for other expressions. */
export function objectEntries(node: SyntaxNode | null | undefined): ObjectEntries | undefined {
  const object = node === null || node === undefined ? undefined : unwrap(node)
  if (!is(object, 'ObjectExpression')) return undefined
  const entries = new Map<string, Of<'Property'>>()
  let complete = true
  for (const property of object.properties) {
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
