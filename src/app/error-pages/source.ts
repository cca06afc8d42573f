/**
 * Places in source files, the lines around them, and the frames of stacks.
 *
 * @module
 */

import { builtin } from '../../base/builtin.ts'
import { shownPlaces } from '../../base/place.ts'
import { type CodeOwner, ownerOf } from '../../base/stack.ts'
import { errorMessage, isInstance } from '../../base/thrown.ts'
import { excerptOf } from '../../http/templating/engine.ts'

/** A place in a file. Lines and columns count from one. */
export interface Place {
  readonly path: string
  readonly line: number
  readonly column: number | undefined
}

const MAX_LINE_LENGTH = 400

/** The lines of a file; none if it cannot be read. */
export function linesOf(path: string): string[] {
  try {
    return builtin('node:fs')
      .readFileSync(path, 'utf8')
      .split(/\r\n|\n/)
  } catch {
    return []
  }
}

/** The numbered lines around a place, with a mark at the line; empty if the file cannot be read. */
export function excerptAt({ path, line, column }: Place): string {
  const lines = linesOf(path)
  if (line < 1 || line > lines.length) return ''
  const text = lines.map((each) => each.slice(0, MAX_LINE_LENGTH)).join('\n')
  return excerptOf(text, line, column !== undefined && column <= MAX_LINE_LENGTH ? column : undefined, 5)
}

/** The path of a `file:` URL, or the path itself; undefined for any other URL. */
export function filePath(file: string): string | undefined {
  if (!file.startsWith('file:')) return /^(?:\/|[A-Za-z]:[\\/])/.test(file) ? file : undefined
  try {
    return builtin('node:url').fileURLToPath(file)
  } catch {
    return undefined
  }
}

/** The path of a place, relative to a folder as {@link shownPlaces} makes it, with line and column. */
export function placeText({ path, line, column }: Place, folder?: string): string {
  return `${shownPlaces(path, folder)}:${line}${column === undefined ? '' : `:${column}`}`
}

/** Parses the place that Node writes before a syntax error: path, line, source and carets. */
export function statedPlace(stack: unknown): Place | undefined {
  if (typeof stack !== 'string') return undefined
  const head = /^(file:\/\/[^\n?]+|\/[^\n?]+|[A-Za-z]:\\[^\n?]+)(?:\?[^\n:]*)?:(\d+)\n/.exec(stack)
  const path = head?.[1] === undefined ? undefined : filePath(head[1])
  if (path === undefined) return undefined
  const marks = stack.split('\n').find((line) => line.trimEnd().endsWith('^'))
  return { path, line: Number(head?.[2]), column: marks === undefined ? undefined : marks.indexOf('^') + 1 }
}

/** Formats a syntax error whose place Node states: `controllers/users.ts:3:26: reason`, the line and a mark below. */
export function syntaxFaultText(error: unknown): string | undefined {
  const place = isInstance(error, SyntaxError) ? statedPlace(error.stack) : undefined
  if (place === undefined) return undefined
  const { path, line, column } = place
  const source = linesOf(path)[line - 1] ?? ''
  const mark = column === undefined ? '' : `\n${source.slice(0, column - 1).replace(/[^\t]/g, ' ')}^`
  const shown = source === '' || source.length > SHOWN_LENGTH ? '' : `\n${source}${mark}`
  return `${placeText(place)}: ${errorMessage(error)}${shown}\n`
}

/** Length up to which a line is shown. */
const SHOWN_LENGTH = 200

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
