/**
 * Looks into the JavaScript of a template's tags: does it wait, and where does it break.
 *
 * @module
 */

import { type Node, parse, parseExpressionAt, type Token, tokenizer } from 'acorn'

/** A piece of JavaScript that stands in a tag of the template. */
export interface Tag {
  /** `=` escaped output, `~` raw output, nothing: a statement. */
  kind: '=' | '~' | ''
  code: string
  /** Where the code begins in the template's text. */
  offset: number
  /** Where the code begins in the compiled function's body. */
  compiled: number
}

/** Where in the template's text the syntax breaks, and why. */
export interface SyntaxFault {
  reason: string
  offset: number
}

const ECMA = { ecmaVersion: 'latest', sourceType: 'script', allowAwaitOutsideFunction: true } as const

/**
 * Tells whether a template has to be compiled to an async function: a tag awaits outside of any function of its own.
 */
export function waits(tags: readonly Tag[]): boolean {
  if (!tags.some((tag) => /\bawait\b/.test(tag.code))) return false
  const program = tags.map((tag) => (tag.kind === '' ? tag.code : `_=${tag.code}`)).join('\n;')
  try {
    return awaitsHere(parse(program, { ...ECMA, allowReturnOutsideFunction: true }))
  } catch (error) {
    // What does not parse is reported by the engine when it compiles the function, with `await` understood.
    if (error instanceof SyntaxError) return true
    throw error
  }
}

function awaitsHere(node: Node): boolean {
  if (node.type === 'AwaitExpression') return true
  if (node.type === 'ForOfStatement' && 'await' in node && node.await === true) return true
  if (/Function/.test(node.type)) return false
  for (const value of Object.values(node)) {
    if (
      Array.isArray(value)
        ? value.some((item) => isNode(item) && awaitsHere(item))
        : isNode(value) && awaitsHere(value)
    ) {
      return true
    }
  }
  return false
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** Finds what an engine's SyntaxError, which has no position, complains of. */
export function findSyntaxFault(code: string, tags: readonly Tag[], message: string): SyntaxFault {
  return (
    faultInBrackets(tags) ??
    faultInOutput(tags) ??
    faultInWhole(code, tags) ?? { reason: message, offset: tags[0]?.offset ?? 0 }
  )
}

/** An escaped output must hold one expression, whole. */
function faultInOutput(tags: readonly Tag[]): SyntaxFault | undefined {
  for (const tag of tags) {
    if (tag.kind !== '=' || tag.code === '') continue
    const fault = faultOf(`(${tag.code}\n)`, (text) => {
      const { end } = parseExpressionAt(text, 0, ECMA)
      if (end < text.length) throw new LeftOver(end)
    })
    if (fault !== undefined) return { reason: fault.reason, offset: within(tag, fault.position - 1) }
  }
  return undefined
}

/** What stands after the expression, placed as the parser places its errors. */
class LeftOver extends SyntaxError {
  readonly pos: number
  constructor(pos: number) {
    super('Unexpected token')
    this.pos = pos
  }
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']', '${': '}' }

/** Brackets may span tags; the parser would blame the end of the file for one that stays open. */
function faultInBrackets(tags: readonly Tag[]): SyntaxFault | undefined {
  const open: { bracket: string; offset: number }[] = []
  for (const tag of tags) {
    let wrong: SyntaxFault | undefined
    const fault = faultOf(tag.code, (text) => {
      for (const token of tokenizer(text, ECMA)) {
        const bracket = bracketOf(token)
        const offset = tag.offset + token.start
        if (CLOSERS[bracket] !== undefined) open.push({ bracket, offset })
        else if (bracket !== '') {
          const opener = open.pop()
          if (opener !== undefined && CLOSERS[opener.bracket] === bracket) continue
          const reason =
            opener === undefined
              ? `a ${bracket} that closes nothing`
              : `${bracket} where ${opener.bracket} is open`
          wrong ??= { reason, offset }
        }
      }
    })
    if (wrong !== undefined) return wrong
    if (fault !== undefined) return { reason: fault.reason, offset: within(tag, fault.position) }
  }
  const unclosed = open.at(-1)
  return unclosed && { reason: `a ${unclosed.bracket} that is never closed`, offset: unclosed.offset }
}

function bracketOf(token: Token): string {
  return /^(?:[{}()[\]]|\$\{)$/.test(token.type.label) ? token.type.label : ''
}

function faultInWhole(code: string, tags: readonly Tag[]): SyntaxFault | undefined {
  const head = '(async function (it, options) {\n'
  const fault = faultOf(`${head}${code}\n})`, (text) => parse(text, ECMA))
  if (fault === undefined) return undefined
  return { reason: fault.reason, offset: templateOffset(tags, fault.position - head.length) }
}

/** The place in the text of a place in the compiled code: inside a tag, or at the end of the last tag before. */
export function templateOffset(tags: readonly Tag[], compiled: number): number {
  let nearest: Tag | undefined
  for (const tag of tags) if (tag.compiled <= compiled) nearest = tag
  return nearest === undefined ? (tags[0]?.offset ?? 0) : within(nearest, compiled - nearest.compiled)
}

function within(tag: Tag, position: number): number {
  return tag.offset + Math.max(0, Math.min(position, tag.code.length))
}

function faultOf(
  text: string,
  check: (text: string) => void,
): { reason: string; position: number } | undefined {
  try {
    check(text)
    return undefined
  } catch (error) {
    if (!(error instanceof SyntaxError) || !('pos' in error) || typeof error.pos !== 'number') throw error
    return { reason: error.message.replace(/ \(\d+:\d+\)$/, ''), position: error.pos }
  }
}
