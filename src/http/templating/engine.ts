/**
 * The interface of template engines, and their error.
 *
 * @module
 */
import { shownPlaces } from '../../base/place.ts'

/** Options of a rendering. */
export interface RenderOptions {
  /**
   * Name of the only block to render, such as the rows of a table that a script replaces: `block('rows', () => …)` in
   * the template. Code before the block runs, code after it does not, and the layout is not applied.
   */
  readonly block?: string | undefined
  /** Whether `<%= %>` escapes text for HTML. Default true. Prompts and mails are rendered with false. */
  readonly escape?: boolean | undefined
}

/**
 * A template engine, for `FrameworkApp({ templates })`.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper, type TemplateEngine } from 'propylon'
 *
 * const shout: TemplateEngine = { render: (name, values) => `${name}: ${values.text}!` }
 * export default new FrameworkApp({ map: new Mapper(), controllers: {}, templates: shout })
 * ```
 */
export interface TemplateEngine {
  /**
   * Renders a template.
   *
   * @param name - the template's name, for instance `users/index`.
   * @param values - the template's variables. The engine does not change them.
   * @param options - undefined for the whole template.
   * @returns the text, or a promise if the template awaits.
   */
  render(name: string, values: Record<string, unknown>, options?: RenderOptions | undefined): string | Promise<string>
  /**
   * Returns true if there is a template of a name. Without it, records of templates with a wrong name are not found.
   */
  has?(name: string): boolean
}

/** Arguments of {@link TemplateError}. */
export interface TemplateErrorDetails {
  /** Name of the template. */
  template: string
  /** Path of the file. */
  file: string
  /** Line of the mistake, from 1. */
  line: number
  /** Column of the mistake, from 1. */
  column?: number | undefined
  /** The message without its place. */
  reason: string
  /** Lines of the template around the mistake. */
  excerpt: string
  /** The error that the template threw. */
  cause?: unknown
}

/**
 * A template is missing, has a syntax error, or threw an error, which is then the `cause`.
 *
 * `message` is one line, `file:line:column: reason`. {@link excerpt} has the lines of the template.
 *
 * @example
 * ```ts
 * import { TemplateError, templateEngine } from 'propylon'
 *
 * try {
 *   templateEngine({ 'hello.eta': '<%= it.user.name %>' }).render('hello', {})
 * } catch (error) {
 *   if (error instanceof TemplateError) console.error(error.message, error.excerpt)
 * }
 * ```
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  /** The template's name with its extension, for instance `users/index.eta`. */
  readonly template: string
  /** Path of the template. For a missing template, the directory that was searched. */
  readonly file: string
  /** Line, counted from 1. For an error at run time, the line on which the tag begins. 0 for a missing template. */
  readonly line: number
  /** Column, counted from 1, of a syntax error; otherwise `undefined`. */
  readonly column: number | undefined
  /** The error without its place. */
  readonly reason: string
  /** The lines around the place, with their numbers and a mark; `''` for a missing template. */
  readonly excerpt: string

  constructor(details: TemplateErrorDetails) {
    const { template, file, line, column, reason, excerpt, cause } = details
    const place = line === 0 ? '' : `${shownPlaces(file)}:${line}${column === undefined ? '' : `:${column}`}: `
    super(place + reason.replace(/[\r\n]\s*/g, ' '), cause === undefined ? {} : { cause })
    this.template = template
    this.file = file
    this.line = line
    this.column = column
    this.reason = reason
    this.excerpt = excerpt
  }
}

const CONTEXT_LINES = 2

/**
 * Returns the lines around a place with their numbers, `>` before the line and `^` below the column.
 *
 * @param context - number of lines before and after the place.
 */
export function excerptOf(text: string, line: number, column?: number, context = CONTEXT_LINES): string {
  const lines = text.split(/\r\n|\n|\r/)
  const first = Math.max(1, line - context)
  const last = Math.min(lines.length, line + context)
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
