const kept = new Map<string, unknown>()

/**
 * Creates a value once per process and returns the same value at every later call with its name, even after the calling
 * module was reloaded: a database connection, a timer, a cache. Without live reload a module is loaded once, and `keep`
 * only calls `make`.
 *
 * Include in the name whatever the value depends on, such as a path: another name creates another value.
 *
 * @see docs/reference/reloading.md
 * @param name - unique in the process.
 * @param make - creates the value. If it throws, or its promise rejects, the next call tries again.
 * @returns the value that the first call with this name created.
 *
 * @example
 * ```ts
 * // model/database.ts
 * import { DatabaseSync } from 'node:sqlite'
 * import { keep } from 'propylon'
 *
 * const path = process.env.DATABASE ?? 'var/app.db'
 * export const database = keep(`database ${path}`, () => new DatabaseSync(path))
 * ```
 */
export function keep<Value>(name: string, make: () => Value): Value {
  // The type holds if every call with this name creates the same type of value.
  if (kept.has(name)) return kept.get(name) as Value
  const value = make()
  kept.set(name, value)
  if (value instanceof Promise) {
    value.catch(() => {
      if (kept.get(name) === value) kept.delete(name)
    })
  }
  return value
}
