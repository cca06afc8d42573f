// The characters of XML 1.0, fifth edition: sections 2.2 (Char), 2.3 (S, Name).

/** What no document may hold: controls but tab and line ends, halves of surrogate pairs, U+FFFE and U+FFFF. */
const UNCARRIABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is what it is for
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

const NAME_START =
  ':A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d' +
  '\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}'
const NAME = new RegExp(`[${NAME_START}][${NAME_START}\\-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040]*`, 'uy')

const CR = 0x0d
const LF = 0x0a

/** Where the first character stands that XML cannot carry, or -1. */
export function uncarriableAt(text: string): number {
  const match = UNCARRIABLE.exec(text)
  return match === null ? -1 : match.index
}

/** The text with U+FFFD in place of every character that XML cannot carry. */
export function replaceUncarriable(text: string): string {
  return uncarriableAt(text) < 0 ? text : text.replace(new RegExp(UNCARRIABLE, 'g'), '\ufffd')
}

/** Where the XML name that begins here ends; `at` itself when none does. */
export function nameEnd(text: string, at: number): number {
  NAME.lastIndex = at
  return NAME.test(text) ? NAME.lastIndex : at
}

/** Whether XML may hold the character with this code point. */
export function isCharacter(code: number): boolean {
  return (
    (code >= 0x20 && code <= 0xd7ff) ||
    code === 0x0a ||
    code === 0x0d ||
    code === 0x09 ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  )
}

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d
}

/**
 * The same text, held by no longer one. Engines cut strings by pointing into the whole, so that one kept
 * name would keep its whole document alive; joining and cutting again leaves a copy.
 */
export function detached(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1)
}

/** Number of code units that a long text is copied in at a time. */
const COPIED = 4096

/**
 * Replaces CR LF, and CR alone, by LF (XML 1.0 §2.11). `replace` allocates for each match, which takes a second for a
 * few megabytes of CR, so a long text is copied by code units.
 */
export function normaliseLineEnds(text: string): string {
  if (!text.includes('\r')) return text
  if (text.length <= COPIED) return text.replace(/\r\n?/g, '\n')
  const units = new Uint16Array(COPIED)
  let normal = ''
  let length = 0
  let isBehindCR = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const wasBehindCR = isBehindCR
    isBehindCR = unit === CR
    if (wasBehindCR && unit === LF) continue
    units[length++] = isBehindCR ? LF : unit
    if (length === COPIED) {
      normal += textOf(units)
      length = 0
    }
  }
  return normal + textOf(units.subarray(0, length))
}

/** The text of code units. Spreading them into the call would take four times as long. */
function textOf(units: Uint16Array): string {
  return Reflect.apply(String.fromCharCode, undefined, units)
}
