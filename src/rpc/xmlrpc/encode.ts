/**
 * Encodes XML-RPC documents.
 *
 * @module
 */

import { encodeBase64 } from '../../base/base64.ts'
import { describeValue } from '../../base/describe.ts'
import { forbiddenAt, isMethodName, replaceForbidden } from './characters.ts'
import { DateTime } from './datetime.ts'
import { Fault, ForbiddenCharacterError, pathStep, XMLRPCEncodeError } from './errors.ts'
import { formatDouble, isI8 } from './scalars.ts'
import { asType, type SignatureType } from './signature.ts'
import { Binary, Double, type Encodable, type EncodableStruct, isPlain } from './values.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

const MAX_DEPTH = 1024
const MIN_INT = -0x80000000
const MAX_INT = 0x7fffffff

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids control characters
const SPECIAL = /[&<>\r\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

/** Options for encoding values. */
export interface EncodeOptions {
  /** Whether null is written, as `<nil/>`. Default false: null is an error. */
  readonly allowNil?: boolean
  /** Whether bigints are written as `<i8>`. Default false: they are written as `<int>` and must fit in 32 bits. */
  readonly i8?: boolean
  /** Depth of nested arrays and structs. Default 64, maximum 1024. */
  readonly maxDepth?: number
}

/** Options for encoding a response. */
export interface EncodeResponseOptions extends EncodeOptions {
  /**
   * Declared type of the value. Decides between `<int>`, `<i8>` and `<double>` for numbers and bigints; has no effect
   * on other values.
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
export function encodeCall(methodName: string, params: readonly Encodable[] = [], options: EncodeOptions = {}): string {
  if (!isMethodName(methodName)) {
    throw new TypeError(
      `The method name ${describeValue(methodName)} is invalid. Use at least one character, and no blanks or control characters.`,
    )
  }
  const writer = new ValueWriter(options)
  const name = writer.escape('methodName', methodName)
  const sent = params.map((param, i) => `<param>${writer.encode(`params[${i}]`, param)}</param>`)
  return `${DECLARATION}<methodCall><methodName>${name}</methodName><params>${sent.join('')}</params></methodCall>`
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
  if (value instanceof Fault) {
    const fault = writer.encode('fault', faultStruct(value))
    return `${DECLARATION}<methodResponse><fault>${fault}</fault></methodResponse>`
  }
  const result = writer.encode('result', options.type === undefined ? value : asType(value, options.type))
  return `${DECLARATION}<methodResponse><params><param>${result}</param></params></methodResponse>`
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

/** Writes values in the form that all known clients read: typed, with separate end tags and no blanks between tags. */
class ValueWriter {
  #out = ''
  #root = ''
  /** Keys from the root to the current value. */
  readonly #keys: (string | number)[] = []
  /** Arrays and structs that contain the current value, to find cycles. */
  readonly #ancestors: object[] = []
  readonly #allowNil: boolean
  readonly #i8: boolean
  readonly #maxDepth: number

  constructor(options: EncodeOptions) {
    this.#allowNil = options.allowNil ?? false
    this.#i8 = options.i8 ?? false
    this.#maxDepth = Math.min(options.maxDepth ?? 64, MAX_DEPTH)
  }

  /**
   * Returns a value as markup.
   *
   * @param root - name of the value in error messages.
   */
  encode(root: string, value: Encodable): string {
    this.#root = root
    this.#out = ''
    this.#value(value)
    return this.#out
  }

  /** Returns a text as XML. */
  escape(root: string, text: string): string {
    this.#root = root
    return this.#escaped(text)
  }

  #value(value: Encodable): void {
    switch (typeof value) {
      case 'string':
        this.#out += '<value><string>'
        this.#out += this.#escaped(value)
        this.#out += '</string></value>'
        return
      case 'number':
        this.#number(value)
        return
      case 'boolean':
        this.#out += value ? '<value><boolean>1</boolean></value>' : '<value><boolean>0</boolean></value>'
        return
      case 'bigint':
        this.#bigint(value)
        return
      case 'object':
        if (value === null) this.#nil()
        else if (isArray(value)) this.#array(value)
        else this.#object(value)
        return
      default:
        this.#fail(`${typeof value} cannot be sent`)
    }
  }

  #number(value: number): void {
    if (Number.isInteger(value) && value >= MIN_INT && value <= MAX_INT && !Object.is(value, -0)) {
      this.#out += `<value><int>${value}</int></value>`
    } else {
      this.#double(value)
    }
  }

  #double(value: number): void {
    if (!Number.isFinite(value)) this.#fail(`XML-RPC has no ${value}`)
    this.#scalar('double', formatDouble(value))
  }

  #bigint(value: bigint): void {
    if (this.#i8) {
      if (!isI8(value)) this.#fail(`${value} does not fit in 64 bits`)
      this.#scalar('i8', String(value))
    } else {
      if (value < MIN_INT || value > MAX_INT) {
        this.#fail(`${value} does not fit in 32 bits, and <i8> is sent only with the option i8`)
      }
      this.#scalar('int', String(value))
    }
  }

  #nil(): void {
    if (!this.#allowNil) this.#fail('null is sent only with the option allowNil')
    this.#out += '<value><nil/></value>'
  }

  #array(array: readonly Encodable[]): void {
    this.#enter(array)
    this.#out += '<value><array><data>'
    const keys = this.#keys
    const last = keys.length - 1
    for (let i = 0; i < array.length; i++) {
      keys[last] = i
      this.#value(array[i] as Encodable)
    }
    this.#out += '</data></array></value>'
    this.#leave()
  }

  #object(value: Exclude<Encodable & object, readonly Encodable[]>): void {
    if (isPlain(value)) this.#struct(value)
    else if (value instanceof Double) this.#double(value.value)
    else if (value instanceof DateTime) this.#scalar('dateTime.iso8601', value.text)
    else if (value instanceof Date) this.#scalar('dateTime.iso8601', this.#fromDate(value).text)
    else if (value instanceof Binary) this.#base64(value.bytes)
    else if (value instanceof Uint8Array) this.#base64(value)
    else if (value instanceof ArrayBuffer) this.#base64(new Uint8Array(value))
    else this.#fail(`${describeValue(value)} cannot be sent; convert it to a plain object`)
  }

  #struct(struct: EncodableStruct): void {
    this.#enter(struct)
    this.#out += '<value><struct>'
    const keys = this.#keys
    const last = keys.length - 1
    for (const name of Object.keys(struct)) {
      keys[last] = name
      this.#out += '<member><name>'
      this.#out += this.#escaped(name)
      this.#out += '</name>'
      this.#value(struct[name] as Encodable)
      this.#out += '</member>'
    }
    this.#out += '</struct></value>'
    this.#leave()
  }

  #base64(bytes: Uint8Array): void {
    this.#scalar('base64', encodeBase64(bytes))
  }

  #scalar(type: string, text: string): void {
    this.#out += `<value><${type}>${text}</${type}></value>`
  }

  #fromDate(date: Date): DateTime {
    try {
      return DateTime.fromDate(date)
    } catch (error) {
      if (error instanceof RangeError) this.#fail(error.message)
      throw error
    }
  }

  #enter(container: object): void {
    if (this.#ancestors.includes(container)) this.#fail('the value contains itself')
    if (this.#ancestors.length >= this.#maxDepth) this.#fail(`arrays and structs nest deeper than ${this.#maxDepth}`)
    this.#ancestors.push(container)
    this.#keys.push('')
  }

  #leave(): void {
    this.#ancestors.pop()
    this.#keys.pop()
  }

  #escaped(text: string): string {
    if (!SPECIAL.test(text)) return text
    const at = forbiddenAt(text)
    if (at >= 0) {
      const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')
      const detail = `XML forbids the character U+${code} at ${at}; send bytes as Binary`
      throw new ForbiddenCharacterError(this.#path(), detail)
    }
    return text.replace(/[&<>\r]/g, (char) => ESCAPES[char] as string)
  }

  #fail(detail: string): never {
    throw new XMLRPCEncodeError(this.#path(), detail)
  }

  #path(): string {
    return this.#root + this.#keys.map(pathStep).join('')
  }
}

function isArray(value: Encodable): value is readonly Encodable[] {
  return Array.isArray(value)
}
