/** Writes the ends of calls as answers of the Model Context Protocol. */

import { contentBlocks, textBlock } from '../../app/mcp/content.ts'
import { notifier, wantsNotifications } from '../../app/mcp/events.ts'
import { unknownTool } from '../../app/mcp/mcp-errors.ts'
import { checkCursor, PROTOCOL_METHODS } from '../../app/mcp/methods.ts'
import type { MCPAnswer, MCPCall, Notification, ServerDescription } from '../../app/mcp/server.ts'
import { toolFailure, toolResult } from '../../app/mcp/tool-result.ts'
import { reportsWrongArgumentsAsResult } from '../../app/mcp/versions.ts'
import { isRecord } from '../../base/record.ts'
import { isInstance } from '../../base/thrown.ts'
import type { Parameters } from '../../controllers/parameters.ts'
import { HTTPException } from '../../http/exceptions.ts'
import type { CheckedCall } from '../controllers/check-call.ts'
import { JSONText, toJson } from '../controllers/json-values.ts'
import { errorFor, type Failure, failureReturned, type HTTPAnswer } from '../controllers/rpc-failure.ts'
import { describeService } from '../controllers/service-description.ts'
import type { Dialect, LongCall, ServiceRequest } from '../controllers/service-request.ts'
import { toolListOf, toolOf } from './tool.ts'

/** A call of a service. */
export interface ServiceCall {
  readonly request: ServiceRequest
  readonly call: MCPCall
  readonly server: ServerDescription
}

const ANY_PARAMS: Parameters = { kind: 'destructured', names: [], rest: true }

/** Answers a method of the protocol other than `tools/call`, as a procedure, so that hooks run for it. */
export function methodDialect({ request, call, server }: ServiceCall): Dialect<MCPAnswer> {
  const resultOf = (name: string): (() => unknown) | undefined => {
    const method = PROTOCOL_METHODS.get(name)
    if (method?.isPart(call.version)) return () => method.result(call, server)
    if (name !== 'tools/list') return undefined
    return () => {
      checkCursor(call)
      return new JSONText(toolListOf(describeService(request)))
    }
  }
  return {
    find(name) {
      call.batch?.requireRoom()
      const method = resultOf(name)
      const arity = { least: 1, most: 1 }
      return method && { name, method, signatures: [], arity, parameters: ANY_PARAMS, help: '' }
    },
    result(value) {
      const json = value instanceof JSONText ? value.text : JSON.stringify(value)
      return { kind: 'result', json, cache: server.cache }
    },
    failure(failure) {
      if (failure.kind === 'http' && call.batch === undefined) return http(request, failure.answer)
      return { kind: 'error', error: { data: undefined, ...errorFor(failure) } }
    },
  }
}

/** Answers `tools/call`. */
export function toolDialect({ request, call }: ServiceCall, toolName: string): Dialect<MCPAnswer> {
  /** @throws TypeError - the result is not an object, but the signature declares one. */
  const result = (value: unknown, { returns, procedure }: CheckedCall): MCPAnswer => {
    const { i8, name } = request.settings
    const json = toJson(value, { i8, type: typeof returns === 'string' ? returns : undefined })
    const described = describeService(request).procedures.find(({ name }) => name === procedure.name)
    const isStructured = described !== undefined && toolOf(described).outputSchema !== undefined
    if (isStructured && !json.startsWith('{')) {
      throw new TypeError(
        `${name}.${procedure.name}() returned ${json.slice(0, 40)}, but its signature declares an object. Return an object.`,
      )
    }
    const hasBlocks = !isStructured && contentBlocks(value) !== undefined
    if (hasBlocks) return { kind: 'result', json }
    const text: unknown = json.startsWith('"') ? JSON.parse(json) : json
    return toolResult([textBlock(String(text))], json.startsWith('{') ? json : undefined)
  }

  const failed = (failure: Failure, isStreamed: boolean): MCPAnswer => {
    const error: MCPAnswer = { kind: 'error', error: { data: undefined, ...errorFor(failure) } }
    switch (failure.kind) {
      case 'application':
        return toolFailure(failure.message)
      case 'http':
        // The status of a stream has been sent.
        if (!isStreamed && call.batch === undefined && isLogin(failure.answer))
          return http(request, failure.answer)
        return toolFailure(errorFor(failure).message)
      case 'unknown':
        return { kind: 'error', error: unknownTool(toolName) }
      case 'parameters':
        return reportsWrongArgumentsAsResult(call.version) ? toolFailure(failure.message) : error
      case 'unexpected':
        return error
    }
  }

  async function* messagesOf(steps: LongCall, checked: CheckedCall): AsyncGenerator<Notification, MCPAnswer> {
    const notify = notifier(call)
    try {
      let next = await steps.next()
      for (; next.done !== true; next = await steps.next()) {
        const { event, data } = isRecord(next.value) ? next.value : {}
        const notification = notify(event, data)
        if (notification !== undefined) yield notification
      }
      const failure = failureReturned(next.value)
      return failure === undefined ? result(next.value, checked) : failed(failure, true)
    } catch (error) {
      return failed(request.failureOf(error, checked.methodName), true)
    } finally {
      await steps.return(undefined)
    }
  }

  return {
    find(name) {
      call.batch?.requireRoom()
      return request.service.procedures.get(name)
    },
    result,
    stream(steps, checked) {
      if (!wantsNotifications(call) || call.batch !== undefined) return undefined
      return { kind: 'stream', messages: messagesOf(steps, checked) }
    },
    failure: (failure) => failed(failure, false),
  }
}

function http(request: ServiceRequest, answer: HTTPAnswer): MCPAnswer {
  return { kind: 'http', responder: request.respond(answer) }
}

/** Returns true for a response that makes a client log in, which it does by HTTP (MCP specification, "Authorization"). */
function isLogin(answer: HTTPAnswer): boolean {
  return isInstance(answer, HTTPException) && (answer.status === 401 || answer.status === 403)
}
