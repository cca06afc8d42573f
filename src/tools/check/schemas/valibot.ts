/**
 * The shapes of the values that schemas of valibot make of a text.
 *
 * @module
 */
import { GLOBAL_FUNCTIONS } from '../expressions.ts'
import type { Lookup } from '../lookup.ts'
import type { SourceModule } from '../modules.ts'
import { ANY, type Shape, type ShapeKind, shapeOf } from '../shapes.ts'
import { is, type SyntaxNode } from '../syntax.ts'

/** Schemas and actions of a pipe that decide the kind of the value. */
const KINDS: ReadonlyMap<string, ShapeKind> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['bigint', 'bigint'],
  ['date', 'date'],
  ['object', 'object'],
  ['strictObject', 'object'],
  ['looseObject', 'object'],
  ['record', 'object'],
  ['array', 'array'],
  ['toString', 'string'],
  ['toNumber', 'number'],
  ['toBoolean', 'boolean'],
  ['toBigint', 'bigint'],
  ['toDate', 'date'],
])

/** Actions of a pipe that leave the kind as it is. */
const CHECKS: ReadonlySet<string> = new Set(
  (
    'check decimal digits email endsWith finite gtValue includes integer isoDate isoDateTime length ltValue maxLength ' +
    'maxValue minLength minValue multipleOf nonEmpty regex safeInteger slug startsWith toLowerCase toUpperCase trim ' +
    'trimEnd trimStart ulid url uuid'
  ).split(' '),
)

/** Wrappers by the further kinds that they add without a default. */
const WRAPPERS: ReadonlyMap<string, readonly ShapeKind[]> = new Map([
  ['optional', ['undefined']],
  ['undefinedable', ['undefined']],
  ['nullable', ['null']],
  ['nullish', ['null', 'undefined']],
])

/** Reads the shapes of schemas of valibot. */
export class ValibotShapes {
  readonly #lookup: Lookup

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  /** Returns the shape of the values of a schema; undefined if it is not one of valibot, `any` if it is not a simple one. */
  shape(from: SourceModule, expression: SyntaxNode): Shape | undefined {
    const { module, node } = this.#lookup.value(from, expression)
    if (!is(node, 'CallExpression')) return undefined
    const name = this.#name(module, node.callee)
    const [first, second] = node.arguments
    if (name === undefined) return undefined
    if (name === 'pipe') {
      return node.arguments.reduce<Shape>((shape, step) => this.#step(module, step, shape), ANY)
    }
    const added = WRAPPERS.get(name)
    if (added !== undefined && first !== undefined) {
      const inner = this.shape(module, first) ?? ANY
      return second === undefined ? [...inner, ...added.map((kind) => ({ kind }))] : inner
    }
    return kindOf(name)
  }

  /** Returns the shape after one step of a pipe. */
  #step(from: SourceModule, expression: SyntaxNode, shape: Shape): Shape {
    const { module, node } = this.#lookup.value(from, expression)
    const name = is(node, 'CallExpression') ? this.#name(module, node.callee) : undefined
    if (name === undefined || !is(node, 'CallExpression')) return ANY
    if (CHECKS.has(name)) return shape
    const [change] = node.arguments
    if (name !== 'transform' || change === undefined) return this.shape(module, node) ?? ANY
    if (!is(change, 'Identifier') || module.declarations.values.has(change.name)) return ANY
    const kind = Object.hasOwn(GLOBAL_FUNCTIONS, change.name) ? GLOBAL_FUNCTIONS[change.name] : undefined
    return kind === undefined ? ANY : shapeOf(kind)
  }

  #name(module: SourceModule, callee: SyntaxNode): string | undefined {
    return valibotName(this.#lookup, module, callee)
  }
}

/** Returns the name of an export of valibot. */
export function valibotName(lookup: Lookup, module: SourceModule, callee: SyntaxNode): string | undefined {
  const meaning = lookup.expression(module, callee)
  return meaning?.kind === 'external' && meaning.from === 'valibot' ? meaning.name : undefined
}

function kindOf(name: string): Shape {
  const kind = KINDS.get(name)
  return kind === undefined ? ANY : shapeOf(kind)
}
