/**
 * The shapes of the values of types of ArkType.
 *
 * @module
 */
import { GLOBAL_FUNCTIONS } from '../expressions.ts'
import type { Lookup } from '../lookup.ts'
import type { SourceModule } from '../modules.ts'
import { ANY, type Shape, type ShapeKind, shapeOf, unionOf } from '../shapes.ts'
import { is, memberName, type SyntaxNode, stringOf, unwrap } from '../syntax.ts'

/** Keywords by the kind of the values. */
export const KEYWORDS: ReadonlyMap<string, ShapeKind> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['true', 'boolean'],
  ['false', 'boolean'],
  ['bigint', 'bigint'],
  ['symbol', 'symbol'],
  ['undefined', 'undefined'],
  ['null', 'null'],
  ['object', 'object'],
  ['Date', 'date'],
])

/** Keywords that convert a text, by the kind of the result. */
const PARSERS: ReadonlyMap<string, ShapeKind> = new Map([
  ['string.numeric.parse', 'number'],
  ['string.integer.parse', 'number'],
  ['string.date.parse', 'date'],
  ['string.date.iso.parse', 'date'],
  ['string.date.epoch.parse', 'date'],
  ['string.url.parse', 'object'],
])

/** Methods that leave the kind of the values as it is. */
export const CHECKS: ReadonlySet<string> = new Set(
  (
    'atLeastLength atMostLength atLeast atMost brand configure describe divisibleBy exactlyLength filter lessThan ' +
    'lessThanLength matching moreThan moreThanLength narrow readonly satisfying'
  ).split(' '),
)

/** Reads the shapes of types of ArkType. */
export class ArkTypeShapes {
  readonly #lookup: Lookup

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  /** Returns the shape of the values of a type; undefined if it is not one of ArkType, `any` if it is not a simple one. */
  shape(from: SourceModule, expression: SyntaxNode): Shape | undefined {
    const { module, node } = this.#lookup.value(from, expression)
    if (!is(node, 'CallExpression')) return undefined
    if (isArkType(this.#lookup, module, node.callee)) {
      return node.arguments.length === 1 ? this.#defined(module, node.arguments[0]) : ANY
    }
    const callee = unwrap(node.callee)
    const inner = is(callee, 'MemberExpression') ? this.shape(module, callee.object) : undefined
    return inner && this.#changed(module, inner, memberName(callee) ?? '', node.arguments)
  }

  /** Returns the shape of a definition: a text, an object, a type. */
  #defined(from: SourceModule, definition: SyntaxNode | undefined): Shape {
    if (definition === undefined) return ANY
    const { module, node } = this.#lookup.value(from, definition)
    const text = stringOf(node)
    if (text !== undefined) return shapeOfText(text)
    if (is(node, 'ObjectExpression')) return shapeOf('object')
    return this.shape(module, node) ?? ANY
  }

  #changed(module: SourceModule, inner: Shape, method: string, given: readonly SyntaxNode[]): Shape {
    const [first] = given
    if (CHECKS.has(method)) return inner
    if (method === 'default') return inner
    if (method === 'array') return shapeOf('array', inner)
    if (given.length !== 1 || first === undefined) return ANY
    if (method === 'to') return this.#defined(module, first)
    if (method === 'or') return unionOf([inner, this.#defined(module, first)])
    if (method !== 'pipe') return ANY
    const change = unwrap(first)
    if (!is(change, 'Identifier') || module.declarations.values.has(change.name))
      return this.shape(module, first) ?? ANY
    const kind = Object.hasOwn(GLOBAL_FUNCTIONS, change.name) ? GLOBAL_FUNCTIONS[change.name] : undefined
    return kind === undefined ? ANY : shapeOf(kind)
  }
}

/** Returns true for the function `type` of ArkType. */
export function isArkType(lookup: Lookup, module: SourceModule, callee: SyntaxNode): boolean {
  const meaning = lookup.expression(module, callee)
  return meaning?.kind === 'external' && meaning.from === 'arktype' && meaning.name === 'type'
}

/** Returns the shape of a definition such as `string.numeric.parse`, `1 <= number < 100`, `'a' | 'b'` or `string[]`. */
function shapeOfText(text: string): Shape {
  const members = text.match(/(?:'[^']*'|"[^"]*"|\/(?:\\.|[^/])*\/|[^|'"/])+/g)
  return members === null ? ANY : unionOf(members.map((member) => shapeOfMember(member.trim())))
}

function shapeOfMember(text: string): Shape {
  if (/^(?:'[^']*'|"[^"]*"|\/.*\/)$/.test(text)) return shapeOf('string')
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return shapeOf('number')
  if (text.endsWith('[]')) return shapeOf('array', shapeOfMember(text.slice(0, -2)))
  const bare = text
    .replace(/^-?[\d.]+\s*<=?\s*/, '')
    .replace(/\s*(?:<=?|>=?|==|%)\s*-?[\d.]+$/, '')
    .trim()
  const parsed = PARSERS.get(bare)
  if (parsed !== undefined) return shapeOf(parsed)
  const [, keyword = '', rest = ''] = /^(\w+)((?:\.\w+)*)$/.exec(bare) ?? []
  const kind = KEYWORDS.get(keyword)
  return kind === undefined || /\.(?:parse|instance)$/.test(rest) ? ANY : shapeOf(kind)
}
