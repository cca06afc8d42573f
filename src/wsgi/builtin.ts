/** Modules that only some code of this package requires, and that not every runtime has. */
type BuiltinName = 'node:crypto' | 'node:fs' | 'node:path' | 'node:url' | 'node:util' | 'node:zlib'

/**
 * Returns a module of Node. Bun and Deno have it too. The module is not imported, so that bundles for other runtimes need
 * not resolve it.
 *
 * @throws Error - the runtime lacks the module.
 *
 * @example
 * ```ts
 * builtin('node:path').join('public', 'app.css')
 * ```
 */
export function builtin<Name extends BuiltinName>(name: Name) {
  const load = typeof process === 'undefined' ? undefined : process.getBuiltinModule
  if (load === undefined) {
    throw new Error(`This runtime lacks ${name}, which files require. Use Node, Bun or Deno.`)
  }
  return load(name)
}
