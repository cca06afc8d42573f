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

/** Returns the offset after the next occurrence of a text. Without one the rest of the document belongs to the markup. */
function afterText(text: string, end: string, start: number): number {
  const at = text.indexOf(end, start)
  return at < 0 ? text.length : at + end.length
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
