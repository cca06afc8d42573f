/**
 * The optional peer dependencies of `propylon/testing`.
 *
 * @module
 */

interface OptionalPackages {
  'css-select': typeof import('css-select')
  parse5: typeof import('parse5')
  'tough-cookie': typeof import('tough-cookie')
}

/**
 * Imports an optional package on first use. Synchronous, because `response.html` and `cookies.set()` are.
 *
 * @throws Error - the package is not installed.
 */
export function optionalPackage<Name extends keyof OptionalPackages>(name: Name): OptionalPackages[Name] {
  const load = process.getBuiltinModule('node:module').createRequire(import.meta.url)
  try {
    return load(name)
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause
    throw new Error(
      `propylon/testing requires the package ${name}, which is not installed. Run: npm install --save-dev ${name}`,
      { cause },
    )
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
