/**
 * Text for terminals and logs.
 *
 * @module
 */

/**
 * Control and formatting characters, which can move the cursor, start an escape sequence (U+009B as well as ESC [) or
 * reverse the order of what follows. Line feeds and tabs are harmless; emoji and several scripts need the joiners.
 */
const UNPRINTABLE = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Text of which nothing is unprintable, as most is. Classes of Unicode take six times as long. */
const ASCII = /^[\n\t\x20-\x7e]*$/

/**
 * Makes text from outside safe to write to a terminal or a log: characters that a reader cannot see, or that a terminal
 * obeys, are written as escapes (`\u001b[2J`). JSON stays JSON of the same value.
 */
export function printable(text: string): string {
  if (ASCII.test(text)) return text
  return text.replaceAll('\r\n', '\n').replace(UNPRINTABLE, escaped)
}

/** Indents lines after the first one, so that no text of a request begins a line of the log. */
export function indented(text: string): string {
  return text.replace(/\n(?=\S)/g, '\n  ')
}

/** Makes a message safe to write to a log: {@link printable}, and with {@link indented} lines. */
export function logged(text: string): string {
  return indented(printable(text))
}

/** A character as JSON escapes it. */
export function escaped(character: string): string {
  let escapes = ''
  for (let at = 0; at < character.length; at++) {
    escapes += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }
  return escapes
}
