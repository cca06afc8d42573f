/**
 * Maps an error that compiled code threw back to the place in the template's text.
 *
 * @module
 */

import {
  type CompiledTemplate,
  type Frame,
  offsetOf,
  placeInCode,
  placeOf,
  type TemplateSyntaxError,
} from './compile.ts'
import { excerptOf, TemplateError } from './engine.ts'
import { templateOffset } from './syntax.ts'

/** The error at its place in the text; the stack tells the exact one, else the tag that ran is named. */
export function runtimeError(error: unknown, frame: Frame, path: string): TemplateError {
  const { template } = frame
  const exact = offsetInStack(error, template)
  const reason = error instanceof Error ? error.message || error.name : `threw ${describe(error)}`
  return errorAt(template.file, path, template.text, exact ?? frame.offset, reason, error)
}

/** A syntax error at its place in the text. */
export function syntaxError(
  error: TemplateSyntaxError,
  file: string,
  path: string,
  text: string,
): TemplateError {
  return errorAt(file, path, text, error.offset, error.message, error)
}

function errorAt(
  template: string,
  file: string,
  text: string,
  offset: number,
  reason: string,
  cause: unknown,
) {
  const { line, column } = placeOf(text, offset)
  return new TemplateError({
    template,
    file,
    line,
    column,
    reason,
    excerpt: excerptOf(text, line, column),
    cause,
  })
}

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

function offsetInStack(error: unknown, template: CompiledTemplate): number | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined
  const place = placeInCode(error.stack, template.sourceName)
  if (place === undefined) return undefined
  const compiled = offsetOf(template.code, place.line, place.column)
  const inTag = template.tags.some(
    (tag) => tag.compiled <= compiled && compiled <= tag.compiled + tag.code.length,
  )
  return inTag ? templateOffset(template.tags, compiled) : undefined
}
