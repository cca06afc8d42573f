import { encodeBase64 } from './base64.ts'
import { Binary } from './binary.ts'
import { uncarriableAt } from './characters.ts'
import { DateTime } from './datetime.ts'
import { Double, formatDouble } from './double.ts'
import { pathStep, XMLRPCEncodeError } from './errors.ts'
import { isI8 } from './scalars.ts'
import { isPlain } from './signature.ts'
import type { Encodable, EncodableStruct } from './types.ts'

/** What the writer may write beyond the specification's types. */
export interface WriteOptions {
  /** Whether `null` is written, as `<nil/>`. Default false: it is an error. */
  readonly allowNil?: boolean
  /** Whether bigints are written as `<i8>`. Default false: as `<int>`, and beyond 32 bits it is an error. */
  readonly i8?: boolean
  /** How deep arrays and structs may nest: 64 unless said otherwise, 1024 at most. */
  readonly maxDepth?: number
}

const MOST_DEPTH = 1024
const LEAST_INT = -0x80000000
const MOST_INT = 0x7fffffff

// biome-ignore lint/suspicious/noControlCharactersInRegex: the fast check looks for them as well
const SPECIAL = /[&<>\r\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

/** Writes values in the form that no known client stumbles over: everything written out, nothing between tags. */
export class ValueWriter {
  private out = ''
  private root = ''
  private depth = 0
  /** The way from the root to the value being written, as far as `depth` goes. */
  private readonly keys: (string | number)[] = []
  private readonly ancestors: object[] = []
  private readonly allowNil: boolean
  private readonly i8: boolean
  private readonly maxDepth: number

  constructor(options: WriteOptions) {
    this.allowNil = options.allowNil ?? false
    this.i8 = options.i8 ?? false
    this.maxDepth = Math.min(options.maxDepth ?? 64, MOST_DEPTH)
  }

  /** Names the next value for errors. */
  begin(root: string): void {
    this.root = root
  }

  raw(markup: string): void {
    this.out += markup
  }

  finish(): string {
    return this.out
  }

  text(text: string): void {
    this.out += SPECIAL.test(text) ? this.escaped(text) : text
  }

  value(value: Encodable): void {
    switch (typeof value) {
      case 'string':
        this.out += '<value><string>'
        this.text(value)
        this.out += '</string></value>'
        return
      case 'number':
        this.number(value)
        return
      case 'boolean':
        this.out += value ? '<value><boolean>1</boolean></value>' : '<value><boolean>0</boolean></value>'
        return
      case 'bigint':
        this.bigint(value)
        return
      case 'object':
        if (value === null) this.nil()
        else if (isArray(value)) this.array(value)
        else this.object(value)
        return
      default:
        this.fail(`${typeof value} cannot be sent`)
    }
  }

  private number(value: number): void {
    if (Number.isInteger(value) && value >= LEAST_INT && value <= MOST_INT && !Object.is(value, -0)) {
      this.out += `<value><int>${value}</int></value>`
    } else {
      this.double(value)
    }
  }

  private double(value: number): void {
    if (!Number.isFinite(value)) this.fail(`XML-RPC has no ${value}`)
    this.out += `<value><double>${formatDouble(value)}</double></value>`
  }

  private bigint(value: bigint): void {
    if (this.i8) {
      if (!isI8(value)) this.fail(`${value} does not fit in 64 bits`)
      this.out += `<value><i8>${value}</i8></value>`
    } else {
      if (value < LEAST_INT || value > MOST_INT) {
        this.fail(`${value} does not fit in 32 bits, and <i8> is sent only with the option i8`)
      }
      this.out += `<value><int>${value}</int></value>`
    }
  }

  private nil(): void {
    if (!this.allowNil) this.fail('null is sent only with the option allowNil')
    this.out += '<value><nil/></value>'
  }

  private array(array: readonly Encodable[]): void {
    this.enter(array)
    this.out += '<value><array><data>'
    const { keys, depth } = this
    for (let i = 0; i < array.length; i++) {
      keys[depth - 1] = i
      this.value(array[i] as Encodable)
    }
    this.out += '</data></array></value>'
    this.leave()
  }

  private object(value: Exclude<Encodable & object, readonly Encodable[]>): void {
    if (isPlain(value)) this.struct(value)
    else if (value instanceof Double) this.double(value.value)
    else if (value instanceof DateTime) this.dateTime(value)
    else if (value instanceof Date) this.dateTime(this.fromDate(value))
    else if (value instanceof Binary) this.base64(value.bytes)
    else if (value instanceof Uint8Array) this.base64(value)
    else if (value instanceof ArrayBuffer) this.base64(new Uint8Array(value))
    else this.fail(`an instance of ${className(value)} cannot be sent; make it a plain object`)
  }

  private struct(struct: EncodableStruct): void {
    this.enter(struct)
    this.out += '<value><struct>'
    const { keys, depth } = this
    for (const name of Object.keys(struct)) {
      keys[depth - 1] = name
      this.out += '<member><name>'
      this.text(name)
      this.out += '</name>'
      this.value(struct[name] as Encodable)
      this.out += '</member>'
    }
    this.out += '</struct></value>'
    this.leave()
  }

  private dateTime(value: DateTime): void {
    this.out += `<value><dateTime.iso8601>${value.text}</dateTime.iso8601></value>`
  }

  private base64(bytes: Uint8Array): void {
    this.out += `<value><base64>${encodeBase64(bytes)}</base64></value>`
  }

  private fromDate(date: Date): DateTime {
    try {
      return DateTime.fromDate(date)
    } catch (error) {
      if (error instanceof RangeError) this.fail(error.message)
      throw error
    }
  }

  private enter(container: object): void {
    if (this.ancestors.includes(container)) this.fail('the value contains itself')
    if (this.depth >= this.maxDepth) this.fail(`arrays and structs nest deeper than ${this.maxDepth}`)
    this.ancestors.push(container)
    this.depth++
  }

  private leave(): void {
    this.ancestors.pop()
    this.depth--
  }

  private escaped(text: string): string {
    const at = uncarriableAt(text)
    if (at >= 0) {
      const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')
      this.fail(`XML cannot carry the character U+${code} at ${at}; send bytes as Binary`)
    }
    return text.replace(/[&<>\r]/g, (char) => ESCAPES[char] as string)
  }

  private fail(detail: string): never {
    let path = this.root
    for (let i = 0; i < this.depth; i++) path += pathStep(this.keys[i] as string | number)
    throw new XMLRPCEncodeError(path, detail)
  }
}

function isArray(value: Encodable): value is readonly Encodable[] {
  return Array.isArray(value)
}

function className(value: object): string {
  const made: unknown = value.constructor
  return typeof made === 'function' && made.name !== '' ? made.name : 'a class'
}
