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

const MAX_CACHED = 256
const MAX_CACHED_LENGTH = 256

/**
 * Returns a function that computes a value once for each text. Programs send few different ones, but clients choose
 * them, so number and length are limited. Errors are thrown again.
 */
export function oncePerText<Value>(compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, { readonly value: Value }>()
  return (text) => {
    const entry = known.get(text)
    if (entry !== undefined) return entry.value
    if (text.length > MAX_CACHED_LENGTH) return compute(text)
    // A copy, because V8 keeps the whole text that a part was cut from.
    const copy: string = JSON.parse(JSON.stringify(text))
    const value = compute(copy)
    if (known.size === MAX_CACHED) known.clear()
    known.set(copy, { value })
    return value
  }
}
