/**
 * The values that schemas accept, as far as the sources show them.
 *
 * @module
 */
import type { Located } from '../model.ts'
import type { SourceModule } from '../modules.ts'
import type { ShapeKind } from '../shapes.ts'
import type { SyntaxNode } from '../syntax.ts'

/** A kind of values that a schema accepts. */
export interface InputPart {
  readonly kind: ShapeKind
  /** The members of an object by name. Undefined if they are not known. */
  readonly fields?: ReadonlyMap<string, FieldInput>
  /** Whether `fields` has every member. */
  readonly isComplete?: boolean
  /** The elements of an array. */
  readonly element?: Input
}

/** A member of an object. */
export interface FieldInput {
  readonly input: Input
  readonly isOptional: boolean
}

/** The values that a schema accepts; undefined if the source does not show them. */
export type Input = readonly InputPart[] | undefined

/** Reads the inputs of one kind of schemas. */
export interface InputReader {
  /** Returns true if an expression is a schema of this kind. */
  reads(place: Located): boolean
  /**
   * Returns the values that a schema accepts.
   *
   * @param inner - reads a schema inside this one.
   */
  input(place: Located, inner: ReadInput): Input
}

/** Reads the input of an expression. */
export type ReadInput = (module: SourceModule, expression: SyntaxNode) => Input

/** Returns the input of one kind. */
export function inputOf(kind: ShapeKind, element?: Input): Input {
  return [element === undefined ? { kind } : { kind, element }]
}

/** Returns the input of a schema that accepts what any of some schemas accepts. */
export function anyOfInputs(inputs: readonly Input[]): Input {
  const known = inputs.filter((input) => input !== undefined)
  return known.length === inputs.length ? known.flat() : undefined
}

/** Returns an input that accepts further kinds. */
export function withKinds(input: Input, kinds: readonly ShapeKind[]): Input {
  return input && [...input, ...kinds.map((kind) => ({ kind }))]
}

/** Returns true if a member of this input may be missing. */
export function acceptsNothing(input: Input): boolean {
  return input === undefined || input.some(({ kind }) => kind === 'undefined' || kind === 'any')
}
