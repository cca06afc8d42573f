import { isBlank } from './characters.ts'

const INT = /^[+-]?\d+$/
const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const LEAST_I8 = -(2n ** 63n)
const MOST_I8 = 2n ** 63n - 1n

/** The text without XML's blanks round it, which many clients write and every server but two accepts. */
export function unpadded(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return end - start === text.length ? text : text.slice(start, end)
}

/** An integer of 8, 16 or 32 bits; `undefined` for anything else. */
export function parseInteger(text: string, bits: 8 | 16 | 32): number | undefined {
  if (!INT.test(text)) return undefined
  const value = Number(text)
  const beyond = 2 ** (bits - 1)
  if (value < -beyond || value >= beyond) return undefined
  return value === 0 ? 0 : value
}

/** An integer of 64 bits; `undefined` for anything else. */
export function parseI8(text: string): bigint | undefined {
  if (!INT.test(text)) return undefined
  const digits = text.replace(/^[+-]?0*/, '')
  // Making a bigint takes time that grows with the square of its digits, so it is made of few only.
  if (digits.length > 19) return undefined
  const size = BigInt(digits)
  const value = text.startsWith('-') ? -size : size
  return isI8(value) ? value : undefined
}

/** Whether a bigint has room in 64 bits. */
export function isI8(value: bigint): boolean {
  return value >= LEAST_I8 && value <= MOST_I8
}

/** A finite number; `undefined` for anything else, and for what is too large for a double. */
export function parseDouble(text: string): number | undefined {
  if (!DOUBLE.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** `0` and `1`; where words are allowed `false` and `true` too. */
export function parseBoolean(text: string, words: boolean): boolean | undefined {
  if (text === '1' || (words && text === 'true')) return true
  if (text === '0' || (words && text === 'false')) return false
  return undefined
}
