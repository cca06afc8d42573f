/** The Model Context Protocol: each method of a service is a tool. */
import {
  contentBlocks,
  type MCPAnswer,
  notificationsOf,
  textBlock,
  toolFailure,
  toolResult,
  wrongArguments,
} from '../../app/mcp/answers.ts'
import { isGuarded } from '../../app/mcp/catalogue.ts'
import { type MCPCall, wantsNotifications } from '../../app/mcp/protocol.ts'
import { answerMCP, descriptionAnswer, type MCPServer } from '../../app/mcp/server.ts'
import { procedureTools, type Tool } from '../../app/mcp/tool.ts'
import { isInstance } from '../../base/thrown.ts'
import { stateOf } from '../../controllers/call-state.ts'
import { requireToolNames } from '../../controllers/describe.ts'
import { respond } from '../../controllers/represent.ts'
import { HTTPException } from '../../http/exceptions.ts'
import type { CheckedCall } from '../controllers/check-call.ts'
import { toJson } from '../controllers/json-values.ts'
import { errorFor, type Failure, failureReturned } from '../controllers/rpc-failure.ts'
import { describeService } from '../controllers/service-description.ts'
import type { Dialect, ServiceRequest } from '../controllers/service-request.ts'
import { encodedType } from '../controllers/type-table.ts'
import type { Face } from './face.ts'

export const MCP: Face = {
  title: 'Model Context Protocol',
  path: '/mcp',
  answer: (request) => answerMCP(serverOf(request)),
}

/** The members of a procedure that takes whatever the client sends. */
const ANY_PROCEDURE = {
  signatures: [],
  arity: { least: 1, most: 1 },
  parameters: { kind: 'destructured', names: [], rest: true },
  help: '',
} as const

/** Returns a service as one request reaches it. */
function serverOf(request: ServiceRequest): MCPServer {
  const { controller, settings } = request
  const server: MCPServer = {
    app: controller.app,
    environ: controller.request.environ,
    get info() {
      const { name, title, version, description } = describeService(request)
      return { name, title, version, instructions: description === '' ? undefined : description }
    },
    capabilities: { tools: {} },
    get tools() {
      requireToolNames(settings, '')
      return procedureTools(describeService(request))
    },
    isGuarded: isGuarded(settings),
    get batchLimit() {
      return request.batchLimit
    },
    body: () => request.body(),
    run(call, method) {
      // As a procedure, so that hooks run for it.
      const procedure = { ...ANY_PROCEDURE, name: call.method, method }
      return request.call(
        call.method,
        { kind: 'named', values: call.params },
        {
          find: () => procedure,
          result: (json) => descriptionAnswer(server, String(json)),
          failure: (failure) =>
            failure.kind === 'http' && call.batch === undefined
              ? { kind: 'http', responder: request.respond(failure.answer) }
              : errorAnswer(failure),
        },
      )
    },
    callTool: (call, tool, values) =>
      request.call(tool.name, { kind: 'named', values }, toolDialect(request, call, tool)),
    failure: (error) => errorAnswer(request.failureOf(error)),
    batch: (messages, answer) => request.batch(messages, answer),
    respond: (response) => respond(stateOf(controller), response),
  }
  return server
}

/** Answers `tools/call`. */
function toolDialect(request: ServiceRequest, call: MCPCall, tool: Tool): Dialect<MCPAnswer> {
  /** @throws TypeError - the result is not an object, but the signature declares one. */
  const result = (value: unknown, { returns }: CheckedCall): MCPAnswer => {
    const { i8, name } = request.settings
    const json = toJson(value, { i8, type: encodedType(returns) })
    const isStructured = tool.outputSchema(call.version) !== undefined
    if (isStructured && !json.startsWith('{')) {
      throw new TypeError(
        `${name}.${tool.name}() returned ${json.slice(0, 40)}, but its signature declares an object. Return an object.`,
      )
    }
    if (!isStructured && contentBlocks(value) !== undefined) return { kind: 'result', json }
    const text: unknown = json.startsWith('"') ? JSON.parse(json) : json
    return toolResult([textBlock(String(text))], json.startsWith('{') ? json : undefined)
  }

  const failed = (failure: Failure, isStreamed: boolean): MCPAnswer => {
    if (failure.kind === 'unexpected') return errorAnswer(failure)
    if (failure.kind === 'parameters') return wrongArguments(call, failure.message)
    // The status of a stream has been sent.
    if (failure.kind === 'http' && !isStreamed && call.batch === undefined && isLogin(failure.answer)) {
      return { kind: 'http', responder: request.respond(failure.answer) }
    }
    return toolFailure(errorFor(failure).message)
  }

  return {
    find: () => request.service.procedures.get(tool.name),
    result,
    stream(steps, checked) {
      if (!wantsNotifications(call) || call.batch !== undefined) return undefined
      const answer = (value: unknown) => {
        const failure = failureReturned(value)
        return failure === undefined ? result(value, checked) : failed(failure, true)
      }
      const fail = (error: unknown) => failed(request.failureOf(error, checked.methodName), true)
      return { kind: 'stream', messages: notificationsOf(steps, call, answer, fail) }
    },
    failure: (failure) => failed(failure, false),
  }
}

function errorAnswer(failure: Failure): MCPAnswer {
  const { code, message, data } = errorFor(failure)
  return { kind: 'error', error: { code, message, data } }
}

/**
 * Returns true for a response that makes a client log in, which it does by HTTP (MCP specification, "Authorization").
 */
function isLogin(answer: unknown): boolean {
  return isInstance(answer, HTTPException) && (answer.status === 401 || answer.status === 403)
}
