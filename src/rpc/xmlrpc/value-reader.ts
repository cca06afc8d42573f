/**
 * Reads the values of XML-RPC documents.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { Binary } from './binary.ts'
import { Double } from './double.ts'
import type { Limits } from './limits.ts'
import { memberName } from './member-names.ts'
import type { Policy } from './policy.ts'
import { asNumber, parseDecimal, trimBlanks } from './scalars.ts'
import { Scanner } from './scanner.ts'
import { isType, type Tag } from './tags.ts'
import type { Struct, TypeName, Value } from './types.ts'
import { pathStep } from './xmlrpc-error.ts'

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
  /** Whether an `<i8>` that a number holds exactly is decoded as a number, and only others as bigint. Default false. */
  readonly i8AsNumber?: boolean
}

const MINUS = 0x2d
const LT = 0x3c
const SLASH = 0x2f
/** First code of the ASCII letters; the codes of `!`, `/` and `?` are lower. */
const LETTERS = 0x41
/** Number of digits of which every integer fits in 32 bits. */
const SMALL_DIGITS = 9

/** An array or struct whose end tag has not been read. */
interface Container {
  readonly array: Value[] | undefined
  readonly struct: Struct
  /** Name of the current member. */
  name: string
  /** Number of `<value>` tags around it: 1, unless the policy allows others. */
  readonly wrappers: number
}

/** Elements that may be missing or occur more often around a value, if the policy allows that. */
const AROUND_ITEM: ReadonlySet<Tag | ''> = new Set<Tag>(['data'])
const AROUND_MEMBER: ReadonlySet<Tag | ''> = new Set<Tag>(['member'])

const NO_STRUCT: Struct = Object.freeze(Object.create(null))

/** Reads the values of a document. Does not recurse, so the stack does not limit their depth. */
export class ValueReader {
  readonly scanner: Scanner
  /** Path of the current outermost value: `params[0]`, `result`, `fault`; '' outside values. */
  root = ''
  /** Type of the outermost value read last. */
  type: TypeName = 'string'
  readonly policy: Policy
  /** Whether the policy allows missing elements. */
  readonly isLoose: boolean
  readonly #maxDepth: number
  readonly #wrapped: boolean
  readonly #allowNil: boolean
  readonly #booleanWords: boolean
  readonly #i8AsNumber: boolean
  readonly #open: Container[] = []
  /** Whether the start tag of the next value's type has been read, without a `<value>` before it. */
  #isBare = false

