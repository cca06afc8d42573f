/**
 * Returns a text without the characters of a set at its end. An expression such as `/x+$/` would take quadratic time,
 * because it tries every `x` as the first one.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Returns a text without the characters of a set at its beginning and end. */
export function trim(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text.charAt(start))) start++
  return trimEnd(text.slice(start), characters)
}
