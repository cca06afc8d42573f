import { isBlank } from './characters.ts'

/** Number of digits of the largest integer of 64 bits. */
const I8_DIGITS = 19
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
  if (!INTEGER.test(text)) return undefined
  // BigInt() takes time quadratic in the number of digits.
  const digits = text.replace(/^[+-]?0*/, '')
  if (digits.length > I8_DIGITS) return undefined
  const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits)
  return isI8(value) ? value : undefined
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
