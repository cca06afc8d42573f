/**
 * Escapes text for HTML.
 *
 * @module
 */

const SPECIAL = /[&<>"']/g

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Escapes text for an HTML element's content or a quoted attribute value.
 *
 * @param text - any text.
 * @returns the text with `& < > " '` replaced by character references.
 *
 * @example
 * ```ts
 * import { escapeHtml } from 'propylon'
 *
 * escapeHtml('<b>"5" & 6</b>') // '&lt;b&gt;&quot;5&quot; &amp; 6&lt;/b&gt;'
 * ```
 */
export function escapeHtml(text: string): string {
  // `replace()` with a function costs twice as much.
  SPECIAL.lastIndex = 0
  let escaped = ''
  let from = 0
  while (SPECIAL.test(text)) {
    const at = SPECIAL.lastIndex - 1
    escaped += text.slice(from, at) + REFERENCES[text.charAt(at)]
    from = at + 1
  }
  return from === 0 ? text : escaped + text.slice(from)
}
