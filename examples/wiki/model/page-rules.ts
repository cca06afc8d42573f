/** The rules for the fields of a page. Each returns a message for a text that is wrong. */

/** Maximum size of a page in bytes of UTF-8. */
const MAX_CONTENT = 256 * 1024

/** Checks a title in NFC. A title is a part of the page's URL. */
export function checkTitle(title: string): string | undefined {
  if (title === '') return 'must not be empty'
  if ([...title].length > 120) return 'must have 120 characters or less'
  if (/[/\p{Cc}\p{Cs}]/u.test(title)) return 'must not contain slashes and control characters'
  if (title !== title.trim()) return 'must not begin or end with blanks'
  if (['new', '.', '..'].includes(title)) return `must not be "${title}"`
  if (/(?:\.json|\.html|;edit)$/.test(title)) return 'must not end in .json, .html or ;edit'
  return undefined
}

/** Checks a text whose line ends are `\n`. */
export function checkContent(content: string): string | undefined {
  if (Buffer.byteLength(content) > MAX_CONTENT) return 'must have 256 KiB or less'
  // PostgreSQL cannot store NUL, and no encoding a half of a surrogate pair.
  return content.includes('\0') || !content.isWellFormed()
    ? 'must not contain NUL and malformed text'
    : undefined
}
