/**
 * Reads the JavaScript of a template's tags: whether it awaits, and where a syntax error is.
 *
 * @module
 */

import { parse, type Token, tokenizer, tokTypes } from 'acorn'

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

/**
 * Returns true if tags have the word `await` outside of strings and comments. Code that is not JavaScript counts: the
 * compiler finds its fault.
 */
export function hasAwait(tags: readonly Tag[]): boolean {
  return tags.some(({ code }) => {
    if (!/\bawait\b/.test(code)) return false
    try {
      const names = [...tokenizer(code, ECMA)].filter(({ type }) => type === tokTypes.name)
      return names.some(({ start, end }) => code.slice(start, end) === 'await')
    } catch (error) {
      if (error instanceof SyntaxError) return true
      throw error
    }
  })
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
 * @param message - the runtime's message, used with the first tag if no fault is found.
 */
export function findSyntaxFault(tags: readonly Tag[], message: string): SyntaxFault {
  return faultInBrackets(tags) ?? faultInProgram(tags) ?? { reason: message, offset: tags[0]?.offset ?? 0 }
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']', '${': '}' }

/** Checks the brackets, which may span tags. acorn would report an unclosed one at the end of the program. */
function faultInBrackets(tags: readonly Tag[]): SyntaxFault | undefined {
  const open: { bracket: string; offset: number }[] = []
  for (const tag of tags) {
    let wrong: SyntaxFault | undefined
    const fault = faultOf(() => {
      for (const token of tokenizer(tag.code, ECMA)) {
        const bracket = bracketOf(token)
        const offset = tag.offset + token.start
        if (CLOSERS[bracket] !== undefined) open.push({ bracket, offset })
        else if (bracket !== '') {
          const opener = open.pop()
          if (opener !== undefined && CLOSERS[opener.bracket] === bracket) continue
          const reason =
            opener === undefined ? `${bracket} closes nothing` : `${bracket} closes the ${opener.bracket} before it`
          wrong ??= { reason, offset }
        }
      }
    })
    if (wrong !== undefined) return wrong
    if (fault !== undefined) return { reason: fault.reason, offset: within(tag, fault.position) }
  }
  const unclosed = open.at(-1)
  return unclosed && { reason: `${unclosed.bracket} is never closed`, offset: unclosed.offset }
}

function bracketOf(token: Token): string {
  return /^(?:[{}()[\]]|\$\{)$/.test(token.type.label) ? token.type.label : ''
}

function faultInProgram(tags: readonly Tag[]): SyntaxFault | undefined {
  const { text, starts } = programOf(tags)
  const fault = faultOf(() => parse(text, ECMA))
  if (fault === undefined) return undefined
  const index = Math.max(
    0,
    starts.findLastIndex((start) => start <= fault.position),
  )
  const tag = tags[index]
  if (tag === undefined) return undefined
  return { reason: fault.reason, offset: within(tag, fault.position - (starts[index] ?? 0)) }
}

function within(tag: Tag, position: number): number {
  return tag.offset + Math.max(0, Math.min(position, tag.code.length))
}

/** Runs acorn and returns its error, with the position that its types leave out. */
function faultOf(check: () => void): { reason: string; position: number } | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof SyntaxError) || !('pos' in error) || typeof error.pos !== 'number') throw error
    return { reason: error.message.replace(/ \(\d+:\d+\)$/, ''), position: error.pos }
  }
}
