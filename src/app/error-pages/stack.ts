/**
 * The frames of an error's stack.
 *
 * @module
 */
import { type CodeOwner, ownerOf } from '../../base/stack.ts'
import { filePath, type Place } from './source.ts'

/** A frame of a stack. */
export interface Frame {
  /** The function as the runtime names it; empty at the top level of a module. */
  readonly name: string
  readonly place: Place
  /** Author of the code. */
  readonly owner: CodeOwner
}

const FRAME = /^\s*at (?:(.+?) \()?(?:async )?(\S.*?):(\d+):(\d+)\)?$/

/**
 * Parses the stack of an error, which has the format of V8. A thrown value of another type has none.
 *
 * Skips the lines of the message. They may contain text of the request, and a line in the form of a frame would
 * disclose any file of this machine.
 */
export function framesOf(error: unknown): Frame[] {
  if (!(error instanceof Error)) return []
  const { stack, message } = error
  if (typeof stack !== 'string') return []
  const begin = message === '' ? 0 : stack.indexOf(message)
  // The message changed after the stack was captured, so its lines cannot be distinguished from frames.
  if (begin < 0 && /\n\s*at /.test(message)) return []
  return stack
    .slice(begin < 0 ? 0 : begin + message.length)
    .split('\n')
    .flatMap((text) => {
      const [, name = '', file = '', line, column] = FRAME.exec(text) ?? []
      if (line === undefined) return []
      const path = filePath(file)
      const place = { path: path ?? file, line: Number(line), column: Number(column) }
      return [{ name, place, owner: ownerOf(file) }]
    })
}
