/** Least lengths of text that a schema trims before it counts: blanks at both ends do not count. */

/** A JSON Schema while its library makes it. */
export interface UnfinishedSchema {
  pattern?: string | undefined
  allOf?: unknown
}

/**
 * Adds the pattern of text that has a least length after `String.prototype.trim()`. `minLength` alone would allow blanks, which the
 * schema refuses.
 */
export function countTrimmed(schema: UnfinishedSchema, minLength: unknown): void {
  if (typeof minLength !== 'number' || minLength < 1) return
  const pattern = minLength === 1 ? '\\S' : `\\S[\\s\\S]{${Math.ceil(minLength) - 2},}\\S`
  if (schema.pattern === undefined) schema.pattern = pattern
  else schema.allOf = [...(Array.isArray(schema.allOf) ? schema.allOf : []), { pattern }]
}
