/**
 * The seam behind `controller.render()`: any engine that turns a name and values into text fits.
 *
 * @module
 */

/**
 * What a template engine must offer.
 *
 * @example
 * ```ts
 * const shout: TemplateEngine = { render: (name, values) => `${name}: ${values.text}!` }
 * new FrameworkApp({ map, controllers, templates: shout })
 * ```
 */
export interface TemplateEngine {
  /**
   * Renders a template.
   *
   * @param name - the template's name, for instance `users/index`.
   * @param values - what the template sees; never changed by the engine.
   * @returns the text, at once unless the template waits for something.
   */
  render(name: string, values: Record<string, unknown>): string | Promise<string>
}

/** Where in a template something went wrong, and what. */
export interface TemplateErrorDetails {
  template: string
  file: string
  line: number
  column?: number | undefined
  reason: string
  excerpt: string
  cause?: unknown
}

/**
 * A template is missing, does not parse, or threw. Names the place in the template's own text, not in compiled code.
 *
 * The original error is the `cause`.
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  /** The template's name as the engine knows it, for instance `users/index.eta`. */
  readonly template: string
  /** The file that was read; for a template that is missing, where it was looked for. */
  readonly file: string
  /** The line, counted from 1; 0 when no place in the text is to blame (the template is missing). */
  readonly line: number
  /** The column, counted from 1, where it is known. */
  readonly column: number | undefined
  /** What went wrong, without the place. */
  readonly reason: string
  /** The lines around the place, numbered, the guilty one marked; empty when there is no place. */
  readonly excerpt: string

  constructor(details: TemplateErrorDetails) {
    const { template, file, line, column, reason, excerpt, cause } = details
    const place = line === 0 ? '' : `${file}:${line}${column === undefined ? '' : `:${column}`}: `
    super(
      `${place}${reason}${excerpt === '' ? '' : `\n\n${excerpt}\n`}`,
      cause === undefined ? {} : { cause },
    )
    this.template = template
    this.file = file
    this.line = line
    this.column = column
    this.reason = reason
    this.excerpt = excerpt
  }
}

const CONTEXT_LINES = 2

/** The lines around a place in a text, numbered, with a mark at the line and a caret under the column. */
export function excerptOf(text: string, line: number, column?: number): string {
  const lines = text.split(/\r\n|\n|\r/)
  const first = Math.max(1, line - CONTEXT_LINES)
  const last = Math.min(lines.length, line + CONTEXT_LINES)
  const width = String(last).length
  const shown: string[] = []
  for (let number = first; number <= last; number++) {
    const mark = number === line ? '>' : ' '
    shown.push(`${mark} ${String(number).padStart(width)} | ${lines[number - 1] ?? ''}`.trimEnd())
    if (number === line && column !== undefined) {
      shown.push(`  ${' '.repeat(width)} | ${' '.repeat(column - 1)}^`)
    }
  }
  return shown.join('\n')
}
