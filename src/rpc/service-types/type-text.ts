import { literal } from './text.ts'

/** Returns the literal type of a value, or undefined if it has none. */
export function literalType(value: unknown): string | undefined {
  if (typeof value === 'string') return literal(value)
  if (value === null || typeof value === 'boolean') return String(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined
}

/**
 * Formats a union. Unions and intersections are in parentheses, so that they can be parts of other types.
 *
 * @param any - types that allow any value.
 */
export function union(types: Iterable<string>, any: readonly string[]): string {
  const distinct = new Set(types)
  for (const each of any) if (distinct.has(each)) return each
  distinct.delete('never')
  return compound(distinct, '|') ?? 'never'
}

/** Formats a union or an intersection; undefined if there is no type. */
export function compound(types: ReadonlySet<string>, operator: '|' | '&'): string | undefined {
  return types.size > 1 ? `(${[...types].join(` ${operator} `)})` : [...types][0]
}

/** Removes the parentheses around a union or an intersection where no operator follows. */
export function bare(type: string): string {
  return type.startsWith('(') && type.endsWith(')') ? type.slice(1, -1) : type
}
