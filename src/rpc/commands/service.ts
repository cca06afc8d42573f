import { JSONRPCError } from '../../app/mcp/jsonrpc.ts'
import { quoted } from '../../base/command-line/command-errors.ts'
import { describedIn } from '../service-types/generate.ts'
import type { ServiceDocument } from '../service-types/service-document.ts'
import { jsonText } from './result-text.ts'

/** The methods to describe, and a callback for progress. */
export interface Selection {
  /** Names of methods, for a service that does not list them; empty for all methods. */
  readonly methods: readonly string[]
  /** Beginning of the names; '' for all methods. */
  readonly only: string
  onProgress(progress: { readonly done: number; readonly total: number }): void
  onFailure(methodName: string): void
}

/** A remote service, whatever its protocol. */
export interface Service {
  /** Returns the names of the methods. */
  list(): Promise<readonly string[]>
  /** Returns the signatures of a method as TypeScript, and its documentation. */
  help(methodName: string): Promise<string>
  /**
   * Calls a method.
   *
   * @param words - its arguments, as they are on the command line.
   * @throws UsageError - an argument is malformed.
   */
  call(methodName: string, words: readonly string[]): Promise<unknown>
  /** Generates a TypeScript interface. */
  types(selection: Selection): Promise<string>
}

/** The service answered with an error, or with something else than an answer. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError'
}

/** A response is not a document of the protocol. */
export class ReplyError extends ServiceError {
  override readonly name = 'ReplyError'

  constructor(message: string, _body?: string, options?: ErrorOptions) {
    super(message, options)
  }
}

/** There is no response, or its HTTP status says that the call failed. */
export class StatusError extends ServiceError {
  override readonly name = 'StatusError'
  /** Undefined if there is no response. */
  readonly status: number | undefined

  constructor(message: string, { status }: { readonly status?: number } = {}, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Returns true for the error of a server that gave no response. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof StatusError && error.status === undefined
}

/** An error of a service by JSON-RPC whose code is missing or not an integer. Its `code` replaces that of the service. */
export class OddCodeError extends JSONRPCError {
  readonly sentCode: unknown

  constructor({ code, message, data }: JSONRPCError, sentCode: unknown) {
    super(code, message, data)
    this.sentCode = sentCode
  }
}

/** Returns the text of an error that a service by JSON-RPC answered with. It has the code that the service sent, if any. */
export function errorText(error: JSONRPCError): string {
  const { message, data } = error
  const more = data === undefined || data === null ? '' : ` (${jsonText(data)})`
  const code = codeText(error instanceof OddCodeError ? error.sentCode : error.code)
  return `error${code && ` ${code}`}: ${message}${more}`
}

function codeText(code: unknown): string {
  if (code === undefined || code === null) return ''
  return typeof code === 'object' ? jsonText(code) : String(code)
}

/**
 * Returns the methods that a service lists.
 *
 * @throws ServiceError - there are none.
 */
export function unlessEmpty<Method>(methods: readonly Method[]): readonly Method[] {
  if (methods.length > 0) return methods
  throw new ServiceError('the service lists no methods; name them: types METHOD...')
}

/**
 * Returns the signature and the documentation of a method that a document describes.
 *
 * @throws ServiceError - the document has no such method.
 */
export function documentation(document: ServiceDocument, methodName: string): string {
  const help = describedIn(document, methodName)
  if (help !== undefined) return help
  throw new ServiceError(`the ${document.format} document has no method ${quoted(methodName)}`)
}
