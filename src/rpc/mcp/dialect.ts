/** Writes the ends of calls as answers of the Model Context Protocol. */

import { contentBlocks } from '../../app/mcp/content.ts'
import { unknownTool } from '../../app/mcp/errors.ts'
import { checkCursor, PROTOCOL_METHODS } from '../../app/mcp/methods.ts'
import type { MCPAnswer, MCPCall, ServerDescription } from '../../app/mcp/server.ts'
import { reportsWrongArgumentsAsResult } from '../../app/mcp/versions.ts'
import { isInstance } from '../../base/thrown.ts'
import type { Parameters } from '../../controllers/parameters.ts'
import { HTTPException } from '../../http/exceptions.ts'
import type { CheckedCall } from '../controllers/check-call.ts'
import type { Dialect } from '../controllers/dialect.ts'
import { JSONText, toJson } from '../controllers/json-values.ts'
import type { Procedure } from '../controllers/procedures.ts'
import { errorFor, type Failure, type HTTPAnswer } from '../controllers/rpc-failure.ts'
import { describeService } from '../controllers/service-description.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { hasStructuredResult, toolFailureText, toolListOf, toolResultText } from './tool.ts'

/** A call of a service. */
export interface ServiceCall {
  readonly request: ServiceRequest
  readonly call: MCPCall
  readonly server: ServerDescription
}

const ANY_PARAMS: Parameters = { kind: 'destructured', names: [], rest: true }

/** Answers a method of the protocol other than `tools/call`, as a procedure, so that hooks run for it. */
export class MethodDialect implements Dialect<MCPAnswer> {
  readonly #call: ServiceCall

  constructor(call: ServiceCall) {
    this.#call = call
  }

  find(name: string): Procedure | undefined {
    const { call } = this.#call
    call.batch?.requireRoom()
    const result = this.#resultOf(name)
    if (result === undefined) return undefined
    const arity = { least: 1, most: 1 }
    return { name, method: result, signatures: [], arity, parameters: ANY_PARAMS, help: '' }
  }

  #resultOf(name: string): (() => unknown) | undefined {
    const { call, server, request } = this.#call
    const method = PROTOCOL_METHODS.get(name)
    if (method?.isPart(call.version)) return () => method.result(call, server)
    if (name !== 'tools/list') return undefined
    return () => {
      checkCursor(call)
      return new JSONText(toolListOf(describeService(request)))
    }
  }

  result(value: unknown): MCPAnswer {
    const json = value instanceof JSONText ? value.text : JSON.stringify(value)
    return { kind: 'result', json, cache: this.#call.server.cache }
  }

  failure(failure: Failure): MCPAnswer {
    const { request, call } = this.#call
    if (failure.kind === 'http' && call.batch === undefined) return http(request, failure.answer)
    return { kind: 'error', error: { data: undefined, ...errorFor(failure) } }
  }
}

/** Answers `tools/call`. */
export class ToolDialect implements Dialect<MCPAnswer> {
  readonly #call: ServiceCall
  readonly #name: string

  constructor(call: ServiceCall, name: string) {
    this.#call = call
    this.#name = name
  }

  find(name: string): Procedure | undefined {
    const { request, call } = this.#call
    call.batch?.requireRoom()
    return request.service.procedures.get(name)
  }

  /** @throws TypeError - the result is not an object, but the signature declares one. */
  result(value: unknown, { returns, procedure }: CheckedCall): MCPAnswer {
    const { request } = this.#call
    const { i8, name } = request.settings
    const json = toJson(value, { i8, type: typeof returns === 'string' ? returns : undefined })
    const described = describeService(request).procedures.find(({ method }) => method === procedure.name)
    const isStructured = described !== undefined && hasStructuredResult(described)
    if (isStructured && !json.startsWith('{')) {
      throw new TypeError(
        `${name}.${procedure.name}() returned ${json.slice(0, 40)}, but its signature declares an object. Return an object.`,
      )
    }
    const hasBlocks = !isStructured && contentBlocks(value) !== undefined
    return { kind: 'result', json: hasBlocks ? json : toolResultText(json) }
  }

  failure(failure: Failure): MCPAnswer {
    const { request, call } = this.#call
    const error: MCPAnswer = { kind: 'error', error: { data: undefined, ...errorFor(failure) } }
    switch (failure.kind) {
      case 'application':
        return refused(failure.message)
      case 'http':
        if (call.batch === undefined && isLogin(failure.answer)) return http(request, failure.answer)
        return refused(errorFor(failure).message)
      case 'unknown':
        return { kind: 'error', error: unknownTool(this.#name) }
      case 'parameters':
        return reportsWrongArgumentsAsResult(call.version) ? refused(failure.message) : error
      case 'unexpected':
        return error
    }
  }
}

function http(request: ServiceRequest, answer: HTTPAnswer): MCPAnswer {
  return { kind: 'http', responder: request.respond(answer) }
}

function refused(text: string): MCPAnswer {
  return { kind: 'result', json: toolFailureText(text) }
}

/** Returns true for a response that makes a client log in, which it does by HTTP (MCP specification, "Authorization"). */
function isLogin(answer: HTTPAnswer): boolean {
  return isInstance(answer, HTTPException) && (answer.status === 401 || answer.status === 403)
}
