/** The rules for the fields of a page. Each returns a message for a text that is wrong. */

/** Maximum size of a page in bytes of UTF-8. */
const MAX_CONTENT = 256 * 1024

/** Characters that XML forbids (XML 1.0 §2.2), so that neither XML-RPC nor the feed can carry them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids control characters
const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/

/** Returns true if the database can store a text: PostgreSQL cannot store NUL, and no encoding a half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Checks a title in NFC. A title is a part of the page's URL. */
export function checkTitle(title: string): string | undefined {
  if (title === '') return 'must not be empty'
  if ([...title].length > 120) return 'must have 120 characters or less'
  if (/[/\p{Cc}\p{Cs}\ufffe\uffff]/u.test(title)) return 'must not contain slashes and control characters'
  if (title !== title.trim()) return 'must not begin or end with blanks'
  if (['new', '.', '..'].includes(title)) return `must not be "${title}"`
  if (/(?:\.json|\.html|;edit)$/.test(title)) return 'must not end in .json, .html or ;edit'
  return undefined
}

/** Checks a text whose line ends are `\n`. */
export function checkContent(content: string): string | undefined {
  if (Buffer.byteLength(content) > MAX_CONTENT) return 'must have 256 KiB or less'
  return NOT_IN_XML.test(content) || !content.isWellFormed()
    ? 'must not contain control characters and malformed text'
    : undefined
}
