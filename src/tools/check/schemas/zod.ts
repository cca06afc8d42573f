/**
 * The shapes of the values of schemas of Zod 3 and 4, and of Zod Mini.
 *
 * @module
 */
import { GLOBAL_FUNCTIONS } from '../expressions.ts'
import type { Lookup } from '../lookup.ts'
import type { SourceModule } from '../modules.ts'
import { ANY, literalShape, type Shape, type ShapeKind, shapeOf, unionOf } from '../shapes.ts'
import { is, memberName, type Of, type SyntaxNode, unwrap } from '../syntax.ts'

const STRINGS =
  'string email url httpUrl uuid uuidv4 uuidv6 uuidv7 guid emoji nanoid cuid cuid2 ulid xid ksuid ipv4 ipv6 mac cidrv4 ' +
  'cidrv6 base64 base64url e164 jwt hostname hex hash templateLiteral coerce.string iso.date iso.time iso.datetime ' +
  'iso.duration'
const NUMBERS = 'number int int32 uint32 float32 float64 nan coerce.number'
const OBJECTS = 'object strictObject looseObject record partialRecord looseRecord map set file'

/** Functions that create a schema, by the kind of its values. */
export const KINDS: ReadonlyMap<string, ShapeKind> = new Map([
  ...kindsOf(STRINGS, 'string'),
  ...kindsOf(NUMBERS, 'number'),
  ...kindsOf(OBJECTS, 'object'),
  ...kindsOf('boolean stringbool coerce.boolean', 'boolean'),
  ...kindsOf('bigint int64 uint64 coerce.bigint', 'bigint'),
  ...kindsOf('date coerce.date', 'date'),
  ...kindsOf('array tuple', 'array'),
  ...kindsOf('undefined void', 'undefined'),
  ...kindsOf('null', 'null'),
  ...kindsOf('symbol', 'symbol'),
])

/** Methods that leave the kind of the values as it is. */
export const CHECKS: ReadonlySet<string> = new Set(
  (
    'base64 base64url brand catch check cidr cuid cuid2 date datetime describe duration e164 email emoji endsWith finite ' +
    'gt gte guid includes int ip ipv4 ipv6 jwt length lowercase lt lte max meta min multipleOf nanoid negative nonempty ' +
    'nonnegative nonpositive normalize overwrite positive readonly refine regex register safe size slugify startsWith step ' +
    'superRefine time toLowerCase toUpperCase trim ulid uppercase url uuid with xid'
  ).split(' '),
)

/** Methods and functions by the kinds that they add. */
export const WRAPPERS: ReadonlyMap<string, readonly ShapeKind[]> = new Map([
  ['optional', ['undefined']],
  ['nullable', ['null']],
  ['nullish', ['null', 'undefined']],
])

/** Methods and functions that replace a missing value. */
export const DEFAULTS: ReadonlySet<string> = new Set(['default', '_default', 'prefault'])

/** Reads the shapes of schemas of Zod. */
export class ZodShapes {
  readonly #lookup: Lookup

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  /** Returns the shape of the values of a schema; undefined if it is not one of Zod, `any` if it is not a simple one. */
  shape(from: SourceModule, expression: SyntaxNode): Shape | undefined {
    const { module, node } = this.#lookup.value(from, expression)
    if (!is(node, 'CallExpression')) return undefined
    const path = zodPath(this.#lookup, module, node.callee)
    if (path !== undefined) return this.#created(module, path, node.arguments)
    const callee = unwrap(node.callee)
    const inner = is(callee, 'MemberExpression') ? this.shape(module, callee.object) : undefined
    return inner && this.#changed(module, inner, memberName(callee) ?? '', node.arguments)
  }

  /** Returns the shape of a schema that a function of Zod creates. */
  #created(module: SourceModule, path: string, [first, second]: readonly SyntaxNode[]): Shape {
    const kind = KINDS.get(path)
    if (path === 'array' && first !== undefined) return shapeOf('array', this.#inner(module, first))
    if (kind !== undefined) return shapeOf(kind)
    if (first === undefined) return ANY
    if (path === 'literal') return literals(first)
    if (path === 'enum') return is(unwrap(first), 'ArrayExpression') ? shapeOf('string') : ANY
    if (path === 'union') return this.#union(module, first)
    if ((path === 'preprocess' || path === 'pipe') && second !== undefined) return this.#inner(module, second)
    if (path === 'transform') return resultOf(module, first)
    if (WRAPPERS.has(path) || DEFAULTS.has(path))
      return this.#changed(module, this.#inner(module, first), path, [])
    return ANY
  }

  /** Returns the shape of a schema after a method of it. */
  #changed(module: SourceModule, inner: Shape, method: string, [first]: readonly SyntaxNode[]): Shape {
    if (CHECKS.has(method)) return inner
    const added = WRAPPERS.get(method)
    if (added !== undefined) return [...inner, ...added.map((kind) => ({ kind }))]
    if (DEFAULTS.has(method)) return inner.filter(({ kind }) => kind !== 'undefined')
    if (method === 'array') return shapeOf('array', inner)
    if (first === undefined) return ANY
    if (method === 'pipe') return this.#inner(module, first)
    if (method === 'or') return unionOf([inner, this.#inner(module, first)])
    return method === 'transform' ? resultOf(module, first) : ANY
  }

  #inner(module: SourceModule, expression: SyntaxNode): Shape {
    return this.shape(module, expression) ?? ANY
  }

  #union(module: SourceModule, list: SyntaxNode): Shape {
    const node = unwrap(list)
    if (!is(node, 'ArrayExpression')) return ANY
    return unionOf(node.elements.map((element) => (element === null ? ANY : this.#inner(module, element))))
  }
}

/** Returns the name of a function below the namespace of Zod: `coerce.number`. */
export function zodPath(lookup: Lookup, module: SourceModule, callee: SyntaxNode): string | undefined {
  const node = unwrap(callee)
  if (is(node, 'Identifier')) {
    const meaning = lookup.name(module, node.name)
    if (meaning?.kind !== 'external' || !/^zod(?:\/|$)/.test(meaning.from)) return undefined
    return ['z', 'default', '*'].includes(meaning.name) ? '' : meaning.name
  }
  if (!is(node, 'MemberExpression')) return undefined
  const owner = zodPath(lookup, module, node.object)
  const name = memberName(node)
  if (owner === undefined || name === undefined) return undefined
  return owner === '' ? name : `${owner}.${name}`
}

function literals(argument: SyntaxNode): Shape {
  const node = unwrap(argument)
  if (!is(node, 'ArrayExpression')) return literalShape(node)
  return unionOf(node.elements.map((element) => (element === null ? ANY : literalShape(unwrap(element)))))
}

/** Returns the shape of the results of a function of the language, such as Number. */
function resultOf(module: SourceModule, change: SyntaxNode): Shape {
  const node: SyntaxNode | Of<'Identifier'> = unwrap(change)
  if (!is(node, 'Identifier') || module.declarations.values.has(node.name)) return ANY
  const kind = Object.hasOwn(GLOBAL_FUNCTIONS, node.name) ? GLOBAL_FUNCTIONS[node.name] : undefined
  return kind === undefined ? ANY : shapeOf(kind)
}

function kindsOf(names: string, kind: ShapeKind): [string, ShapeKind][] {
  return names.split(' ').map((name) => [name, kind])
}
