/**
 * Reads calls and responses from XML-RPC documents.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import type { Fault } from './fault.ts'
import { trimBlanks } from './scalars.ts'
import type { Tag } from './tags.ts'
import type { TypeName, Value } from './types.ts'
import { ValueReader } from './value-reader.ts'

/** A decoded call. */
export interface Call {
  readonly methodName: string
  readonly params: Value[]
  /** Type of each parameter as it was sent, to compare with a signature. */
  readonly types: TypeName[]
}

const METHOD_NAME = /^[^\s\p{Cc}]+$/u

/** Elements that may be missing or occur more often around a value, if the policy allows that. */
const AROUND_RESULT: ReadonlySet<Tag | ''> = new Set<Tag>(['params', 'param'])

/** Reads one document: a call or a response. */
export class Reader extends ValueReader {
  call(): Call {
    const scanner = this.scanner
    this.#begin('methodCall')
    scanner.open('methodName', 'methodCall')
    const start = scanner.pos
    const methodName = trimBlanks(this.content())
    scanner.close('methodName')
    if (!METHOD_NAME.test(methodName))
      scanner.invalid(`${describeValue(methodName)} is not a method name`, start)
    const params: Value[] = []
    const types: TypeName[] = []
    scanner.next()
    if (scanner.isStart('params')) {
      while (this.#nextParam(`params[${params.length}]`)) {
        params.push(this.value())
        types.push(this.type)
        scanner.close('param')
      }
      scanner.close('methodCall')
    } else if (!scanner.isEndOf('methodCall')) {
      scanner.unexpected('<params> or </methodCall>')
    }
    this.#end()
    return { methodName, params, types }
  }

  /** @throws Fault - the response is a fault. */
  response(): Value {
    const scanner = this.scanner
    this.#begin('methodResponse')
    scanner.next()
    const isFault = scanner.isStart('fault')
    if (!isFault && !scanner.isStart('params')) scanner.unexpected('<params> or <fault>', 'methodResponse')
    const end = isFault ? 'fault' : 'params'
    const hasValue = this.#nextResult(end)
    if (!hasValue && !this.policy.allowsVoid) scanner.invalid('the response has no value')
    const value = hasValue ? this.value() : null
    const fault = isFault ? this.#toFault(value) : undefined
    if (hasValue) this.#endResult(end)
    this.root = ''
    scanner.close('methodResponse')
    this.#end()
    if (fault !== undefined) throw fault
    return value
  }

  /** Reads up to the value of a response. Returns false if it has none. */
  #nextResult(end: 'params' | 'fault'): boolean {
    const scanner = this.scanner
    const root = end === 'fault' ? 'fault' : 'result'
    if (this.isLoose) {
      this.root = root
      if (this.nextLoosely(end, AROUND_RESULT)) return true
      // A text without <value> would be lost.
      if (scanner.ignoredText !== '') scanner.strayText(scanner.ignoredText)
      return false
    }
    if (end === 'params') return this.#nextParam(root)
    scanner.open('value', 'fault')
    this.root = root
    return true
  }

  #endResult(end: 'params' | 'fault'): void {
    const scanner = this.scanner
    if (!this.isLoose) scanner.close(end === 'fault' ? 'fault' : 'param')
    if (!this.isLoose && end === 'fault') return
    this.root = ''
    if (this.isLoose ? this.nextLoosely(end, AROUND_RESULT) : this.#nextParam(''))
      scanner.invalid('the response has more than one value')
  }

  #begin(tag: Tag): void {
    this.scanner.open(tag)
    this.scanner.outside = false
  }

  #end(): void {
    if (this.policy.ignoresText) return
    const scanner = this.scanner
    scanner.outside = true
    scanner.next()
    if (scanner.tag !== '') scanner.malformed('the document continues after its root element')
  }

  /** Reads up to the value of the next parameter. Returns false at the end of the parameters. */
  #nextParam(root: string): boolean {
    const scanner = this.scanner
    this.root = ''
    scanner.next()
    if (scanner.isEndOf('params')) return false
    if (!scanner.isStart('param')) scanner.unexpected('<param> or </params>')
    this.root = root
    scanner.open('value', 'param')
    return true
  }

  #toFault(value: Value): Fault {
    return (
      this.policy.fault(value) ??
      this.scanner.invalid('the fault is not a struct of faultCode and faultString')
    )
  }
}
