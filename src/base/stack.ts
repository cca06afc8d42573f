/**
 * Stacks of errors as logs show them.
 *
 * @module
 */
import { FRAMEWORK_FOLDER } from './framework-folder.ts'

/** A frame in the format of V8: `    at name (file:///path:1:2)`, or without a name `    at file:///path:1:2`. */
const FRAME = /^\s+at (?:async )?/

/** Number of frames that V8 captures by default. */
const V8_DEFAULT = 10

/**
 * Puts the frames of the application first, then the frames of its packages. Frames of this package and of the
 * runtime become a number, because they are the same for every action.
 *
 * @param message - the message of the error. Its lines are not frames, even if they look so.
 * @param kept - number of frames of this package and of the runtime that stay if the application has none. With 0
 *   they are not even counted then.
 */
export function applicationFirst(stack: string, message: string, kept = V8_DEFAULT): string {
  const begin = message === '' ? 0 : stack.indexOf(message)
  // The message changed after the stack was captured, so that its lines cannot be told from frames.
  if (begin < 0 && message.includes('\n')) return stack
  const headEnd = stack.indexOf('\n', begin < 0 ? 0 : begin + message.length)
  if (headEnd < 0) return stack
  const lines = stack.slice(headEnd + 1).split('\n')
  const ofOwner = (owner: CodeOwner | undefined) => lines.filter((line) => ownerOfFrame(line) === owner)
  const application = ofOwner('application')
  const framework = ofOwner('framework')
  const shown = application.length === 0 ? framework.slice(0, kept) : []
  const hidden = framework.length - shown.length
  if (hidden === 0) return stack
  const isCounted = kept > 0 || application.length > 0
  return [
    stack.slice(0, headEnd),
    ...shown,
    ...application,
    ...ofOwner('package'),
    ...(isCounted ? [`    and ${hidden} ${hidden === 1 ? 'frame' : 'frames'} of propylon and the runtime`] : []),
    ...ofOwner(undefined),
  ].join('\n')
}

/**
 * Makes V8 capture 25 frames, so that an error deep in a template or a package still has the line of the controller.
 * Leaves a number that the application has set, and other engines, unchanged.
 */
export function captureLongStacks(): void {
  // Reflect.set does not throw if the intrinsics are frozen.
  if (Error.stackTraceLimit === V8_DEFAULT) Reflect.set(Error, 'stackTraceLimit', 25)
}

/** Returns the owner of the code of a frame, or undefined for a line that is not a frame. */
function ownerOfFrame(line: string): CodeOwner | undefined {
  if (!FRAME.test(line)) return undefined
  const bracket = line.indexOf(' (')
  return ownerOf(bracket < 0 ? line.replace(FRAME, '') : line.slice(bracket + 2))
}

/** Author of code: of the application, of a package, or of this package and the runtime. */
export type CodeOwner = 'application' | 'package' | 'framework'

/** Returns the owner of the code in a file. @param file - URL or path, as the engine writes it in a frame. */
export function ownerOf(file: string): CodeOwner {
  if (!/^(?:file:|[A-Za-z]:[\\/]|\/)/.test(file)) return 'framework' // `node:internal/…`, `native`, `<anonymous>`
  const url = file.startsWith('/') ? `file://${file}` : file
  if (FRAMEWORK_FOLDER !== undefined && url.startsWith(FRAMEWORK_FOLDER)) return 'framework'
  return /[\\/]node_modules[\\/]/.test(file) ? 'package' : 'application'
}
