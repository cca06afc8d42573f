import { uncarriableAt } from './characters.ts'
import { decodeText } from './charset.ts'
import { quote, XMLRPCDecodeError } from './errors.ts'
import { Fault, FaultCode } from './fault.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { type ValueOptions, ValueReader } from './reader.ts'
import { parseInteger } from './scalars.ts'
import { Tag } from './tags.ts'
import type { TypeName, Value } from './types.ts'

/** How a document is read, and how much it may hold. */
export interface DecodeOptions extends ValueOptions, Partial<Limits> {
  /** The `charset` parameter of the `Content-Type` the document came with. Bytes only. */
  readonly charset?: string | undefined
}

/** A call as it came. */
export interface Call {
  readonly methodName: string
  readonly params: Value[]
  /** The wire type of each parameter: what a signature is compared with. */
  readonly types: TypeName[]
}

const NAME = /^[^\s\p{Cc}]+$/u

/**
 * Reads a `<methodCall>`.
 *
 * Integers arrive as numbers, `<i8>` as bigint, `<dateTime.iso8601>` as `DateTime`, `<base64>` as `Binary`,
 * `<nil/>` as null; structs have no prototype, and of members with the same name the last one counts. The
 * encoding is what the byte order mark says, else `charset`, else the XML declaration, else UTF-8.
 *
 * @throws XMLRPCDecodeError when the document is not well formed, not XML-RPC or above the limits; it names
 *   path and offset, and the fault code to answer with.
 * @example
 * ```ts
 * const { methodName, params, types } = decodeCall(body)
 * // 'test.battingOrder', [4], ['int']
 * ```
 */
export function decodeCall(body: Uint8Array | string, options: DecodeOptions = {}): Call {
  return new DocumentReader(body, options).call()
}

/**
 * Reads a `<methodResponse>`. Values arrive as `decodeCall` describes.
 *
 * @returns the value.
 * @throws Fault when the answer is a fault.
 * @throws XMLRPCDecodeError as `decodeCall` does.
 * @example
 * ```ts
 * decodeResponse(encodeResponse('Virginia')) // 'Virginia'
 * ```
 */
export function decodeResponse(body: Uint8Array | string, options: DecodeOptions = {}): Value {
  return new DocumentReader(body, options).response()
}

class DocumentReader extends ValueReader {
  /** Whether the reader is before the root element or behind it, where XML allows no text at all. */
  private outside = true

  constructor(body: Uint8Array | string, options: DecodeOptions) {
    const limits: Limits = {
      maxLength: options.maxLength ?? DEFAULT_LIMITS.maxLength,
      maxDepth: options.maxDepth ?? DEFAULT_LIMITS.maxDepth,
      maxElements: options.maxElements ?? DEFAULT_LIMITS.maxElements,
      maxTextLength: options.maxTextLength ?? DEFAULT_LIMITS.maxTextLength,
    }
    if (body.length > limits.maxLength) {
      throw new XMLRPCDecodeError(
        FaultCode.invalidRequest,
        `the document is longer than ${limits.maxLength}`,
        {
          offset: limits.maxLength,
          unit: typeof body === 'string' ? 'character' : 'byte',
        },
      )
    }
    super(typeof body === 'string' ? checked(body) : decodeText(body, options.charset), limits, options)
    this.begin()
  }

  call(): Call {
    this.rootElement(Tag.methodCall)
    this.open(Tag.methodName, Tag.methodCall)
    const at = this.pos
    const methodName = this.plainText(Tag.methodName)
    if (!NAME.test(methodName)) {
      this.fail(FaultCode.invalidRequest, `${quote(methodName)} is not the name of a method`, at)
    }
    const params: Value[] = []
    const types: TypeName[] = []
    const found = this.next()
    if (found === Tag.params) {
      while (this.param(`params[${params.length}]`)) {
        params.push(this.value())
        types.push(this.type)
        this.close(Tag.param)
      }
      this.root = ''
      this.close(Tag.methodCall)
    } else if (found !== -Tag.methodCall) {
      this.unexpected(found, '<params> or </methodCall>')
    }
    this.end()
    return { methodName, params, types }
  }

  response(): Value {
    this.rootElement(Tag.methodResponse)
    const found = this.next()
    if (found === Tag.params) {
      if (!this.param('result')) this.fail(FaultCode.invalidRequest, 'the response holds no value')
      const value = this.value()
      this.close(Tag.param)
      this.root = ''
      if (this.param('')) this.fail(FaultCode.invalidRequest, 'the response holds more than one value')
      this.close(Tag.methodResponse)
      this.end()
      return value
    }
    if (found !== Tag.fault) this.unexpected(found, '<params> or <fault>', Tag.methodResponse)
    this.open(Tag.value, Tag.fault)
    this.root = 'fault'
    const fault = this.asFault(this.value())
    this.root = ''
    this.close(Tag.fault)
    this.close(Tag.methodResponse)
    this.end()
    throw fault
  }

  private rootElement(tag: number): void {
    this.open(tag, 0)
    this.outside = false
  }

  /** Goes to the value of the next parameter; false at the end of the parameters. */
  private param(root: string): boolean {
    const found = this.next()
    if (found === -Tag.params) return false
    if (found !== Tag.param) this.unexpected(found, '<param> or </params>')
    this.root = root
    this.open(Tag.value, Tag.param)
    return true
  }

  /** A server's fault is read kindly, since what it says matters more than how: the code may be any integer. */
  private asFault(value: Value): Fault {
    if (typeof value === 'object' && value !== null && 'faultCode' in value && 'faultString' in value) {
      const { faultCode, faultString } = value
      const code = parseInteger(String(faultCode), 32)
      if (code !== undefined && typeof faultString === 'string') return new Fault(code, faultString)
    }
    return this.fail(FaultCode.invalidRequest, 'the fault is not a struct of faultCode and faultString')
  }

  private end(): void {
    if (this.pos === this.text.length) return
    this.outside = true
    const found = this.next()
    if (found !== 0) this.malformed('the document goes on behind its root element')
  }

  protected override strayText(found: string, offset = this.pos): never {
    if (this.outside) this.malformed(`the text ${quote(found)} stands outside the root element`, offset)
    return super.strayText(found, offset)
  }
}

function checked(text: string): string {
  const whole = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  if (whole.isWellFormed()) return whole
  throw new XMLRPCDecodeError(FaultCode.notWellFormed, 'half of a surrogate pair stands alone', {
    offset: uncarriableAt(whole),
  })
}
