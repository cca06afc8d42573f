import { nameEnd } from './characters.ts'

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
  if (text.startsWith('<!--', start)) return afterText(text, '-->', start + 4)
  if (text.startsWith('<![CDATA[', start)) return afterText(text, ']]>', start + 9)
  if (text.startsWith('<?', start)) return afterText(text, '?>', start + 2)
  TAG_PART.lastIndex = start
  for (let part = TAG_PART.exec(text)?.[0]; part !== undefined; part = TAG_PART.exec(text)?.[0]) {
    if (part === '>') return TAG_PART.lastIndex
    const quote = text.indexOf(part, TAG_PART.lastIndex)
    if (quote < 0) return -1
    TAG_PART.lastIndex = quote + 1
  }
  return -1
}

/** Returns the offset after the next occurrence of a text, or -1. */
function afterText(text: string, end: string, start: number): number {
  const at = text.indexOf(end, start)
  return at < 0 ? -1 : at + end.length
}
