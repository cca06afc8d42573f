/**
 * Returns a function that computes a value once for each object, and keeps it as long as the object lives.
 *
 * @param compute - computes the value. Further arguments must not change it.
 *
 * @example
 * ```ts
 * const nameOf = oncePer((type: { name: string }) => type.name.toLowerCase())
 * nameOf(Date) // 'date'
 * ```
 */
export function oncePer<Key extends WeakKey, Further extends unknown[], Value>(
  compute: (key: Key, ...further: Further) => Value,
): (key: Key, ...further: Further) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>()
  return (key, ...further) => {
    let entry = known.get(key)
    if (entry === undefined) {
      entry = { value: compute(key, ...further) }
      known.set(key, entry)
    }
    return entry.value
  }
}
