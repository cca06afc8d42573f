/**
 * A number that is encoded as `<double>` whatever its value.
 *
 * @example
 * ```ts
 * import { Double, decodeResponse, encodeResponse } from 'propylon/xmlrpc'
 *
 * const value = decodeResponse(encodeResponse(new Double(2)), { doubles: 'wrapped' })
 * if (value instanceof Double) console.log(value.value) // 2
 * ```
 */
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
 * Encodes a number as `<double>`. An integer within 32 bits would otherwise be encoded as `<int>`.
 *
 * @example
 * ```ts
 * import { double, encodeCall } from 'propylon/xmlrpc'
 *
 * encodeCall('scale', [double(2)]) // … <double>2.0</double> …
 * ```
 */
export function double(value: number): Double {
  return new Double(value)
}
