/**
 * Reads the values of XML-RPC documents.
 *
 * @module
 */

import { decodeBase64 } from '../../base/base64.ts'
import { describeValue } from '../../base/describe.ts'
import { DateTime } from './datetime.ts'
import { pathStep } from './errors.ts'
import { parseBoolean, parseDouble, parseI8, parseInteger, trimBlanks } from './scalars.ts'
import { Scanner } from './scanner.ts'
import type { TypeName } from './signature.ts'
import type { Limits } from './text-scanner.ts'
import { Binary, Double, type Struct, type Value } from './values.ts'

/** Options for decoding values. */
export interface ValueOptions {
  /**
   * Decoded form of `<double>`: a number (`plain`, the default) or a `Double` (`wrapped`). With `wrapped`, encoding the
   * value again gives the same types at every depth.
   */
  readonly doubles?: 'plain' | 'wrapped'
  /** Whether `<nil/>` is decoded, as null. Default true. */
  readonly allowNil?: boolean
  /** Whether `<boolean>true</boolean>` is decoded as well as `1`. Default false. */
  readonly booleanWords?: boolean
}

const LT = 0x3c
const SLASH = 0x2f
/** First code of the ASCII letters; the codes of `!`, `/` and `?` are lower. */
const LETTERS = 0x41

/** An array or struct whose end tag has not been read. */
interface Container {
  readonly array: Value[] | undefined
  readonly struct: Struct
  /** Name of the current member. */
  name: string
}

const NO_STRUCT: Struct = Object.freeze(Object.create(null))

/** Reads the values of a document. Does not recurse, so the stack does not limit their depth. */
export class ValueReader {
  readonly scanner: Scanner
  /** Path of the current outermost value: `params[0]`, `result`, `fault`; '' outside values. */
  root = ''
  /** Type of the outermost value read last. */
  type: TypeName = 'string'
  readonly #maxDepth: number
  readonly #wrapped: boolean
  readonly #allowNil: boolean
  readonly #booleanWords: boolean
  readonly #open: Container[] = []

