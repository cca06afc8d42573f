/**
 * Syntax errors of modules: the place, the line and the reason.
 *
 * @module
 */
import { errorMessage, isInstance, memberOf } from '../base/thrown.ts'
import { filePath, linesOf, type Place, placeText } from './error-pages/source.ts'

/** A mistake of syntax. */
export interface SyntaxFault {
  readonly place: Place
  readonly reason: string
}

/**
 * Finds the syntax error for which a module does not load.
 *
 * @param file - the module, which may import the one with the error.
 * @returns undefined if the error is another one, or its place is not known.
 */
export async function syntaxFaultOf(error: unknown, file: URL): Promise<SyntaxFault | undefined> {
  if (!isInstance(error, SyntaxError)) return undefined
  const place = statedPlace(memberOf(error, 'stack')) ?? (await importParser())?.placeOfSyntaxError(file)
  return place && { place, reason: errorMessage(error) }
}

/** Formats a syntax error: `controllers/users.ts:3:26: reason`, the line and a mark below. */
export function syntaxFaultText({ place, reason }: SyntaxFault): string {
  const { path, line, column } = place
  const source = linesOf(path)[line - 1]
  const where = `${placeText(place)}: ${reason}`
  if (source === undefined || source.length > SHOWN_LENGTH) return where
  const mark = column === undefined ? '' : `\n${source.slice(0, column - 1).replace(/[^\t]/g, ' ')}^`
  return `${where}\n${source}${mark}`
}

/** Returns the line of a syntax error without its indentation, or an empty text if it cannot be read. */
export function syntaxFaultLine({ place }: SyntaxFault): string {
  const source = linesOf(place.path)[place.line - 1]?.trim() ?? ''
  return source.length > SHOWN_LENGTH ? '' : source
}

/** Length up to which a line is shown. */
const SHOWN_LENGTH = 200

/** Parses the place that Node writes before a syntax error: path, line, source and carets. */
export function statedPlace(stack: unknown): Place | undefined {
  if (typeof stack !== 'string') return undefined
  const head = /^(file:\/\/[^\n?]+|\/[^\n?]+|[A-Za-z]:\\[^\n?]+)(?:\?[^\n:]*)?:(\d+)\n/.exec(stack)
  const path = head?.[1] === undefined ? undefined : filePath(head[1])
  if (path === undefined) return undefined
  const marks = /^(.*?)\^+\s*$/m.exec(stack)
  return { path, line: Number(head?.[2]), column: marks?.[1] === undefined ? undefined : marks[1].length + 1 }
}

/** The parser of `propylon check`. */
interface Parser {
  placeOfSyntaxError(file: URL): Place | undefined
}

/** Returns the parser, or undefined in a bundle, which does not contain it. It is imported only for an error. */
async function importParser(): Promise<Parser | undefined> {
  const extension = import.meta.url?.endsWith('.ts') ? 'ts' : 'js'
  try {
    return await import(
      /* @vite-ignore */ /* webpackIgnore: true */ new URL(
        `../tools/check/syntax-fault.${extension}`,
        import.meta.url,
      ).href
    )
  } catch {
    return undefined
  }
}
