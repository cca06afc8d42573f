const kept = new Map<string, unknown>()

/**
 * Makes something once in a process, however often the module that asks for it is loaded anew: a database connection, a
 * pool, a timer, a cache. Without live reloading a module is loaded once anyway, and `keep` only calls `make`.
 *
 * What it is named after should tell what it depends on: another name makes another one.
 *
 * @param name - the name in the whole process; begin it with something of your own.
 * @param make - makes it. When it throws, or gives a promise that rejects, nothing is kept and the next call tries again.
 * @returns what `make` gave at the first call with this name.
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
export function keep<Thing>(name: string, make: () => Thing): Thing {
  // A name stands for one kind of thing: whoever uses it for two gets what was made first.
  if (kept.has(name)) return kept.get(name) as Thing
  const thing = make()
  kept.set(name, thing)
  if (thing instanceof Promise) {
    thing.catch(() => {
      if (kept.get(name) === thing) kept.delete(name)
    })
  }
  return thing
}