  constructor(text: string, limits: Limits, options: ValueOptions) {
    this.scanner = new Scanner(text, limits, () => this.#path())
    this.#maxDepth = limits.maxDepth
    this.#wrapped = options.doubles === 'wrapped'
    this.#allowNil = options.allowNil ?? true
    this.#booleanWords = options.booleanWords ?? false
  }

  #path(): string {
    let path = this.root
    for (const { array, name } of this.#open) path += pathStep(array === undefined ? name : array.length)
    return path
  }

  /** Reads a value from after its `<value>` tag to its end tag. */
  value(): Value {
    const scanner = this.scanner
    const open = this.#open
    for (;;) {
      let value: Value
      if (scanner.skip('<string>', 1)) {
        value = this.content()
        this.type = 'string'
        if (!scanner.skip('</string></value>', 0)) {
          scanner.close('string')
          scanner.close('value')
        }
      } else {
        const untyped = this.#untyped()
        if (untyped === undefined && scanner.isStart('array')) {
          const array: Value[] = []
          this.#enter({ array, struct: NO_STRUCT, name: '' })
          scanner.open('data', 'array')
          if (this.#nextItem()) continue
          this.#leave('array')
          value = array
        } else if (untyped === undefined && scanner.isStart('struct')) {
          const struct: Struct = Object.create(null)
          this.#enter({ array: undefined, struct, name: '' })
          if (this.#nextMember()) continue
          this.#leave('struct')
          value = struct
        } else {
          value = untyped ?? this.#scalar()
          scanner.close('value')
        }
      }
      // Add the value to its container. It can be the last one, which completes the container as well.
      for (;;) {
        const container = open[open.length - 1]
        if (container === undefined) return value
        if (container.array !== undefined) {
          container.array.push(value)
          if (this.#nextItem()) break
          this.#leave('array')
          value = container.array
        } else {
          container.struct[container.name] = value
          scanner.close('member')
          if (this.#nextMember()) break
          this.#leave('struct')
          value = container.struct
        }
      }
    }
  }

  /** Returns the string of a value without a type tag. Otherwise reads the type tag and returns undefined. */
  #untyped(): string | undefined {
    const scanner = this.scanner
    const start = scanner.pos
    const isTag =
      !scanner.selfClosed && scanner.text.charCodeAt(start) === LT && scanner.text.charCodeAt(start + 1) >= LETTERS
    const text = isTag ? '' : this.content()
    if (scanner.selfClosed || scanner.text.charCodeAt(scanner.pos + 1) === SLASH) {
      this.type = 'string'
      return text
    }
    if (trimBlanks(text) !== '') scanner.strayText(text.trim(), start)
    scanner.startTag()
    return undefined
  }

  /** Reads the content and the end tag of the scalar whose type tag was read last. */
  #scalar(): Value {
    const scanner = this.scanner
    const { tag } = scanner
    switch (tag) {
      case 'string': {
        const value = this.content()
        scanner.close(tag)
        this.type = 'string'
        return value
      }
      case 'int':
      case 'i4':
        this.type = 'int'
        return this.#parsed(tag, 'an int', (text) => parseInteger(text, 32))
      case 'boolean':
        this.type = 'boolean'
        return this.#parsed(tag, 'a boolean', (text) => parseBoolean(text, this.#booleanWords))
      case 'double': {
        this.type = 'double'
        const value = this.#parsed(tag, 'a double', parseDouble)
        return this.#wrapped ? new Double(value) : value
      }
      case 'dateTime.iso8601':
        this.type = 'dateTime.iso8601'
        return this.#parsed(tag, 'a date and time', parseDateTime)
      case 'base64':
        this.type = 'base64'
        return new Binary(this.#parsed(tag, 'base64', decodeBase64))
      case 'i8':
        this.type = 'i8'
        return this.#parsed(tag, 'an i8', parseI8)
      case 'i1':
        this.type = 'int'
        return this.#parsed(tag, 'an i1', (text) => parseInteger(text, 8))
      case 'i2':
        this.type = 'int'
        return this.#parsed(tag, 'an i2', (text) => parseInteger(text, 16))
      case 'nil':
        if (!this.#allowNil) scanner.invalid('nil is not allowed here')
        this.type = 'nil'
        scanner.close(tag)
        return null
      default:
        return scanner.unexpected('a type')
    }
  }

  #parsed<T>(tag: string, type: string, parse: (text: string) => T | undefined): T {
    const start = this.scanner.pos
    const text = this.content()
    const value = parse(trimBlanks(text))
    if (value === undefined) this.scanner.invalid(`${describeValue(text, 40)} is not ${type}`, start)
    this.scanner.close(tag)
    return value
  }

  /** Returns the text in the element whose start tag was read last. */
  content(): string {
    return this.scanner.selfClosed ? '' : this.scanner.characters()
  }

  #enter(container: Container): void {
    if (this.#open.length >= this.#maxDepth) {
      this.scanner.invalid(`arrays and structs nest deeper than ${this.#maxDepth}`)
    }
    this.#open.push(container)
  }

  /** Reads the end tags of the innermost array or struct after its last item or member. */
  #leave(type: 'array' | 'struct'): void {
    if (type === 'array') this.scanner.close('array')
    this.#open.pop()
    this.scanner.close('value')
    this.type = type
  }

  /** Reads up to the next value of an array. Returns false at its end. */
  #nextItem(): boolean {
    const scanner = this.scanner
    if (scanner.skip('<value>', 1)) return true
    scanner.next()
    if (scanner.isStart('value')) return true
    if (!scanner.isEndOf('data')) scanner.unexpected('<value> or </data>')
    return false
  }

  /** Reads up to the value of the next member of a struct. Returns false at the end of the struct. */
  #nextMember(): boolean {
    const scanner = this.scanner
    if (!scanner.skip('<member><name>', 2)) {
      scanner.next()
      if (scanner.isEndOf('struct')) return false
      if (!scanner.isStart('member')) scanner.unexpected('<member> or </struct>')
      scanner.open('name', 'member')
    }
    const container = this.#open[this.#open.length - 1]
    if (container !== undefined) container.name = this.content()
    if (!scanner.skip('</name><value>', 1)) {
      scanner.close('name')
      scanner.open('value', 'member')
    }
    return true
  }
}

function parseDateTime(text: string): DateTime | undefined {
  try {
    return new DateTime(text)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
