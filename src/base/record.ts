/** Returns true for an object whose members may be read by name: not null and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const NO_MEMBERS = Object.freeze(Object.create(null))

/**
 * Returns an object that has and inherits no members, for names that clients choose. V8 keeps its members in slots,
 * and the members of `Object.create(null)` in a hash table, which takes longer for a few of them.
 */
export function emptyObject(): Record<string, never> {
  return Object.create(NO_MEMBERS)
}
