/** Modules that only some code of this package requires, and that not every runtime has. */
interface Builtins {
  'node:crypto': typeof import('node:crypto')
  'node:diagnostics_channel': typeof import('node:diagnostics_channel')
  'node:fs': typeof import('node:fs')
  'node:http': typeof import('node:http')
  'node:https': typeof import('node:https')
  'node:module': typeof import('node:module')
  'node:net': typeof import('node:net')
  'node:os': typeof import('node:os')
  'node:path': typeof import('node:path')
  'node:stream': typeof import('node:stream')
  'node:url': typeof import('node:url')
  'node:util': typeof import('node:util')
  'node:zlib': typeof import('node:zlib')
}

/**
 * Returns a module of Node. Bun and Deno have it too. The module is not imported, so that bundles for other runtimes
 * need not resolve it.
 *
 * @throws Error - the runtime lacks the module.
 *
 * @example
 * ```ts
 * builtin('node:path').join('public', 'app.css')
 * ```
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const load = typeof process === 'undefined' ? undefined : process.getBuiltinModule
  if (load === undefined) throw new Error(`This runtime lacks ${name}. Use Node, Bun or Deno.`)
  return load(name)
}
