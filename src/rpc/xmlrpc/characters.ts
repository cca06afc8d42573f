// Character classes of XML 1.0 (fifth edition): Char (§2.2), S and Name (§2.3), line ends (§2.11).

const CONTROL_OR_NONCHARACTER =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids control characters
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/
const FORBIDDEN = new RegExp(
  `${CONTROL_OR_NONCHARACTER.source}|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]`,
  'g',
)

const NAME_START =
  ':A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d' +
  '\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}'
const NAME = new RegExp(`[${NAME_START}][${NAME_START}\\-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040]*`, 'uy')

const CR = 0x0d
const LF = 0x0a
/** Number of code units that `normalizeLineEnds` copies at a time. */
const COPIED = 4096

/**
 * Returns the index of the first character that XML forbids, or -1: a control character other than tab and line
 * ends, an unpaired surrogate, U+FFFE or U+FFFF.
 */
export function forbiddenAt(text: string): number {
  // Two fast checks first: the full expression is several times slower.
  return text.isWellFormed() && !CONTROL_OR_NONCHARACTER.test(text) ? -1 : text.search(FORBIDDEN)
}

/** Replaces every character that XML forbids by U+FFFD. */
export function replaceForbidden(text: string): string {
  return forbiddenAt(text) < 0 ? text : text.replace(FORBIDDEN, '\ufffd')
}

/** Returns the end of the XML name that starts at `at`, or `at` if there is none. */
export function nameEnd(text: string, at: number): number {
  NAME.lastIndex = at
  return NAME.test(text) ? NAME.lastIndex : at
}

/** Returns true for a space, tab, line feed or carriage return. */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === LF || code === 0x09 || code === CR
}

/** Returns a copy that does not retain the parent string. V8 and JSC implement `slice` as a reference to it. */
export function detached(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1)
}

/**
 * Replaces CR LF, and CR alone, by LF (XML 1.0 §2.11). `replace` allocates for each match, which takes a second for a
 * few megabytes of CR, so a long text is copied by code units.
 */
export function normalizeLineEnds(text: string): string {
  if (!text.includes('\r')) return text
  if (text.length <= COPIED) return text.replace(/\r\n?/g, '\n')
  const units = new Uint16Array(COPIED)
  let normal = ''
  let length = 0
  let isAfterCR = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const wasAfterCR = isAfterCR
    isAfterCR = unit === CR
    if (wasAfterCR && unit === LF) continue
    units[length++] = isAfterCR ? LF : unit
    if (length === COPIED) {
      normal += textOf(units)
      length = 0
    }
  }
  return normal + textOf(units.subarray(0, length))
}

/** Returns the text of code units. Spreading them into the call takes four times as long. */
function textOf(units: Uint16Array): string {
  return Reflect.apply(String.fromCharCode, undefined, units)
}
