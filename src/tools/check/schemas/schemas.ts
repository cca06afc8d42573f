/**
 * The shapes of the values that schemas make of a text.
 *
 * @module
 */
import type { Annotations } from '../annotations.ts'
import type { Lookup } from '../lookup.ts'
import type { SourceModule } from '../modules.ts'
import { ANY, type Shape } from '../shapes.ts'
import type { SyntaxNode } from '../syntax.ts'
import { ArkTypeShapes } from './arktype.ts'
import { HandWrittenShapes } from './hand-written.ts'
import { ValibotShapes } from './valibot.ts'
import { ZodShapes } from './zod.ts'

/** Reads the shapes of a schema, if its expression is of this kind of schemas. */
interface SchemaReader {
  shape(from: SourceModule, expression: SyntaxNode): Shape | undefined
}

/** Reads the shapes of schemas from their expressions. */
export class SchemaShapes {
  readonly #readers: readonly SchemaReader[]

  constructor(lookup: Lookup, annotations: Annotations) {
    this.#readers = [
      new ValibotShapes(lookup),
      new ZodShapes(lookup),
      new ArkTypeShapes(lookup),
      new HandWrittenShapes(lookup, annotations),
    ]
  }

  /** Returns the shape of the values of a schema, or `any` if the source does not show it. */
  shape(from: SourceModule, expression: SyntaxNode): Shape {
    for (const reader of this.#readers) {
      const shape = reader.shape(from, expression)
      if (shape !== undefined) return shape
    }
    return ANY
  }
}
