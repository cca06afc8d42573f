import { describeValue } from '../../base/describe.ts'
import { replaceForbidden } from './characters.ts'
import { Fault } from './fault.ts'
import { asType } from './signature.ts'
import type { Encodable, SignatureType } from './types.ts'
import { ValueWriter, type WriteOptions } from './writer.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Options for encoding values. */
export interface EncodeOptions extends WriteOptions {}

/** Options for encoding a response. */
export interface EncodeResponseOptions extends EncodeOptions {
  /**
   * Declared type of the value. Decides between `<int>`, `<i8>` and `<double>` for numbers and bigints; has no effect on
   * other values.
   */
  readonly type?: SignatureType | undefined
}

/**
 * Encodes a `<methodCall>` (XML-RPC specification, "Request format"). Send the text as UTF-8.
 *
 * A number is encoded as `<int>` if it is an integer within 32 bits, otherwise as `<double>` without an exponent;
 * `double(n)` always as `<double>`. A bigint is encoded as `<int>`, or with `i8: true` as `<i8>`; a `Date` as its local
 * time in UTC; a `Uint8Array` or `ArrayBuffer` as `<base64>`.
 *
 * @throws XMLRPCEncodeError - a value has no XML-RPC form: NaN, an infinity, a cycle, a character that XML forbids,
 *   undefined, a function, an instance of another class, or null without `allowNil`.
 * @throws TypeError - the method name is empty or has blanks or control characters.
 * @example
 * ```ts
 * import { encodeCall } from 'propylon/xmlrpc'
 *
 * console.log(encodeCall('test.battingOrder', [4]))
 * // <?xml version="1.0" encoding="UTF-8"?>
 * // <methodCall><methodName>test.battingOrder</methodName><params>…</params></methodCall>
 * ```
 */
export function encodeCall(
  methodName: string,
  params: readonly Encodable[] = [],
  options: EncodeOptions = {},
): string {
  if (!/^[^\s\p{Cc}]+$/u.test(methodName)) {
    throw new TypeError(
      `The method name ${describeValue(methodName)} is invalid. Use at least one character, and no blanks or control characters.`,
    )
  }
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
 * Encodes a `<methodResponse>` (XML-RPC specification, "Response format"). Send the text as UTF-8. Values are encoded
 * as `encodeCall` describes. A `Fault` never fails: characters of its text that XML forbids become U+FFFD.
 *
 * @throws XMLRPCEncodeError - the value has no XML-RPC form. The path begins with `result`.
 * @example
 * ```ts
 * import { encodeResponse, Fault } from 'propylon/xmlrpc'
 *
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

/**
 * Returns the struct of a fault, as a response and a result of `system.multicall` have it. Characters that XML forbids
 * become U+FFFD.
 *
 * @example
 * ```ts
 * import { Fault, faultStruct } from 'propylon/xmlrpc'
 *
 * console.log(faultStruct(new Fault(26, 'No more stock.'))) // { faultCode: 26, faultString: 'No more stock.' }
 * ```
 */
export function faultStruct(fault: Fault): { faultCode: number; faultString: string } {
  return { faultCode: fault.faultCode, faultString: replaceForbidden(fault.faultString) }
}
