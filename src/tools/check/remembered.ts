/** Returns a function that calls another one once for each argument. */
export function remembered<Key, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, { readonly value: Value }>()
  return (key) => {
    const made = known.get(key) ?? { value: read(key) }
    known.set(key, made)
    return made.value
  }
}
