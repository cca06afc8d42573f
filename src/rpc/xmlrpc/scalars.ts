import { isBlank } from './characters.ts'

/** Number of digits of an integer of any size. BigInt() takes time quadratic in it; Python has the same limit. */
const MAX_DIGITS = 4300
/** Number of decimal digits that every double keeps. */
const EXACT_DIGITS = 15
const INTEGER = /^[+-]?\d+$/
const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Removes leading and trailing XML blanks, which many clients write. Linear in time, unlike a regular expression. */
export function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** Parses a signed integer of up to 32 bits; undefined if the text is not one. */
export function parseInteger(text: string, bits: 8 | 16 | 32): number | undefined {
  if (!INTEGER.test(text)) return undefined
  const value = Number(text)
  const limit = 2 ** (bits - 1)
  // Adding 0 makes -0 to 0.
  return value >= -limit && value < limit ? value + 0 : undefined
}

/** Parses a signed integer of 64 bits; undefined if the text is not one. */
export function parseI8(text: string): bigint | undefined {
  const value = parseBigInteger(text, 19)
  return value !== undefined && isI8(value) ? value : undefined
}

/** Parses an integer of any size; undefined if the text is not one or too long. */
export function parseBigInteger(text: string, maxDigits = MAX_DIGITS): bigint | undefined {
  if (!INTEGER.test(text)) return undefined
  const digits = text.replace(/^[+-]?0*/, '')
  if (digits.length > maxDigits) return undefined
  return text.startsWith('-') ? -BigInt(digits) : BigInt(digits)
}

/** Converts an integer to a number if that holds it exactly. */
export function asNumber(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
}

/** Parses a decimal number (`ex:bigdecimal`). It remains text if a double does not keep its digits. */
export function parseDecimal(text: string): number | string | undefined {
  if (!DOUBLE.test(text)) return undefined
  const digits = text.replace(/[eE].*$/, '').replace(/^[-+0.]+|\./g, '')
  const value = Number(text)
  const size = Math.abs(value)
  const isExact = digits === '' || (digits.length <= EXACT_DIGITS && size > 1e-300 && size < 1e300)
  return isExact ? value : text
}

/** Returns true if the integer fits in 64 bits, signed. */
export function isI8(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}

/** Parses a finite number in decimal notation; undefined if the text is not one or exceeds a double. */
export function parseDouble(text: string): number | undefined {
  const value = DOUBLE.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

/** Parses a number in decimal notation; one that exceeds a double is infinite. Undefined if the text is not one. */
export function parseDoubleOrInfinity(text: string): number | undefined {
  return DOUBLE.test(text) ? Number(text) : undefined
}

/** Parses `0` and `1`, and with `words` also `false` and `true`; undefined for other texts. */
export function parseBoolean(text: string, words: boolean): boolean | undefined {
  if (text === '1' || (words && text === 'true')) return true
  if (text === '0' || (words && text === 'false')) return false
  return undefined
}

/**
 * Formats a finite number as XML-RPC requires: sign, digits, point, digits and no exponent. Parsing the text gives the
 * same number.
 */
export function formatDouble(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value)
  const exponentAt = text.indexOf('e')
  if (exponentAt < 0) return text.includes('.') ? text : `${text}.0`
  const exponent = Number(text.slice(exponentAt + 1))
  const sign = value < 0 ? '-' : ''
  const digits = text.slice(0, exponentAt).replace(/[-.]/g, '')
  return exponent < 0
    ? `${sign}0.${digits.padStart(digits.length - exponent - 1, '0')}`
    : `${sign}${digits.padEnd(exponent + 1, '0')}.0`
}
