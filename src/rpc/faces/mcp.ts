/** The Model Context Protocol by Streamable HTTP, without sessions and streams: each message is answered as JSON. */

import { utf8Length } from '../../base/bytes.ts'
import { isRecord } from '../../base/record.ts'
import { isInstance } from '../../base/thrown.ts'
import type { Responder } from '../../controllers/responder.ts'
import { HTTPForbidden, HTTPMethodNotAllowed } from '../../http/exceptions.ts'
import type { Response } from '../../http/response.ts'
import { hostOf } from '../../wsgi/request-url.ts'
import { JSONRPCError, JSONRPCErrorCode } from '../controllers/jsonrpc-error.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { type Answer, failureText, type MCPCall, MethodDialect, ToolDialect } from '../mcp/dialect.ts'
import {
  allowsBatches,
  type ClientMessage,
  PROTOCOL_VERSIONS,
  type ProtocolVersion,
  readClientMessage,
  requestVersion,
} from '../mcp/message.ts'
import type { Face } from './face.ts'
import { parseMessage } from './jsonrpc-message.ts'

export const MCP: Face = { title: 'Model Context Protocol', path: '/mcp', answer }

/** Answers a message, or a batch of messages. */
async function answer(request: ServiceRequest): Promise<Responder> {
  const { method, headers } = request.controller.request
  if (method !== 'POST') throw new HTTPMethodNotAllowed(undefined, { Allow: 'OPTIONS, POST' })
  checkHost(request)
  const version = requestVersion(headers.get('mcp-protocol-version'))
  if (version === undefined) {
    const versions = PROTOCOL_VERSIONS.join(', ')
    const message = `Bad Request: the header MCP-Protocol-Version must be one of ${versions}`
    return write(request, 400, failureText(null, { code: JSONRPCErrorCode.httpError, message }))
  }
  const body = await request.body()
  let message: unknown
  try {
    message = parseMessage(body)
    if (Array.isArray(message)) checkBatch(message.length, version, request.settings.batchLimit)
  } catch (error) {
    if (!isInstance(error, JSONRPCError)) throw error
    return write(request, 400, failureText(null, error))
  }
  if (Array.isArray(message)) return answerBatch(request, message, version)
  const sent = readClientMessage(message)
  const answer = await answerMessage(sent, { request, version, batch: undefined })
  if (typeof answer !== 'string') return answer ?? accepted(request)
  return write(request, sent.kind === 'invalid' ? 400 : 200, answer)
}

/**
 * Refuses the server's own pages at a host that is neither local nor listed: another site could resolve its name to this
 * machine, so that its pages are the server's own (MCP, "Security Warning": DNS rebinding). Pages of other origins have
 * been refused before, unless the application allows them.
 *
 * @throws HTTPForbidden - the host is not trusted.
 */
function checkHost({ controller: { app, request } }: ServiceRequest): void {
  const { environ } = request
  const { HTTP_ORIGIN: origin } = environ
  if (origin === undefined || !URL.canParse(origin) || new URL(origin).host !== hostOf(environ)) return
  if (app.trustsHost(environ)) return
  throw new HTTPForbidden('Browsers may use MCP at a host that the option hosts of the application lists.')
}

/** @throws JSONRPCError - -32600: the version has no batches, or the number of messages is not allowed. */
function checkBatch(length: number, version: ProtocolVersion, limit: number): void {
  const problem = allowsBatches(version)
    ? length === 0 || length > limit
      ? `a batch holds 1 to ${limit} messages, not ${length}`
      : undefined
    : `version ${version} of the protocol has no batches`
  if (problem !== undefined) {
    throw new JSONRPCError(JSONRPCErrorCode.invalidRequest, `Invalid Request: ${problem}`)
  }
}

async function answerBatch(
  request: ServiceRequest,
  messages: readonly unknown[],
  version: ProtocolVersion,
): Promise<Responder> {
  const texts = await request.batch(messages, async (entry, batch) => {
    const message = readClientMessage(entry)
    const text = await answerMessage(message, { request, version, batch })
    if (typeof text !== 'string' || batch.take(utf8Length(text))) return text
    return failureText(message.kind === 'request' ? message.id : null, batch.refusal())
  })
  const answers = texts.filter((text) => text !== undefined)
  return answers.length === 0 ? accepted(request) : write(request, 200, `[${answers.join(',')}]`)
}

/** Answers one message. Notifications, such as a cancellation, and responses have no answer. */
async function answerMessage(
  message: ClientMessage,
  context: Pick<MCPCall, 'request' | 'version' | 'batch'>,
): Promise<Answer> {
  if (message.kind === 'invalid') {
    const text = `Invalid Request: ${message.problem}`
    return failureText(message.id, { code: JSONRPCErrorCode.invalidRequest, message: text })
  }
  if (message.kind !== 'request') return undefined
  const { id, method, params } = message
  const { request } = context
  const call = { ...context, id }
  if (method !== 'tools/call') {
    return request.call(method, { kind: 'named', values: params }, new MethodDialect(call))
  }
  const { name, arguments: values = {} } = params
  if (typeof name !== 'string') return invalidParams(call, '"name" must be a string')
  if (!isRecord(values)) return invalidParams(call, '"arguments" must be an object')
  return request.call(name, { kind: 'named', values }, new ToolDialect(call, name))
}

function invalidParams({ id }: MCPCall, problem: string): string {
  return failureText(id, { code: JSONRPCErrorCode.invalidParams, message: `Invalid params: ${problem}` })
}

/** Accepts messages that have no answer. */
function accepted({ controller: { response } }: ServiceRequest): Response {
  response.status = 202
  response.body = null
  response.contentType = null
  return response
}

function write(request: ServiceRequest, status: number, text: string): Response {
  const response = request.write(text, 'application/json')
  response.status = status
  return response
}
