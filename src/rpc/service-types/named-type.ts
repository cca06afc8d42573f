/** Number of types that are searched for a circle. */
const MAX_REACHED = 1000

/** A type that a schema refers to by its place in the document. */
export interface NamedType {
  readonly name: string
  readonly schema: unknown
  readonly position: 'parameter' | 'result'
  /** The named types that this one is an alias, a union or an intersection of. */
  readonly direct: Set<NamedType>
}

/** Returns true if a type is another one, or an alias, a union or an intersection of it. In doubt it is true. */
export function reaches(from: NamedType, target: NamedType): boolean {
  const reached = new Set([from])
  for (const type of reached) {
    for (const next of type.direct) reached.add(next)
    if (reached.size > MAX_REACHED) return true
  }
  return reached.has(target)
}
