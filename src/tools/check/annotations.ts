/**
 * The shapes of type annotations.
 *
 * @module
 */
import { nameIn } from './lookup.ts'
import type { SourceModule } from './modules.ts'
import { ANY, literalShape, type Shape, type ShapeKind, shapeOf, unionOf } from './shapes.ts'
import { is, type Of, type SyntaxNode } from './syntax.ts'

/** The types that are written as one word. */
const KEYWORDS: Readonly<Record<string, ShapeKind>> = {
  TSStringKeyword: 'string',
  TSNumberKeyword: 'number',
  TSBooleanKeyword: 'boolean',
  TSBigIntKeyword: 'bigint',
  TSSymbolKeyword: 'symbol',
  TSUndefinedKeyword: 'undefined',
  TSVoidKeyword: 'undefined',
  TSNullKeyword: 'null',
  TSObjectKeyword: 'object',
  TSFunctionType: 'function',
  TSConstructorType: 'function',
}

/** Types of the language's own library. */
const GLOBALS: Readonly<Record<string, ShapeKind>> = {
  String: 'string',
  Uppercase: 'string',
  Lowercase: 'string',
  Capitalize: 'string',
  Number: 'number',
  Boolean: 'boolean',
  BigInt: 'bigint',
  Date: 'date',
  Array: 'array',
  ReadonlyArray: 'array',
  Function: 'function',
  Record: 'object',
}

/** Maximum number of aliases that are followed. */
const MAX_DEPTH = 20

export function typeShape(module: SourceModule, type: SyntaxNode, depth = MAX_DEPTH): Shape {
  const keyword = KEYWORDS[type.type]
  if (keyword !== undefined) return shapeOf(keyword)
  if (is(type, 'TSTypeAnnotation', 'TSParenthesizedType')) {
    return typeShape(module, type.typeAnnotation, depth)
  }
  if (is(type, 'TSLiteralType')) return literalShape(type.literal)
  if (is(type, 'TSUnionType')) return unionOf(type.types.map((one) => typeShape(module, one, depth)))
  if (is(type, 'TSIntersectionType')) {
    return intersection(type.types.map((one) => typeShape(module, one, depth)))
  }
  if (is(type, 'TSArrayType')) return shapeOf('array', typeShape(module, type.elementType, depth))
  if (type.type === 'TSTupleType') return shapeOf('array')
  if (is(type, 'TSTypeOperator')) {
    return type.operator === 'readonly' ? typeShape(module, type.typeAnnotation, depth) : ANY
  }
  if (is(type, 'TSTypeLiteral')) return type.members.length === 0 ? ANY : shapeOf('object')
  if (is(type, 'TSTypeReference')) return reference(module, type, depth)
  return ANY
}

/** Returns the types of the members of an object type, or undefined if it is not written out. */
export function typeMembers(module: SourceModule, type: SyntaxNode): ReadonlyMap<string, Shape> | undefined {
  const inner = is(type, 'TSTypeAnnotation', 'TSParenthesizedType') ? type.typeAnnotation : type
  if (is(inner, 'TSTypeLiteral')) return signatures(module, inner.members)
  if (!is(inner, 'TSTypeReference') || !is(inner.typeName, 'Identifier')) return undefined
  if (inner.typeArguments !== undefined) return undefined
  const meaning = nameIn(module, inner.typeName.name, 'types')
  if (meaning?.kind !== 'local' || meaning.declaration.kind !== 'type') return undefined
  const { node } = meaning.declaration
  if (is(node, 'TSTypeAliasDeclaration')) return typeMembers(meaning.module, node.typeAnnotation)
  if (!is(node, 'TSInterfaceDeclaration') || (node.extends?.length ?? 0) > 0) return undefined
  return signatures(meaning.module, node.body.body)
}

/** Returns the shape of the values of a `Promise`, or the shape of the type itself. */
export function awaitedShape(module: SourceModule, type: SyntaxNode): Shape {
  const inner = is(type, 'TSTypeAnnotation') ? type.typeAnnotation : type
  if (!isPromiseType(inner)) return typeShape(module, inner)
  const [value] = inner.typeArguments?.params ?? []
  return value === undefined ? ANY : typeShape(module, value)
}

/** Returns true for `Promise<…>`. */
export function isPromiseType(type: SyntaxNode | undefined): type is Of<'TSTypeReference'> {
  const name = is(type, 'TSTypeReference') ? type.typeName : undefined
  return is(name, 'Identifier') && ['Promise', 'PromiseLike'].includes(name.name)
}

function signatures(module: SourceModule, members: readonly SyntaxNode[]): ReadonlyMap<string, Shape> {
  const shapes = new Map<string, Shape>()
  for (const member of members) {
    if (!is(member, 'TSPropertySignature') || member.computed || !is(member.key, 'Identifier')) continue
    const shape = member.typeAnnotation === undefined ? ANY : typeShape(module, member.typeAnnotation)
    shapes.set(member.key.name, member.optional ? [...shape, { kind: 'undefined' }] : shape)
  }
  return shapes
}

function reference(module: SourceModule, type: Of<'TSTypeReference'>, depth: number): Shape {
  if (!is(type.typeName, 'Identifier') || depth === 0) return ANY
  const { name } = type.typeName
  const [argument] = type.typeArguments?.params ?? []
  const meaning = nameIn(module, name, 'types')
  if (meaning === undefined && !module.declarations.types.has(name)) {
    if (['Readonly', 'NonNullable'].includes(name) && argument !== undefined) {
      return typeShape(module, argument, depth - 1)
    }
    const kind = GLOBALS[name] ?? (isPlatformClass(name) ? 'object' : undefined)
    if (kind === undefined) return ANY
    return kind === 'array' && argument !== undefined
      ? shapeOf('array', typeShape(module, argument, depth - 1))
      : shapeOf(kind)
  }
  if (meaning?.kind !== 'local') return ANY
  const { declaration } = meaning
  if (declaration.kind === 'class') return shapeOf('object')
  if (declaration.kind !== 'type') return ANY
  const { node } = declaration
  if (is(node, 'TSTypeAliasDeclaration')) {
    return node.typeParameters === undefined ? typeShape(meaning.module, node.typeAnnotation, depth - 1) : ANY
  }
  if (is(node, 'TSEnumDeclaration')) return ANY
  return node.body.body.length === 0 || node.extends !== undefined ? ANY : shapeOf('object')
}

/** Returns true for a class that every runtime has, such as `URL`. A value of the type `Object` may be anything. */
function isPlatformClass(name: string): boolean {
  return name !== 'Object' && typeof Reflect.get(globalThis, name) === 'function'
}

/** Returns the shape that all types of an intersection have. */
function intersection(shapes: readonly Shape[]): Shape {
  const isPlain = ({ kind }: { kind: ShapeKind }) => ['string', 'number', 'boolean', 'bigint'].includes(kind)
  const primitive = shapes.find((shape) => shape.length > 0 && shape.every(isPlain))
  if (primitive !== undefined) return primitive
  return shapes.every((shape) => shape.every(({ kind }) => kind === 'object')) ? shapeOf('object') : ANY
}
