import { decodeBase64 } from './base64.ts'
import { Binary } from './binary.ts'
import { DateTime } from './datetime.ts'
import { Double } from './double.ts'
import { pathStep, quote } from './errors.ts'
import { FaultCode } from './fault.ts'
import type { Limits } from './limits.ts'
import { parseBoolean, parseDouble, parseI8, parseInteger, unpadded } from './scalars.ts'
import { Scanner } from './scanner.ts'
import { Tag } from './tags.ts'
import type { Struct, TypeName, Value } from './types.ts'

/** What a document's values become. */
export interface ValueOptions {
  /**
   * How `<double>` arrives: as a number (`plain`, the default), or as a `Double` (`wrapped`), so that
   * encoding the value again gives the same wire type at every depth.
   */
  readonly doubles?: 'plain' | 'wrapped'
  /** Whether `<nil/>` is read, as `null`. Default true. */
  readonly allowNil?: boolean
  /** Whether `<boolean>true</boolean>` is read as well as `1`. Default false. */
  readonly booleanWords?: boolean
}

const MINUS = 0x2d
const LT = 0x3c
const SLASH = 0x2f
const LAST_BEFORE_LETTERS = 0x40

/** Stands for a string whose start tag is already read. */
const USUAL_STRING = -1

const NAME_SLOTS = 512
const MOST_NAME = 32
/** Names of members, by a hash of them: a cache that cannot grow. */
const NAMES: string[] = new Array<string>(NAME_SLOTS).fill('')

interface Frame {
  readonly array: Value[] | undefined
  readonly struct: Struct
  name: string
}

const NO_STRUCT: Struct = Object.freeze(Object.create(null))

/** Reads values: types, arrays and structs, without recursion. */
export abstract class ValueReader extends Scanner {
  /** What the value being read is called: `params[0]`, `result`, `fault`; empty outside values. */
  protected root = ''
  /** The wire type of the outermost value read last. */
  protected type: TypeName = 'string'
  private readonly frames: Frame[] = []
  private untyped = ''
  private readonly wrapped: boolean
  private readonly allowNil: boolean
  private readonly booleanWords: boolean

  constructor(text: string, limits: Limits, options: ValueOptions) {
    super(text, limits)
    this.wrapped = options.doubles === 'wrapped'
    this.allowNil = options.allowNil ?? true
    this.booleanWords = options.booleanWords ?? false
  }

  protected override path(): string {
    let path = this.root
    for (const { array, name } of this.frames) path += pathStep(array === undefined ? name : array.length)
    return path
  }

  /** The value whose `<value>` tag was read last, up to and with its end tag. */
  protected value(): Value {
    const { frames } = this
    for (;;) {
      const tag = !this.selfClosed && this.skipTags('<string>', 1) ? USUAL_STRING : this.typeTag()
      let value: Value
      if (tag === USUAL_STRING) {
        value = this.usualString()
      } else if (tag === Tag.array) {
        this.open(Tag.data, Tag.array)
        const array: Value[] = []
        this.enter({ array, struct: NO_STRUCT, name: '' })
        if (this.item()) continue
        this.leave(Tag.array)
        value = array
      } else if (tag === Tag.struct) {
        const struct: Struct = Object.create(null)
        this.enter({ array: undefined, struct, name: '' })
        if (this.member()) continue
        this.leave(Tag.struct)
        value = struct
      } else {
        value = tag === 0 ? this.untyped : this.scalar(tag)
        this.close(Tag.value)
      }
      // The value is complete, and may be the last of its array or struct, and that of another.
      for (;;) {
        const frame = frames[frames.length - 1]
        if (frame === undefined) return value
        if (frame.array !== undefined) {
          frame.array.push(value)
          if (this.item()) break
          this.leave(Tag.array)
          value = frame.array
        } else {
          frame.struct[frame.name] = value
          this.close(Tag.member)
          if (this.member()) break
          this.leave(Tag.struct)
          value = frame.struct
        }
      }
    }
  }

  /** The content of a `<string>`, up to and with the end tag of its value. */
  private usualString(): string {
    const value = this.characters()
    this.type = 'string'
    if (!this.skipTags('</string></value>', 0)) {
      this.close(Tag.string)
      this.close(Tag.value)
    }
    return value
  }

  /** The type tag of a value; 0 when it has none, its text being in `untyped` then. */
  private typeTag(): number {
    const { text } = this
    if (
      this.selfClosed ||
      text.charCodeAt(this.pos) !== LT ||
      text.charCodeAt(this.pos + 1) <= LAST_BEFORE_LETTERS
    ) {
      const start = this.pos
      const leading = this.selfClosed ? '' : this.characters()
      if (this.selfClosed || text.charCodeAt(this.pos + 1) === SLASH) {
        this.untyped = leading
        this.type = 'string'
        return 0
      }
      if (/[^ \t\r\n]/.test(leading)) this.strayText(leading.trim(), start)
    }
    return this.startTag(this.pos + 1)
  }

