/** Finds markup in documents that may be malformed. */

import { nameEnd } from './characters.ts'

const ROOT = /<methodResponse[ \t\r\n/>]/y
const DECLARED = /<\?xml[ \t\r\n][^>]{0,200}?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][\w.-]*)["']/y

/**
 * Returns the offset of the root element of a response, or -1. Blanks, messages of PHP and a document type declaration
 * may precede it. What looks like it within comments, instructions and declarations is skipped.
 */
export function rootAt(text: string): number {
  for (const at of markupOf(text)) {
    ROOT.lastIndex = at
    if (ROOT.test(text)) return at
  }
  return -1
}

/** Returns the encoding that a response declares anywhere before its root element; undefined if it declares none. */
export function declaredEncoding(text: string): string | undefined {
  for (const at of markupOf(text)) {
    ROOT.lastIndex = at
    if (ROOT.test(text)) return undefined
    DECLARED.lastIndex = at
    const encoding = DECLARED.exec(text)?.[1]
    if (encoding !== undefined) return encoding
  }
  return undefined
}

/** Iterates over the offsets of `<` outside of comments, instructions and declarations, and of their own. */
function* markupOf(text: string): Generator<number> {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', afterMarkup(text, at))) yield at
}

/** Returns the offset after the comment, instruction or declaration at `start`, or of the next character. */
function afterMarkup(text: string, start: number): number {
  if (text.startsWith('<!--', start)) return afterText(text, '-->', start + 4)
  if (text.startsWith('<?', start)) return afterText(text, '?>', start + 2)
  return text.startsWith('<!DOCTYPE', start) ? afterDoctype(text, start) : start + 1
}

/**
 * Returns the offset after the next occurrence of a text.
 *
 * @param otherwise - the result if there is none. By default the rest of the document belongs to the markup.
 */
function afterText(text: string, end: string, start: number, otherwise = text.length): number {
  const at = text.indexOf(end, start)
  return at < 0 ? otherwise : at + end.length
}

/** Returns the offset after a document type declaration. Its quoted texts can contain any markup (XML 1.0 §2.8). */
function afterDoctype(text: string, start: number): number {
  const parts = /"[^"]*"|'[^']*'|<!--|[[\]>]/g
  parts.lastIndex = start
  let isInSubset = false
  for (let part = parts.exec(text)?.[0]; part !== undefined; part = parts.exec(text)?.[0]) {
    if (part === '[') isInSubset = true
    else if (part === ']') isInSubset = false
    else if (part === '<!--') parts.lastIndex = afterText(text, '-->', parts.lastIndex)
    else if (part === '>' && !isInSubset) return parts.lastIndex
  }
  return text.length
}

const TAG_PART = /["'>]/g

/**
 * Returns true if the tags of a document nest and it has one root element (XML 1.0 §2.1), whatever its elements are. Checks
 * nothing else, and nothing after a document type declaration.
 */
export function isNested(text: string): boolean {
  const open: string[] = []
  let hasRoot = false
  let end = 0
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', end)) {
    const second = text.charAt(at + 1)
    end = markupEnd(text, at)
    if (end < 0) return false
    if (second === '/') {
      if (open.pop() !== text.slice(at + 2, end - 1).trimEnd()) return false
    } else if (second !== '!' && second !== '?') {
      if (hasRoot && open.length === 0) return false
      hasRoot = true
      if (text.charAt(end - 2) !== '/') open.push(text.slice(at + 1, nameEnd(text, at + 1)))
    } else if (text.startsWith('<!DOCTYPE', at)) {
      return true
    }
  }
  return open.length === 0
}

/** Returns the offset after the tag, comment, CDATA section or instruction at `start`, or -1 if it has no end. */
function markupEnd(text: string, start: number): number {
  if (text.startsWith('<!--', start)) return afterText(text, '-->', start + 4, -1)
  if (text.startsWith('<![CDATA[', start)) return afterText(text, ']]>', start + 9, -1)
  if (text.startsWith('<?', start)) return afterText(text, '?>', start + 2, -1)
  TAG_PART.lastIndex = start
  for (let part = TAG_PART.exec(text)?.[0]; part !== undefined; part = TAG_PART.exec(text)?.[0]) {
    if (part === '>') return TAG_PART.lastIndex
    const quote = text.indexOf(part, TAG_PART.lastIndex)
    if (quote < 0) return -1
    TAG_PART.lastIndex = quote + 1
  }
  return -1
}
