import { replaceUncarriable } from './characters.ts'
import { Fault } from './fault.ts'
import { asType } from './signature.ts'
import type { Encodable, SignatureType } from './types.ts'
import { ValueWriter, type WriteOptions } from './writer.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** How values are written. */
export interface EncodeOptions extends WriteOptions {}

/** How a response is written. */
export interface EncodeResponseOptions extends EncodeOptions {
  /**
   * The declared type of the value, where its JavaScript type leaves a choice: a number declared `double`
   * goes out as `<double>`, one declared `i8` as `<i8>`, a bigint declared `int` as `<int>`. Values of other
   * kinds are written as they are.
   */
  readonly type?: SignatureType | undefined
}

/**
 * Writes a `<methodCall>`: text to be sent as UTF-8.
 *
 * Integral numbers within 32 bits go out as `<int>`, all others as `<double>`, without exponents; `double(n)`
 * forces `<double>`. A bigint goes out as `<int>`, or with `i8: true` as `<i8>`; a `Date` as what a clock in
 * UTC shows; bytes as `<base64>`.
 *
 * @throws XMLRPCEncodeError when a value cannot be carried: NaN, infinities, cycles, characters that XML does
 *   not allow, undefined, functions, objects of classes, `null` unless `allowNil` is set. It names the path.
 * @throws TypeError when the method name is empty or holds blanks or control characters.
 * @example
 * ```ts
 * encodeCall('test.battingOrder', [4])
 * ```
 */
export function encodeCall(
  methodName: string,
  params: readonly Encodable[] = [],
  options: EncodeOptions = {},
): string {
  if (!/^[^\s\p{Cc}]+$/u.test(methodName))
    throw new TypeError('A method name holds characters, and no blanks')
  const writer = new ValueWriter(options)
  writer.begin('methodName')
  writer.raw(`${DECLARATION}<methodCall><methodName>`)
  writer.text(methodName)
  writer.raw('</methodName><params>')
  params.forEach((param, i) => {
    writer.begin(`params[${i}]`)
    writer.raw('<param>')
    writer.value(param)
    writer.raw('</param>')
  })
  writer.raw('</params></methodCall>')
  return writer.finish()
}

/**
 * Writes a `<methodResponse>`: text to be sent as UTF-8, in the form that no known client stumbles over. A
 * `Fault` becomes a fault; characters of its text that XML cannot carry become U+FFFD, so that reporting
 * an error cannot fail.
 *
 * @throws XMLRPCEncodeError as `encodeCall` does; its path begins with `result`.
 * @example
 * ```ts
 * encodeResponse(20, { type: 'double' }) // … <double>20.0</double> …
 * encodeResponse(new Fault(26, 'No more stock.'))
 * ```
 */
export function encodeResponse(value: Encodable | Fault, options: EncodeResponseOptions = {}): string {
  const writer = new ValueWriter(options.type === 'i8' ? { ...options, i8: true } : options)
  writer.raw(`${DECLARATION}<methodResponse>`)
  if (value instanceof Fault) {
    writer.begin('fault')
    writer.raw('<fault>')
    writer.value(faultStruct(value))
    writer.raw('</fault></methodResponse>')
  } else {
    writer.begin('result')
    writer.raw('<params><param>')
    writer.value(options.type === undefined ? value : asType(value, options.type))
    writer.raw('</param></params></methodResponse>')
  }
  return writer.finish()
}

/** A fault as the struct that stands for it in a response, and among the results of `system.multicall`. */
export function faultStruct(fault: Fault): { faultCode: number; faultString: string } {
  return { faultCode: fault.faultCode, faultString: replaceUncarriable(fault.faultString) }
}
