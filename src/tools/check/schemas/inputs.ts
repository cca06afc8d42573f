/**
 * The values that the schemas of Valibot, Zod and ArkType accept.
 *
 * @module
 */
import type { Lookup } from '../lookup.ts'
import type { SourceModule } from '../modules.ts'
import type { SyntaxNode } from '../syntax.ts'
import { ArkTypeInputs } from './arktype-input.ts'
import type { Input, InputReader } from './input.ts'
import { ValibotInputs } from './valibot-input.ts'
import { ZodInputs } from './zod-input.ts'

/** Maximum depth of schemas. One may contain itself. */
const MAX_DEPTH = 12

/** Reads the values that schemas accept. */
export class SchemaInputs {
  readonly #lookup: Lookup
  readonly #readers: readonly InputReader[]

  constructor(lookup: Lookup) {
    this.#lookup = lookup
    this.#readers = [new ValibotInputs(lookup), new ZodInputs(lookup), new ArkTypeInputs(lookup)]
  }

  /** Returns the values that a schema accepts; undefined if the source does not show them. */
  input(from: SourceModule, expression: SyntaxNode, depth = MAX_DEPTH): Input {
    if (depth === 0) return undefined
    const place = this.#lookup.value(from, expression)
    const reader = this.#readers.find((one) => one.reads(place))
    return reader?.input(place, (module, inner) => this.input(module, inner, depth - 1))
  }
}
