/**
 * Reads the JavaScript of a template's tags: whether it awaits, and where a syntax error is.
 *
 * @module
 */

import { CLOSERS, type Token, tokensOf } from '../../base/javascript.ts'
import { installedPackage } from '../../base/optional-package.ts'

/** The JavaScript of a tag. */
export interface Tag {
  /** `=` for escaped output, `~` for raw output, `''` for a statement. */
  readonly kind: '=' | '~' | ''
  readonly code: string
  /** Offset of the code in the template. */
  readonly offset: number
}

/** A syntax error's offset in the template, and its message. */
export interface SyntaxFault {
  reason: string
  offset: number
}

/** The JavaScript of tags: code outside of any function. */
export const ECMA = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowAwaitOutsideFunction: true,
  allowReturnOutsideFunction: true,
} as const

/** Returns true if tags have the word `await` outside of strings and comments. */
export function hasAwait(tags: readonly Tag[]): boolean {
  return tags.some(({ code }) => /\bawait\b/.test(code) && [...tokensOf(code)].some(({ text }) => text === 'await'))
}

// Eta declares these functions in the block that contains the tags.
const DECLARED =
  'function output(){}function capture(){}function captureAsync(){}function block(){}function blockAsync(){}'

/** Returns the tags as one program, and where each tag's code begins in it. */
export function programOf(tags: readonly Tag[]): { text: string; starts: number[] } {
  let text = `{${DECLARED}\n`
  const starts: number[] = []
  for (const { kind, code } of tags) {
    if (kind !== '') text += kind === '=' ? '_=_(' : '_='
    starts.push(text.length)
    text += kind === '=' ? `${code}\n);\n` : kind === '~' ? `${code}\n;\n` : `${code}\n`
  }
  return { text: `${text}}`, starts }
}

/**
 * Finds the place of a syntax error. The runtime's SyntaxError has none.
 *
 * @param message - the runtime's message, used if only the tag of the fault is found.
 */
export function findSyntaxFault(tags: readonly Tag[], message: string): SyntaxFault {
  const { fault, open } = readBrackets(tags)
  if (fault !== undefined) return fault
  const unclosed = open.at(-1)
  if (unclosed !== undefined) return { reason: `${unclosed.text} is never closed`, offset: unclosed.offset }
  return faultInProgram(tags) ?? { reason: message, offset: faultyTag(tags)?.offset ?? 0 }
}

/** Reads the brackets, which may span tags. The parser would report an unclosed one at the end of the program. */
function readBrackets(tags: readonly Tag[]): { open: readonly Pick<Token, 'text' | 'offset'>[]; fault?: SyntaxFault } {
  const open: Pick<Token, 'text' | 'offset'>[] = []
  for (const tag of tags) {
    for (const { text, offset: start, isClosed } of tokensOf(tag.code)) {
      const offset = tag.offset + start
      if (!isClosed) return { open, fault: { reason: `${text.charAt(0)} is never closed`, offset } }
      if (Object.hasOwn(CLOSERS, text)) open.push({ text, offset })
      else if (/^[)\]}]$/.test(text)) {
        const opener = open.pop()
        if (opener !== undefined && CLOSERS[opener.text] === text) continue
        const reason = opener === undefined ? `${text} closes nothing` : `${text} closes the ${opener.text} before it`
        return { open, fault: { reason, offset } }
      }
    }
  }
  return { open }
}

/** Returns the tag behind the longest beginning of a template that compiles. */
function faultyTag(tags: readonly Tag[]): Tag | undefined {
  return tags[tags.findLastIndex((_, index) => compiles(tags.slice(0, index + 1))) + 1]
}

/** Returns true if tags are a program once their brackets are closed. */
function compiles(tags: readonly Tag[]): boolean {
  const closers = readBrackets(tags).open.map(({ text }) => CLOSERS[text])
  const { text } = programOf([...tags, { kind: '', code: closers.reverse().join(''), offset: 0 }])
  try {
    Function(`async () => ${text}`)
    return true
  } catch {
    return false
  }
}

/**
 * Parses the tags for their first fault. The parser is not part of bundles, because it is larger than all other
 * dependencies together. There the fault is undefined.
 */
function faultInProgram(tags: readonly Tag[]): SyntaxFault | undefined {
  const { text, starts } = programOf(tags)
  try {
    installedPackage('acorn')?.parse(text, ECMA)
    return undefined
  } catch (error) {
    // The types leave the position out.
    if (!(error instanceof SyntaxError) || !('pos' in error) || typeof error.pos !== 'number') throw error
    const { pos } = error
    const index = starts.findLastIndex((start) => start <= pos)
    const { code, offset } = tags[index] ?? { code: '', offset: 0 }
    const position = Math.min(pos - (starts[index] ?? 0), code.length)
    return { reason: error.message.replace(/ \(\d+:\d+\)$/, ''), offset: offset + position }
  }
}
