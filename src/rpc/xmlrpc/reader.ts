/**
 * Reads calls and responses from XML-RPC documents.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { Fault } from './fault.ts'
import { parseInteger, trimBlanks } from './scalars.ts'
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
    if (isFault) {
      scanner.open('value', 'fault')
      this.root = 'fault'
    } else if (!this.#nextParam('result')) scanner.invalid('the response has no value')
    const value = this.value()
    const fault = isFault ? this.#toFault(value) : undefined
    scanner.close(isFault ? 'fault' : 'param')
    if (!isFault && this.#nextParam('')) scanner.invalid('the response has more than one value')
    this.root = ''
    scanner.close('methodResponse')
    this.#end()
    if (fault !== undefined) throw fault
    return value
  }

  #begin(tag: Tag): void {
    this.scanner.open(tag)
    this.scanner.outside = false
  }

  #end(): void {
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

  /** Accepts any integer type as the code, because the message of the fault matters more than its form. */
  #toFault(value: Value): Fault {
    return faultIn(value) ?? this.scanner.invalid('the fault is not a struct of faultCode and faultString')
  }
}

/** Returns the fault that a struct describes, or undefined if the value is not the struct of a fault. */
export function faultIn(value: Value): Fault | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!('faultCode' in value && 'faultString' in value)) return undefined
  const { faultCode, faultString } = value
  const code = parseInteger(String(faultCode), 32)
  return code !== undefined && typeof faultString === 'string' ? new Fault(code, faultString) : undefined
}
