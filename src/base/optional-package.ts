/**
 * The optional peer dependencies that are imported on first use.
 *
 * @module
 */

import { builtin } from './builtin.ts'

/** Types of the packages, by name. */
export interface OptionalPackages {
  '@valibot/to-json-schema': typeof import('@valibot/to-json-schema')
  'css-select': typeof import('css-select')
  kysely: typeof import('kysely')
  parse5: typeof import('parse5')
  'tough-cookie': typeof import('tough-cookie')
  yaml: typeof import('yaml')
}

/**
 * Imports an optional package. Synchronous, because `response.html` and `cookies.set()` of a test are.
 *
 * @param feature - the feature that requires the package, for the message.
 * @param install - the command that installs it, for the message.
 * @throws Error - the package is not installed, or the runtime has no `node:module`.
 */
export function optionalPackage<Name extends keyof OptionalPackages>(
  name: Name,
  feature: string,
  install = 'npm install',
): OptionalPackages[Name] {
  const load = builtin('node:module').createRequire(import.meta.url)
  try {
    return load(name)
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause
    throw new Error(
      `${feature} requires the package ${name}, which is not installed. Run: ${install} ${name}`,
      { cause },
    )
  }
}

/** Imports an optional package. Undefined if it is not installed, or if the runtime has no `node:module` or no files. */
export function installedPackage<Name extends keyof OptionalPackages>(
  name: Name,
): OptionalPackages[Name] | undefined {
  const hasModules = typeof process !== 'undefined' && typeof process.getBuiltinModule === 'function'
  // Bundles for Workers have another URL, or none.
  if (!hasModules || !String(import.meta.url).startsWith('file:')) return undefined
  try {
    return builtin('node:module').createRequire(import.meta.url)(name)
  } catch (cause) {
    if (isMissing(cause, name)) return undefined
    throw cause
  }
}

/** Returns false if the package is installed and one of its own imports is missing. */
function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(error.code)) &&
    error.message.includes(`'${name}'`)
  )
}
