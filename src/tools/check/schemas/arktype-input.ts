/**
 * The values that types of ArkType accept.
 *
 * @module
 */
import type { Lookup } from '../lookup.ts'
import type { Located } from '../model.ts'
import type { SourceModule } from '../modules.ts'
import { is, memberName, type Of, objectEntries, type SyntaxNode, stringOf, unwrap } from '../syntax.ts'
import { CHECKS, isArkType, KEYWORDS } from './arktype.ts'
import {
  acceptsNothing,
  anyOfInputs,
  type FieldInput,
  type Input,
  type InputReader,
  inputOf,
  type ReadInput,
  withKinds,
} from './input.ts'

/** Reads the inputs of types of ArkType. */
export class ArkTypeInputs implements InputReader {
  readonly #lookup: Lookup

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  reads(place: Located): place is Located<Of<'CallExpression'>> {
    const { module, node } = place
    if (!is(node, 'CallExpression')) return false
    if (isArkType(this.#lookup, module, node.callee)) return true
    const callee = unwrap(node.callee)
    return is(callee, 'MemberExpression') && this.reads(this.#lookup.value(module, callee.object))
  }

  input(place: Located, inner: ReadInput): Input {
    if (!this.reads(place)) return undefined
    const { module, node } = place
    const [first] = node.arguments
    if (isArkType(this.#lookup, module, node.callee)) {
      return node.arguments.length === 1 && first !== undefined
        ? this.#defined(module, first, inner)
        : undefined
    }
    const callee = unwrap(node.callee)
    if (!is(callee, 'MemberExpression')) return undefined
    const method = memberName(callee) ?? ''
    const own = inner(module, callee.object)
    if (CHECKS.has(method) || method === 'pipe' || method === 'to') return own
    if (method === 'default') return withKinds(own, ['undefined'])
    if (method === 'array') return inputOf('array', own)
    if (method !== 'or' || first === undefined) return undefined
    return anyOfInputs([own, this.#defined(module, first, inner)])
  }

  /** Returns the input of a definition: a text, an object, another type. */
  #defined(from: SourceModule, definition: SyntaxNode, inner: ReadInput): Input {
    const { module, node } = this.#lookup.value(from, definition)
    const text = stringOf(node)
    if (text !== undefined) return textInput(text)
    if (!is(node, 'ObjectExpression')) return inner(module, node)
    const properties = objectEntries(node)
    const fields = new Map<string, FieldInput>()
    let isComplete = properties?.complete === true
    for (const [key, { value }] of properties?.entries ?? []) {
      // `[string]` and `...` stand for many members, `+` for the treatment of others.
      if (/^\[.*\]$|^\.\.\.$/.test(key)) isComplete = false
      else if (key !== '+') {
        const name = key.replace(/\?$/, '')
        const input = this.#defined(module, value, inner)
        fields.set(name, { input, isOptional: key.endsWith('?') || acceptsNothing(input) })
      }
    }
    return [{ kind: 'object', fields, isComplete }]
  }
}

/** Returns the input of a definition such as `string.numeric.parse`, `1 <= number < 100`, `'a' | null` or `string[]`. */
function textInput(text: string): Input {
  // Defaults, morphs, intersections and groups are left out.
  if (/[&(]|=>|\|>|(?<![<>=])=(?!=)/.test(text)) return undefined
  const members = text.match(/(?:'[^']*'|"[^"]*"|\/(?:\\.|[^/])*\/|[^|'"/])+/g)
  return members === null ? undefined : anyOfInputs(members.map((member) => memberInput(member.trim())))
}

function memberInput(text: string): Input {
  if (/^(?:'[^']*'|"[^"]*"|\/.*\/)$/.test(text)) return inputOf('string')
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return inputOf('number')
  if (text.endsWith('[]')) return inputOf('array', memberInput(text.slice(0, -2)))
  const bare = text
    .replace(/^-?[\d.]+\s*<=?\s*/, '')
    .replace(/\s*(?:<=?|>=?|==|%)\s*-?[\d.]+$/, '')
    .trim()
  const [, keyword = ''] = /^(\w+)(?:\.\w+)*$/.exec(bare) ?? []
  const kind = bare.startsWith('object.') ? undefined : KEYWORDS.get(keyword)
  return kind && inputOf(kind)
}
