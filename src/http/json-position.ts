/**
 * Where JSON goes wrong. Engines say it in words of their own, or not at all, or with a piece of the text.
 *
 * @module
 */

/** What may come next. */
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma' | 'end'

const BLANKS = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const LITERAL = /true|false|null/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids control characters in strings
const PLAIN = /[^"\\\x00-\x1f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/**
 * The place of the first character that JSON (RFC 8259) does not allow, counted from 0; the text's length when it ends
 * too early, and also when nothing is wrong with it.
 */
export function jsonErrorPosition(text: string): number {
  const open: ('[' | '{')[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = skip(BLANKS, text, at)
    if (at === text.length) return at
    const character = text[at]
    if (expected === 'colon' || expected === 'comma') {
      const opener = open.at(-1)
      if (expected === 'colon' && character === ':') expected = 'value'
      else if (expected === 'comma' && character === ',') expected = opener === '{' ? 'key' : 'value'
      else if (expected === 'comma' && character === (opener === '{' ? '}' : ']')) expected = close(open)
      else return at
      at++
    } else if (character === '}' && expected === 'key or }') {
      expected = close(open)
      at++
    } else if (character === ']' && expected === 'value or ]') {
      expected = close(open)
      at++
    } else if (expected === 'key' || expected === 'key or }') {
      const end = character === '"' ? stringEnd(text, at) : 0
      if (end <= 0) return end === 0 ? at : -end
      at = end
      expected = 'colon'
    } else if (expected === 'end') {
      return at
    } else if (character === '{' || character === '[') {
      open.push(character)
      expected = character === '{' ? 'key or }' : 'value or ]'
      at++
    } else {
      const end = character === '"' ? stringEnd(text, at) : scalarEnd(text, at)
      if (end <= 0) return end === 0 ? at : -end
      at = end
      expected = open.length === 0 ? 'end' : 'comma'
    }
  }
}

function close(open: ('[' | '{')[]): Expected {
  open.pop()
  return open.length === 0 ? 'end' : 'comma'
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** Where a string ends, or the place of a mistake in it, made negative. */
function stringEnd(text: string, start: number): number {
  let at = start + 1
  for (;;) {
    at = skip(PLAIN, text, at)
    if (text[at] === '"') return at + 1
    const end = skip(ESCAPE, text, at)
    if (end === at) return -at
    at = end
  }
}

/** Where a number or a literal ends, 0 when there is none. */
function scalarEnd(text: string, start: number): number {
  const end = Math.max(skip(NUMBER, text, start), skip(LITERAL, text, start))
  return end === start ? 0 : end
}
