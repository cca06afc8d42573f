/** Runs the requests of the Model Context Protocol and writes their ends. */

import { isInstance } from '../../base/thrown.ts'
import type { Responder } from '../../controllers/responder.ts'
import { HTTPException } from '../../http/exceptions.ts'
import type { Batch } from '../controllers/batch.ts'
import type { CheckedCall } from '../controllers/check-call.ts'
import type { Dialect } from '../controllers/dialect.ts'
import { JSONText, toJson } from '../controllers/json-values.ts'
import { JSONRPCErrorCode } from '../controllers/jsonrpc-error.ts'
import type { Procedure } from '../controllers/procedures.ts'
import { errorFor, type Failure, type HTTPAnswer } from '../controllers/rpc-failure.ts'
import { describeService } from '../controllers/service-description.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { type ProtocolVersion, type RequestId, reportsWrongArgumentsAsResult } from './message.ts'
import { MCP_METHODS } from './methods.ts'
import { hasStructuredResult, toolFailureText, toolResultText } from './tool.ts'

/** The answer to a message: JSON text, or an HTTP response in its place. Undefined for none. */
export type Answer = string | Responder | undefined

/** A request and its context. */
export interface MCPCall {
  readonly request: ServiceRequest
  readonly version: ProtocolVersion
  readonly id: RequestId
  /** The batch that it is part of, which cannot contain an HTTP response. */
  readonly batch: Batch | undefined
}

/** An error of the protocol. */
interface ProtocolError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Answers a method of the protocol: `initialize`, `ping` or `tools/list`. */
export class MethodDialect implements Dialect<Answer> {
  readonly #call: MCPCall

  constructor(call: MCPCall) {
    this.#call = call
  }

  find(name: string): Procedure | undefined {
    this.#call.batch?.requireRoom()
    return MCP_METHODS.get(name)
  }

  result(value: unknown): string {
    return resultText(this.#call.id, value instanceof JSONText ? value.text : JSON.stringify(value))
  }

  failure(failure: Failure): Answer {
    const { id, request, batch } = this.#call
    if (failure.kind === 'http' && batch === undefined) return request.respond(failure.answer)
    return failureText(id, errorFor(failure))
  }
}

/** Answers `tools/call`. */
export class ToolDialect implements Dialect<Answer> {
  readonly #call: MCPCall
  readonly #name: string

  constructor(call: MCPCall, name: string) {
    this.#call = call
    this.#name = name
  }

  find(name: string): Procedure | undefined {
    this.#call.batch?.requireRoom()
    return this.#call.request.service.procedures.get(name)
  }

  /** @throws TypeError - the result is not an object, but the signature declares one. */
  result(value: unknown, { returns, procedure }: CheckedCall): string {
    const { id, request } = this.#call
    const { i8, name } = request.settings
    const json = toJson(value, { i8, type: typeof returns === 'string' ? returns : undefined })
    const described = describeService(request).procedures.find(({ method }) => method === procedure.name)
    if (described !== undefined && hasStructuredResult(described) && !json.startsWith('{')) {
      throw new TypeError(
        `${name}.${procedure.name}() returned ${json.slice(0, 40)}, but its signature declares an object. Return an object.`,
      )
    }
    return resultText(id, toolResultText(json))
  }

  failure(failure: Failure): Answer {
    const { id, request, version, batch } = this.#call
    switch (failure.kind) {
      case 'application':
        return resultText(id, toolFailureText(failure.message))
      case 'http':
        if (batch === undefined && isLogin(failure.answer)) return request.respond(failure.answer)
        return resultText(id, toolFailureText(errorFor(failure).message))
      case 'unknown': {
        const message = `Unknown tool: ${this.#name.slice(0, 100)}`
        return failureText(id, { code: JSONRPCErrorCode.invalidParams, message })
      }
      case 'parameters':
        if (reportsWrongArgumentsAsResult(version)) return resultText(id, toolFailureText(failure.message))
        return failureText(id, errorFor(failure))
      case 'unexpected':
        return failureText(id, errorFor(failure))
    }
  }
}

/** Returns true for a response that makes a client log in, which it does by HTTP (MCP specification, "Authorization"). */
function isLogin(answer: HTTPAnswer): boolean {
  return isInstance(answer, HTTPException) && (answer.status === 401 || answer.status === 403)
}

function resultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
}

/** Returns the JSON text of an error response. The id is null if it could not be read. */
export function failureText(id: RequestId | null, { code, message, data }: ProtocolError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}
