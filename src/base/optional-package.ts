/**
 * The optional peer dependencies, and the parser that bundles do not contain, which are imported on first use.
 *
 * @module
 */

import { builtin } from './builtin.ts'

/** Types of the packages, by name. */
export interface OptionalPackages {
  '@opentelemetry/api': typeof import('@opentelemetry/api')
  '@valibot/to-json-schema': typeof import('@valibot/to-json-schema')
  acorn: typeof import('acorn')
  'crossws/adapters/bun': typeof import('crossws/adapters/bun')
  'crossws/adapters/deno': typeof import('crossws/adapters/deno')
  'crossws/adapters/node': typeof import('crossws/adapters/node')
  'css-select': typeof import('css-select')
  'file-type': typeof import('file-type')
  'intl-messageformat': typeof import('intl-messageformat')
  kysely: typeof import('kysely')
  parse5: typeof import('parse5')
  'tough-cookie': typeof import('tough-cookie')
}

/**
 * Imports an optional package. Synchronous, because `response.html` and `cookies.set()` of a test are, and so that
 * the first request is traced.
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
  return find(name, (load) => load(name)) ?? missing(name, feature, install)
}

/**
 * Returns the absolute path of a file of an optional package, without loading it.
 *
 * @param file - path of the file within the package.
 * @param feature - the feature that requires the package, for the message.
 * @param install - the command that installs it, for the message.
 * @throws Error - the package is not installed, or the runtime has no `node:module`.
 */
export function optionalPackageFile(name: string, file: string, feature: string, install: string): string {
  const path = `${name}/${file}`
  return find(path, ({ resolve }) => resolve(path)) ?? missing(path, feature, install)
}

/** Returns undefined if the package is not installed. */
function find<T>(path: string, read: (load: NodeJS.Require) => T): T | undefined {
  try {
    return read(builtin('node:module').createRequire(import.meta.url))
  } catch (cause) {
    if (isMissing(cause, path)) return undefined
    throw cause
  }
}

function missing(path: string, feature: string, install: string): never {
  const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(path) ?? [path]
  throw new Error(`${feature} requires the package ${name}, which is not installed. Run: ${install} ${name}`)
}

/**
 * Imports an optional package. Undefined if it is not installed, or if the runtime has no `node:module` or no files.
 */
export function installedPackage<Name extends keyof OptionalPackages>(name: Name): OptionalPackages[Name] | undefined {
  return hasPackages() ? find(name, (load) => load(name)) : undefined
}

/**
 * Returns true if the runtime has `node:module`, and this module is a file. Bundles for Workers have another URL, or
 * none.
 */
export function hasPackages(): boolean {
  const hasModules = typeof process !== 'undefined' && typeof process.getBuiltinModule === 'function'
  return hasModules && String(import.meta.url).startsWith('file:')
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
