/**
 * The values that schemas of Zod accept.
 *
 * @module
 */
import type { Lookup } from '../lookup.ts'
import type { Located } from '../model.ts'
import type { ShapeKind } from '../shapes.ts'
import { is, memberName, type Of, type SyntaxNode, unwrap } from '../syntax.ts'
import { anyOfInputs, type Input, type InputReader, inputOf, type ReadInput, withKinds } from './input.ts'
import { literalInput } from './literal-input.ts'
import { objectInput } from './valibot-input.ts'
import { CHECKS, DEFAULTS, KINDS, WRAPPERS, zodPath } from './zod.ts'

/** Functions whose input is not the kind of their values. */
const INPUTS: ReadonlyMap<string, ShapeKind> = new Map([['stringbool', 'string']])

/** Functions that take the members of an object. */
const OBJECTS: ReadonlySet<string> = new Set(['object', 'strictObject', 'looseObject'])

/** Methods that change what is done with other members of an object, or what follows the input. */
const NEUTRAL: ReadonlySet<string> = new Set(['loose', 'passthrough', 'pipe', 'strict', 'strip', 'transform'])

/** Reads the inputs of schemas of Zod. */
export class ZodInputs implements InputReader {
  readonly #lookup: Lookup

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  reads(place: Located): place is Located<Of<'CallExpression'>> {
    const { module, node } = place
    if (!is(node, 'CallExpression')) return false
    if (zodPath(this.#lookup, module, node.callee) !== undefined) return true
    const callee = unwrap(node.callee)
    return is(callee, 'MemberExpression') && this.reads(this.#lookup.value(module, callee.object))
  }

  input(place: Located, inner: ReadInput): Input {
    if (!this.reads(place)) return undefined
    const { module, node } = place
    const path = zodPath(this.#lookup, module, node.callee)
    if (path !== undefined) return this.#created(place, path, inner)
    const callee = unwrap(node.callee)
    if (!is(callee, 'MemberExpression')) return undefined
    const method = memberName(callee) ?? ''
    const [first] = node.arguments
    const own = inner(module, callee.object)
    if (NEUTRAL.has(method) || (CHECKS.has(method) && method !== 'catch')) return own
    if (DEFAULTS.has(method)) return withKinds(own, ['undefined'])
    const added = WRAPPERS.get(method)
    if (added !== undefined) return withKinds(own, added)
    if (method === 'array') return inputOf('array', own)
    return method === 'or' && first !== undefined ? anyOfInputs([own, inner(module, first)]) : undefined
  }

  /** Returns the input of a schema that a function of Zod creates. */
  #created({ module, node }: Located<Of<'CallExpression'>>, path: string, inner: ReadInput): Input {
    const [first] = node.arguments
    if (path.startsWith('coerce.')) return undefined
    const kind = INPUTS.get(path) ?? KINDS.get(path)
    if (first === undefined) return kind && inputOf(kind)
    if (OBJECTS.has(path)) return objectInput(this.#lookup.value(module, first), inner)
    if (path === 'array') return inputOf('array', inner(module, first))
    if (kind !== undefined) return inputOf(kind)
    if (path === 'pipe') return inner(module, first)
    if (path === 'literal' || path === 'enum') return anyOfInputs(elementsOf(first).map(literalInput))
    if (path === 'union') {
      return anyOfInputs(elementsOf(first).map((one) => inner(module, one)))
    }
    if (DEFAULTS.has(path)) return withKinds(inner(module, first), ['undefined'])
    const added = WRAPPERS.get(path)
    return added && withKinds(inner(module, first), added)
  }
}

/** Returns the elements of an array literal, or the expression itself. */
function elementsOf(expression: SyntaxNode): SyntaxNode[] {
  const node = unwrap(expression)
  return is(node, 'ArrayExpression') ? node.elements.filter((one) => one !== null) : [node]
}
