/**
 * Shapes: the types of values, as far as the checks compare them.
 *
 * @module
 */
import { is, type SyntaxNode } from './syntax.ts'

/** A kind of value. `any` is used where the source does not show more. */
export type ShapeKind =
  | 'any'
  | 'string'
  | 'number'
  | 'boolean'
  | 'bigint'
  | 'symbol'
  | 'undefined'
  | 'null'
  | 'date'
  | 'array'
  | 'function'
  | 'object'

/** One member of a shape. */
export interface ShapePart {
  readonly kind: ShapeKind
  /** The shape of the elements of an array, if known. */
  readonly element?: Shape
  /** The members of an object by name, if known. */
  readonly fields?: ReadonlyMap<string, FieldShape>
  /** Whether `fields` has every member. */
  readonly isComplete?: boolean
}

/** A member of an object. */
export interface FieldShape {
  readonly shape: Shape
  readonly isOptional: boolean
}

/** The kinds that a value may have. */
export type Shape = readonly ShapePart[]

/** The shape of values that cannot be known. */
export const ANY: Shape = [{ kind: 'any' }]

/** The shape of values from a path. */
export const STRING: Shape = [{ kind: 'string' }]

export function shapeOf(kind: ShapeKind, element?: Shape): Shape {
  return [element === undefined ? { kind } : { kind, element }]
}

/** Returns the shape of values of either shape. */
export function unionOf(shapes: readonly Shape[]): Shape {
  return shapes.flat()
}

/** Returns the shape of a literal, in an expression or in a type. */
export function literalShape(node: SyntaxNode): Shape {
  if (is(node, 'TemplateLiteral')) return STRING
  if (is(node, 'UnaryExpression')) return literalShape(node.argument)
  if (!is(node, 'Literal')) return ANY
  if (node.bigint !== undefined) return shapeOf('bigint')
  if (node.regex !== undefined) return shapeOf('object')
  if (node.value === null) return shapeOf('null')
  const kind = typeof node.value
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? shapeOf(kind) : ANY
}

/** Returns false if a value of the shape `given` certainly does not fit `wanted`. */
export function accepts(wanted: Shape, given: Shape): boolean {
  return given.every((part) => wanted.some((other) => fits(part, other)))
}

/** Returns false if a part certainly does not fit another one. */
export function fits(given: ShapePart, wanted: ShapePart): boolean {
  if (given.kind === 'any' || wanted.kind === 'any') return true
  if (wanted.kind === 'object') {
    return given.kind === 'array' ? mayBeArray(wanted) : ['object', 'date', 'function'].includes(given.kind)
  }
  if (given.kind !== wanted.kind) return false
  return given.element === undefined || wanted.element === undefined || accepts(wanted.element, given.element)
}

/** Returns true unless a part certainly refuses arrays: one of objects with a required member does. */
export function mayBeArray({ kind, fields }: ShapePart): boolean {
  if (kind === 'array' || kind === 'any') return true
  return kind === 'object' && ![...(fields?.values() ?? [])].some(({ isOptional }) => !isOptional)
}

/** Formats a shape as TypeScript writes the type. */
export function formatShape(shape: Shape): string {
  return [...new Set(shape.map(formatPart))].join(' | ')
}

function formatPart({ kind, element }: ShapePart): string {
  if (kind === 'date') return 'Date'
  if (kind === 'function') return 'Function'
  if (kind !== 'array') return kind
  if (element === undefined) return 'array'
  const text = formatShape(element)
  return text.includes(' ') ? `(${text})[]` : `${text}[]`
}
