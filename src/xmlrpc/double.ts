/** A number that goes out as `<double>`, whatever its value. Made by `double(n)`. */
export class Double {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  valueOf(): number {
    return this.value
  }

  toString(): string {
    return String(this.value)
  }

  toJSON(): number {
    return this.value
  }
}

/**
 * Forces `<double>` for a number that would go out as `<int>`.
 *
 * @example
 * ```ts
 * encodeCall('scale', [double(2)]) // … <double>2.0</double> …
 * ```
 */
export function double(value: number): Double {
  return new Double(value)
}

/**
 * A number as XML-RPC writes doubles: sign, digits, point, digits; never an exponent. Reading the text
 * back gives the same number. The number must be finite.
 */
export function formatDouble(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value)
  const exponentAt = text.indexOf('e')
  if (exponentAt < 0) return text.includes('.') ? text : `${text}.0`
  const sign = text.startsWith('-') ? '-' : ''
  const mantissa = text.slice(sign.length, exponentAt)
  const exponent = Number(text.slice(exponentAt + 1))
  const digits = mantissa.replace('.', '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  return `${sign}${digits}${'0'.repeat(exponent + 1 - digits.length)}.0`
}
