/**
 * Compiles a template's text, by Eta's grammar, into a function that knows which place in the text each piece of its
 * code came from.
 *
 * @module
 */

import { Eta, EtaParseError } from 'eta/core'
import { findSyntaxFault, type SyntaxFault, type Tag, waits } from './syntax.ts'

/** What one run of a template carries: where it is, for errors. */
export interface Frame {
  /** The offset in the text of the tag that runs. */
  offset: number
  readonly depth: number
  readonly template: CompiledTemplate
}

/** What compiled code finds as `this`: Eta's functions, answered by the engine. */
export interface Runtime {
  readonly config: { escapeFunction(value: unknown): string; filterFunction(value: unknown): string }
  render(name: string, values: Record<string, unknown>, frame: Frame): string | Promise<string>
  renderAsync(name: string, values: Record<string, unknown>, frame: Frame): Promise<string>
}

/** The function that Eta's code becomes. */
export type TemplateFunction = (
  this: Runtime,
  values: Record<string, unknown>,
  frame: Frame,
) => string | Promise<string>

/** A template ready to run. */
export interface CompiledTemplate {
  readonly file: string
  readonly text: string
  readonly run: TemplateFunction
  /** The code of the function's body, in which `tags` have their places. */
  readonly code: string
  readonly tags: readonly Tag[]
  /** The name under which the function appears in stacks. */
  readonly sourceName: string
}

/** A text that does not parse: where, and why. */
export class TemplateSyntaxError extends SyntaxError {
  override readonly name = 'TemplateSyntaxError'
  readonly offset: number

  constructor(fault: SyntaxFault) {
    super(fault.reason)
    this.offset = fault.offset
  }
}

const NO_CODE_FROM_TEXT =
  'this runtime does not make functions from text now, so templates cannot be compiled: give them as a record, and ' +
  'create the application while the program starts, or give an engine whose templates are functions already'
const BODY_MARK = '/* template */\n'
const AsyncFunction = (async () => {}).constructor
let compiledCount = 0

/**
 * Compiles a text.
 *
 * @param file - the name, which appears in stacks only in an encoded form.
 * @throws TemplateSyntaxError.
 */
export function compileTemplate(file: string, text: string): CompiledTemplate {
  const eta = new Eta()
  const tags = findTags(eta, text)
  const async = waits(tags)
  const code = writeCode(eta, text, tags, async)
  const sourceName = `template-${++compiledCount}/${encodeURIComponent(file.toWellFormed())}`
  return { file, text, run: instantiate(code, async, sourceName, tags), code, tags, sourceName }
}

function instantiate(
  code: string,
  async: boolean,
  sourceName: string,
  tags: readonly Tag[],
): TemplateFunction {
  const FunctionOfKind = async ? AsyncFunction : Function
  try {
    measureHeader()
    return FunctionOfKind('it', 'options', `${code}\n//# sourceURL=${sourceName}`)
  } catch (error) {
    if (error instanceof EvalError) throw new Error(NO_CODE_FROM_TEXT, { cause: error })
    if (!(error instanceof SyntaxError)) throw error
    throw new TemplateSyntaxError(findSyntaxFault(code, tags, error.message))
  }
}

let measuredHeaderLines: number | undefined

/** Done with the first template, for later a runtime may refuse to make a function from text. */
function measureHeader(): number {
  if (measuredHeaderLines === undefined) {
    const probe: unknown = Function('it', 'options', 'return new Error()\n//# sourceURL=template-0/probe')()
    const stack = probe instanceof Error ? (probe.stack ?? '') : ''
    measuredHeaderLines = (placeInStack(stack, 'template-0/probe')?.line ?? 1) - 1
  }
  return measuredHeaderLines
}

/** The place in a template's code that a stack names, if it names one. */
export function placeInCode(stack: string, sourceName: string): { line: number; column: number } | undefined {
  const place = placeInStack(stack, sourceName)
  return place && { line: place.line - measureHeader(), column: place.column }
}

/** Engines count the lines that they put before the body of a function made from text, each in its own way. */
function placeInStack(stack: string, sourceName: string): { line: number; column: number } | undefined {
  const start = stack.indexOf(`${sourceName}:`)
  if (start === -1) return undefined
  const numbers = /^(\d+):(\d+)/.exec(stack.slice(start + sourceName.length + 1))
  return numbers === null ? undefined : { line: Number(numbers[1]), column: Number(numbers[2]) }
}

const OPENING = /<%[-_]?\s*([=~])?\s*/g

/** Eta's parser gives tags without their places; they stand in the text in the same order. */
function findTags(eta: Eta, text: string): Tag[] {
  const tags: Tag[] = []
  let from = 0
  for (const part of parse(eta, text)) {
    if (typeof part === 'string') continue
    OPENING.lastIndex = from
    const opening = OPENING.exec(text)
    if (opening === null) throw new Error('Eta found a tag that is not in the text')
    const mark = opening[1]
    const offset = OPENING.lastIndex
    tags.push({ kind: mark === '=' || mark === '~' ? mark : '', code: part.val, offset, compiled: 0 })
    from = offset + part.val.length
  }
  return tags
}

function parse(eta: Eta, text: string): ReturnType<Eta['parse']> {
  try {
    return eta.parse(text)
  } catch (error) {
    if (!(error instanceof EtaParseError)) throw error
    const [, reason = error.message, line, column] =
      /^(.*?) at line (\d+) col (\d+):/s.exec(error.message) ?? []
    throw new TemplateSyntaxError({ reason, offset: offsetOf(text, Number(line ?? 1), Number(column ?? 1)) })
  }
}

/** Eta's own frame around a body that notes, before each tag, where it stands; sets the tags' `compiled`. */
function writeCode(eta: Eta, text: string, tags: readonly Tag[], async: boolean): string {
  eta.compileBody = (parts) => {
    let body = BODY_MARK
    let index = 0
    for (const part of parts) {
      const tag = typeof part === 'string' ? undefined : tags[index++]
      if (tag === undefined) {
        body += `__eta.res+='${part}';\n`
        continue
      }
      body += `options.offset=${tag.offset};\n`
      if (tag.kind !== '') body += tag.kind === '=' ? '__eta.res+=__eta.e(' : '__eta.res+='
      tag.compiled = body.length
      // The line feed ends a comment at the end of the tag.
      body += tag.kind === '=' ? `${tag.code}\n);\n` : tag.kind === '~' ? `${tag.code}\n;\n` : `${tag.code}\n`
    }
    return body
  }
  const code = eta.compileToString(text, { async })
  const start = code.indexOf(BODY_MARK)
  for (const tag of tags) tag.compiled += start
  return code
}

/** The offset of a line and column (both from 1) in a text. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0
  for (let number = 1; number < line; number++) {
    const end = text.indexOf('\n', start)
    if (end === -1) break
    start = end + 1
  }
  return Math.min(start + column - 1, text.length)
}

/** The line and column (both from 1) of an offset in a text. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}