  /** The content of an element that holds one scalar, up to and with its end tag. */
  private scalar(tag: number): Value {
    switch (tag) {
      case Tag.string: {
        const value = this.selfClosed ? '' : this.characters()
        this.close(tag)
        this.type = 'string'
        return value
      }
      case Tag.int:
      case Tag.i4:
        this.type = 'int'
        return this.smallInteger(tag) ?? this.parsed(tag, 'an int', (text) => parseInteger(text, 32))
      case Tag.boolean:
        this.type = 'boolean'
        return this.parsed(tag, 'a boolean', (text) => parseBoolean(text, this.booleanWords))
      case Tag.double:
      case Tag.float: {
        this.type = 'double'
        const value = this.parsed(tag, 'a double', parseDouble)
        return this.wrapped ? new Double(value) : value
      }
      case Tag.dateTime:
        this.type = 'dateTime.iso8601'
        return this.parsed(tag, 'a date and time', parseDateTime)
      case Tag.base64:
        this.type = 'base64'
        return this.binary()
      case Tag.i8:
      case Tag.biginteger:
        this.type = 'i8'
        return this.parsed(tag, 'an i8', parseI8)
      case Tag.i1:
        this.type = 'int'
        return this.parsed(tag, 'an i1', (text) => parseInteger(text, 8))
      case Tag.i2:
        this.type = 'int'
        return this.parsed(tag, 'an i2', (text) => parseInteger(text, 16))
      case Tag.nil:
        this.type = 'nil'
        return this.nil()
      default:
        return this.unexpected(tag, 'a type')
    }
  }

  /** An int of at most nine digits, read off the document without cutting a text out of it. */
  private smallInteger(tag: number): number | undefined {
    const { text } = this
    const start = this.pos
    const negative = text.charCodeAt(start) === MINUS
    const first = negative ? start + 1 : start
    let at = first
    let value = 0
    for (;;) {
      const digit = text.charCodeAt(at) - 0x30
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
      at++
    }
    if (this.selfClosed || at === first || at - first > 9) return undefined
    if (text.charCodeAt(at) !== LT || text.charCodeAt(at + 1) !== SLASH) return undefined
    this.pos = at
    this.close(tag)
    return negative && value !== 0 ? -value : value
  }

  private parsed<T extends Value>(tag: number, what: string, parse: (text: string) => T | undefined): T {
    const start = this.pos
    const found = this.selfClosed ? '' : this.characters()
    const value = parse(unpadded(found))
    if (value === undefined) this.fail(FaultCode.invalidRequest, `${quote(found)} is not ${what}`, start)
    this.close(tag)
    return value
  }

  private binary(): Binary {
    const start = this.pos
    const bytes = decodeBase64(this.selfClosed ? '' : this.characters())
    if (bytes === undefined) this.fail(FaultCode.invalidRequest, 'the text is not base64', start)
    this.close(Tag.base64)
    return new Binary(bytes)
  }

  private nil(): null {
    if (!this.allowNil) this.fail(FaultCode.invalidRequest, 'nil is not allowed here')
    const found = this.next()
    if (found !== -Tag.nil) this.unexpected(found, '</nil>')
    return null
  }

  private enter(frame: Frame): void {
    if (this.frames.length >= this.limits.maxDepth) {
      this.fail(FaultCode.invalidRequest, `arrays and structs nest deeper than ${this.limits.maxDepth}`)
    }
    this.frames.push(frame)
  }

  /** The end of the innermost array or struct, behind its last item or member. */
  private leave(tag: number): void {
    if (tag === Tag.array) this.close(Tag.array)
    this.frames.pop()
    this.close(Tag.value)
    this.type = tag === Tag.array ? 'array' : 'struct'
  }

  /** Goes to the next value of an array; false at its end. */
  private item(): boolean {
    const found = this.next()
    if (found === Tag.value) return true
    if (found !== -Tag.data) this.unexpected(found, '<value> or </data>')
    return false
  }

  /** Goes to the value of a struct's next member; false at the struct's end. */
  private member(): boolean {
    if (this.selfClosed || !this.skipTags('<member><name>', 2)) {
      const found = this.next()
      if (found === -Tag.struct) return false
      if (found !== Tag.member) this.unexpected(found, '<member> or </struct>')
      this.open(Tag.name, Tag.member)
    }
    const frame = this.frames[this.frames.length - 1] as Frame
    frame.name = this.memberName()
    if (this.selfClosed || !this.skipTags('</name><value>', 1)) {
      this.close(Tag.name)
      this.open(Tag.value, Tag.member)
    }
    return true
  }

  /** The same few names occur in struct after struct: one that was met lately is not made anew. */
  private memberName(): string {
    if (this.selfClosed) return ''
    const { text } = this
    const start = this.pos
    let at = start
    let hash = 0
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === LT) break
      if (!isNameCode(code) || at - start === MOST_NAME) return this.characters()
      hash = (hash * 31 + code) | 0
      at++
    }
    if (text.charCodeAt(at + 1) !== SLASH) return this.characters()
    const slot = hash & (NAME_SLOTS - 1)
    const known = NAMES[slot] as string
    if (known.length === at - start && text.startsWith(known, start)) {
      this.pos = at
      return known
    }
    const name = this.characters()
    NAMES[slot] = name
    return name
  }

  /** Text that is not within a value: a method's name. */
  protected plainText(tag: number): string {
    const found = this.selfClosed ? '' : this.characters()
    this.close(tag)
    return unpadded(found)
  }
}

/** A letter, a digit, or one of `_ - .`: what nearly every member's name is made of. */
function isNameCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x2d && code <= 0x39) ||
    code === 0x5f
  )
}

function parseDateTime(text: string): DateTime | undefined {
  try {
    return new DateTime(text)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