  constructor(text: string, limits: Limits, options: ValueOptions, policy: Policy) {
    this.scanner = new Scanner(text, limits, policy, () => this.#path())
    this.policy = policy
    this.isLoose = policy.allowsMissingElements
    this.#maxDepth = limits.maxDepth
    this.#wrapped = options.doubles === 'wrapped'
    this.#allowNil = options.allowNil ?? true
    this.#booleanWords = options.booleanWords ?? false
    this.#i8AsNumber = options.i8AsNumber ?? false
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
      const isBare = this.#isBare
      if (!isBare && scanner.skip('<string>', 1)) {
        value = this.content()
        this.type = 'string'
        if (!scanner.skip('</string></value>', 0)) {
          scanner.close('string')
          scanner.close('value')
        }
      } else {
        this.#isBare = false
        let wrappers = isBare ? 0 : 1
        let untyped = isBare ? undefined : this.#untyped()
        for (; untyped === undefined && this.#isWrapper(); wrappers++) untyped = this.#untyped()
        if (untyped === undefined && scanner.isStart('array')) {
          const array: Value[] = []
          this.#enter({ array, struct: NO_STRUCT, name: '', wrappers })
          this.#openData()
          if (this.#nextItem()) continue
          this.#leave('array')
          value = array
        } else if (untyped === undefined && scanner.isStart('struct')) {
          const struct: Struct = Object.create(null)
          this.#enter({ array: undefined, struct, name: '', wrappers })
          if (this.#nextMember()) continue
          this.#leave('struct')
          value = struct
        } else {
          value = untyped ?? this.#scalar()
          this.#closeWrappers(wrappers)
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
          if (!this.isLoose) scanner.close('member')
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
      !scanner.selfClosed &&
      scanner.text.charCodeAt(start) === LT &&
      scanner.text.charCodeAt(start + 1) >= LETTERS
    const text = isTag ? '' : this.content()
    if (scanner.selfClosed || scanner.text.charCodeAt(scanner.pos + 1) === SLASH) {
      this.type = 'string'
      return text
    }
    if (text !== '' && !this.policy.ignoresText && trimBlanks(text) !== '')
      scanner.strayText(text.trim(), start)
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
        return this.#smallInteger(tag) ?? this.#parsed(tag, 'an int', (text) => this.policy.integer(text, 32))
      case 'boolean':
        this.type = 'boolean'
        return this.#parsed(tag, 'a boolean', (text) => this.policy.boolean(text, this.#booleanWords))
      case 'double': {
        this.type = 'double'
        const value = this.#parsed(tag, 'a double', this.policy.double)
        return this.#wrapped ? new Double(value) : value
      }
      case 'dateTime.iso8601':
        this.type = 'dateTime.iso8601'
        return this.#parsed(tag, 'a date and time', this.policy.dateTime)
      case 'base64':
        this.type = 'base64'
        return new Binary(this.#parsed(tag, 'base64', this.policy.base64))
      case 'i8': {
        this.type = 'i8'
        const value = this.#parsed(tag, 'an i8', this.policy.i8)
        return this.#i8AsNumber ? asNumber(value) : value
      }
      case 'i1':
        this.type = 'int'
        return this.#parsed(tag, 'an i1', (text) => this.policy.integer(text, 8))
      case 'i2':
        this.type = 'int'
        return this.#parsed(tag, 'an i2', (text) => this.policy.integer(text, 16))
      case 'bigdecimal':
        this.type = 'double'
        return this.#parsed(tag, 'a number', parseDecimal)
      case 'nil':
        if (!this.#allowNil) scanner.invalid('nil is not allowed here')
        this.type = 'nil'
        scanner.close(tag)
        return null
      default:
        return scanner.unexpected('a type')
    }
  }

  /** Reads an integer of a few digits, which is the usual case, without cutting its text out of the document. */
  #smallInteger(tag: Tag): number | undefined {
    const scanner = this.scanner
    const { text, pos } = scanner
    const negative = text.charCodeAt(pos) === MINUS
    const first = negative ? pos + 1 : pos
    let at = first
    let value = 0
    for (;;) {
      const digit = text.charCodeAt(at) - 0x30
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
      at++
    }
    if (scanner.selfClosed || at === first || at - first > SMALL_DIGITS) return undefined
    if (text.charCodeAt(at) !== LT || text.charCodeAt(at + 1) !== SLASH) return undefined
    scanner.pos = at
    scanner.close(tag)
    return negative && value !== 0 ? -value : value
  }

  #parsed<T>(tag: Tag, type: string, parse: (text: string) => T | undefined): T {
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
    if (type === 'array' && !this.isLoose) this.scanner.close('array')
    const container = this.#open.pop()
    this.#closeWrappers(container?.wrappers ?? 1)
    this.type = type
  }

  /** Whether the tag read last is a `<value>` directly in another, which the policy allows. */
  #isWrapper(): boolean {
    return this.isLoose && this.scanner.isStart('value')
  }

  #closeWrappers(wrappers: number): void {
    for (let left = wrappers; left > 0; left--) this.scanner.close('value')
  }

  /** Reads the start tag of the items of an array, unless the policy reads it with the items. */
  #openData(): void {
    if (!this.isLoose) this.scanner.open('data', 'array')
  }

  /** Reads up to the next value of an array. Returns false at its end. */
  #nextItem(): boolean {
    const scanner = this.scanner
    if (scanner.skip('<value>', 1)) return true
    if (this.isLoose) return this.nextLoosely('array', AROUND_ITEM)
    scanner.next()
    if (scanner.isStart('value')) return true
    if (!scanner.isEndOf('data')) scanner.unexpected('<value> or </data>')
    return false
  }

  /** Reads up to the value of the next member of a struct. Returns false at the end of the struct. */
  #nextMember(): boolean {
    const scanner = this.scanner
    if (this.isLoose) scanner.skip('</member>', 0)
    if (!scanner.skip('<member><name>', 2)) {
      do scanner.next()
      while (this.isLoose && AROUND_MEMBER.has(scanner.tag))
      if (scanner.isEndOf('struct')) return false
      if (!this.isLoose) {
        if (!scanner.isStart('member')) scanner.unexpected('<member> or </struct>')
        scanner.open('name', 'member')
      } else if (!scanner.isStart('name')) scanner.unexpected('<name> or </struct>')
    }
    const container = this.#open[this.#open.length - 1]
    if (container !== undefined) container.name = memberName(scanner)
    if (!scanner.skip('</name><value>', 1)) {
      scanner.close('name')
      if (this.isLoose) {
        scanner.next()
        this.#expectValue('<value>', 'member')
      } else scanner.open('value', 'member')
    }
    return true
  }

  /**
   * Reads up to the next value in an element, whatever `around` it is missing or repeated. Returns false at the end of
   * the element.
   */
  nextLoosely(element: Tag, around: ReadonlySet<Tag | ''>): boolean {
    const scanner = this.scanner
    do scanner.next()
    while (around.has(scanner.tag) && !scanner.isEndOf(element))
    if (scanner.isEndOf(element)) return false
    this.#expectValue(`<value> or </${element}>`)
    return true
  }

  /** Checks that the tag read last begins a value, with or without `<value>`. */
  #expectValue(wanted: string, within: Tag | '' = ''): void {
    const scanner = this.scanner
    if (scanner.isStart('value')) return
    if (scanner.isEnd || !isType(scanner.tag)) scanner.unexpected(wanted, within)
    this.#isBare = true
  }
}
