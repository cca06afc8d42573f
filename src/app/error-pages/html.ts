/**
 * HTML from templates that escape every value.
 *
 * @module
 */
import { escapeHtml } from '../../http/html.ts'

/** Text that is HTML already. Only {@link html} creates it. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** A value in a template: text is escaped, `undefined` writes nothing, and the items of an array follow one another. */
export type HtmlValue = string | number | undefined | Html | readonly Html[]

/** A template tag: `` html`<p>${text}</p>` ``. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.map((text, index) => text + write(values[index])).join(''))
}

function write(value: HtmlValue): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.toString()
  return typeof value === 'object' ? value.join('') : escapeHtml(String(value))
}
