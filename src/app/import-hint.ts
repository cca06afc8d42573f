import { isInstance, memberOf } from '../base/thrown.ts'

/**
 * Adds to the error of an `import` the name of the file that was probably meant: `base.ts` for `./base` or `./base.js`.
 * Leaves other errors unchanged, and also errors of runtimes other than Node.
 *
 * @returns the error.
 */
export function withImportHint<Thrown>(error: Thrown): Thrown {
  if (!isInstance(error, Error) || memberOf(error, 'code') !== 'ERR_MODULE_NOT_FOUND') return error
  const url = memberOf(error, 'url')
  if (typeof url !== 'string' || HINT.test(error.message)) return error
  const meant = existingFile(url)
  if (meant === undefined) return error
  const { message, stack = '' } = error // Node composes the stack from the message when it is first read.
  error.message = `${message} (did you mean '${meant}'? Node requires the file extension in an import)`
  error.stack = stack.replace(message, () => error.message)
  return error
}

const HINT = / \(did you mean '.*'\? Node requires the file extension in an import\)$/

/** Removes the hint from a message. */
export function withoutImportHint(message: string): string {
  return message.replace(HINT, '')
}

/** Returns the name of the TypeScript file that exists beside a URL without a file. */
function existingFile(url: string): string | undefined {
  const { existsSync } = process.getBuiltinModule('node:fs')
  const { fileURLToPath } = process.getBuiltinModule('node:url')
  const { basename } = process.getBuiltinModule('node:path')
  const { protocol, pathname } = new URL(url)
  if (protocol !== 'file:') return undefined
  const file = new URL(`file://${pathname.replace(/\.js$/, '')}.ts`)
  return existsSync(file) ? basename(fileURLToPath(file)) : undefined
}
