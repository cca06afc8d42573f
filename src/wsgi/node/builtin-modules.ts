/**
 * Modules of Node that take long to load.
 *
 * `import 'node:http'` reads each export of the module, and some of them load undici, node:crypto and node:zlib on access. That takes
 * as long as loading the framework. `process.getBuiltinModule` does not read them.
 *
 * @module
 */

/** The module node:http. */
export const http = process.getBuiltinModule('node:http')

/** Returns the module node:https. It loads node:tls and node:crypto. */
export function loadHTTPS(): typeof import('node:https') {
  return process.getBuiltinModule('node:https')
}
