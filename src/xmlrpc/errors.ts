import { Fault, type FaultCode } from './fault.ts'

/** The family of errors of this library; a `Fault` is not one of them: it is an answer. */
export class XMLRPCError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/**
 * A document that could not be read. The message names the place:
 * `params[0].age: "12abc" is not an int (at character 123)`.
 */
export class XMLRPCDecodeError extends XMLRPCError {
  /** The interoperability code that a server answers with. */
  readonly faultCode: FaultCode
  /** Where in the value: `params[0].items[3].name`; empty outside the values. */
  readonly path: string
  /**
   * Where in the document, counted from 0: UTF-16 code units of the decoded text, or bytes where the
   * encoding is what is wrong (`FaultCode.invalidCharacter`).
   */
  readonly offset: number

  constructor(
    faultCode: FaultCode,
    detail: string,
    place: { path?: string; offset: number; unit?: 'character' | 'byte' },
    options?: ErrorOptions,
  ) {
    const path = place.path ?? ''
    super(
      `${path === '' ? '' : `${path}: `}${detail} (at ${place.unit ?? 'character'} ${place.offset})`,
      options,
    )
    this.faultCode = faultCode
    this.path = path
    this.offset = place.offset
  }

  /** The fault that tells a client what was wrong with its document. */
  toFault(): Fault {
    return new Fault(this.faultCode, this.message, { cause: this })
  }
}

/** A value that XML-RPC cannot carry. The message names the place: `result.items[3].name: …`. */
export class XMLRPCEncodeError extends XMLRPCError {
  /** Where in the value: `result.items[3].name`. */
  readonly path: string

  constructor(path: string, detail: string, options?: ErrorOptions) {
    super(`${path}: ${detail}`, options)
    this.path = path
  }
}

/** Text for an error message: quoted, control characters escaped, and never long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

/** A step of a path into a value: `[3]`, `.name`, `["odd name"]`. */
export function pathStep(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return /^[A-Za-z_$][\w$]{0,99}$/.test(key) ? `.${key}` : `[${quote(key)}]`
}

/**
 * A call that got no answer to read: the connection failed, time ran out, or the HTTP status was not 200.
 * User and password never appear in it.
 */
export class XMLRPCTransportError extends XMLRPCError {
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined
  /** The begin of the answer's body, where there was one. */
  readonly body: string | undefined

  constructor(message: string, answer: { status?: number; body?: string } = {}, options?: ErrorOptions) {
    super(message, options)
    this.status = answer.status
    this.body = answer.body
  }
}

/** An answer that is not XML-RPC, or not what the call asked for. Its `cause` says what is wrong with it. */
export class XMLRPCProtocolError extends XMLRPCError {
  /** The begin of the answer's body. */
  readonly body: string | undefined

  constructor(message: string, body?: string, options?: ErrorOptions) {
    super(message, options)
    this.body = body
  }
}
