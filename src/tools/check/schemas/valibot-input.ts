/**
 * The values that schemas of Valibot accept.
 *
 * @module
 */
import type { Lookup } from '../lookup.ts'
import type { Located } from '../model.ts'
import type { SourceModule } from '../modules.ts'
import type { ShapeKind } from '../shapes.ts'
import { is, type Of, objectEntries, type SyntaxNode, unwrap } from '../syntax.ts'
import {
  acceptsNothing,
  anyOfInputs,
  type Input,
  type InputReader,
  inputOf,
  type ReadInput,
  withKinds,
} from './input.ts'
import { literalInput } from './literal-input.ts'
import { valibotName } from './valibot.ts'

const KINDS: ReadonlyMap<string, ShapeKind> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['bigint', 'bigint'],
  ['date', 'date'],
  ['null', 'null'],
  ['null_', 'null'],
  ['record', 'object'],
  ['tuple', 'array'],
  ['picklist', 'string'],
])

const OBJECTS: ReadonlySet<string> = new Set(['object', 'strictObject', 'looseObject'])

/** Wrappers by the kinds that they add. */
const WRAPPERS: ReadonlyMap<string, readonly ShapeKind[]> = new Map([
  ['optional', ['undefined']],
  ['exactOptional', ['undefined']],
  ['undefinedable', ['undefined']],
  ['nullable', ['null']],
  ['nullish', ['null', 'undefined']],
])

/** Reads the inputs of schemas of Valibot. */
export class ValibotInputs implements InputReader {
  readonly #lookup: Lookup

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  reads(place: Located): place is Located<Of<'CallExpression'>> {
    return is(place.node, 'CallExpression') && this.#name(place.module, place.node.callee) !== undefined
  }

  input(place: Located, inner: ReadInput): Input {
    if (!this.reads(place)) return undefined
    const { module, node } = place
    const name = this.#name(module, node.callee) ?? ''
    const [first] = node.arguments
    if (first === undefined) {
      const kind = KINDS.get(name)
      return kind && name !== 'picklist' ? inputOf(kind) : undefined
    }
    if (name === 'pipe') return inner(module, first)
    if (name === 'array') return inputOf('array', inner(module, first))
    if (OBJECTS.has(name)) return objectInput(this.#lookup.value(module, first), inner)
    const added = WRAPPERS.get(name)
    if (added !== undefined) return withKinds(inner(module, first), added)
    if (name === 'literal') return literalInput(first)
    const list = unwrap(first)
    if (name === 'union' && is(list, 'ArrayExpression'))
      return anyOfInputs(list.elements.map((one) => (one === null ? undefined : inner(module, one))))
    if (name === 'picklist' && is(list, 'ArrayExpression'))
      return anyOfInputs(list.elements.map((one) => (one === null ? undefined : literalInput(one))))
    const kind = KINDS.get(name)
    // A message may be the first argument.
    return kind && name !== 'picklist' ? inputOf(kind) : undefined
  }

  #name(module: SourceModule, callee: SyntaxNode): string | undefined {
    return valibotName(this.#lookup, module, callee)
  }
}

/** Returns the input of an object whose members are schemas, by the object literal with them. */
export function objectInput({ module, node }: Located, inner: ReadInput): Input {
  const properties = objectEntries(node)
  if (properties === undefined) return inputOf('object')
  const fields = new Map(
    [...properties.entries].map(([name, { kind, value }]) => {
      const input = kind === 'init' ? inner(module, value) : undefined
      return [name, { input, isOptional: acceptsNothing(input) }] as const
    }),
  )
  return [{ kind: 'object', fields, isComplete: properties.complete }]
}
