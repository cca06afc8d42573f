/** The Model Context Protocol by Streamable HTTP, without sessions. */

import { utf8Length } from '../../base/bytes.ts'
import { isInstance } from '../../base/thrown.ts'
import type { Responder } from '../../controllers/responder.ts'
import { eventStream, type ServerSentEvent } from '../../http/event-stream.ts'
import { HTTPForbidden, HTTPMethodNotAllowed } from '../../http/exceptions.ts'
import type { Batch } from '../../http/jsonrpc/batch.ts'
import { JSONRPCError, JSONRPCErrorCode } from '../../http/jsonrpc/error.ts'
import { parseMessage } from '../../http/jsonrpc/message.ts'
import { parseMediaType } from '../../http/media-type.ts'
import { hostOf } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'
import { readEnvelope } from './envelope.ts'
import { drained } from './events.ts'
import { invalidRequest, MCPErrorCode } from './mcp-errors.ts'
import { type RequestId, readClientMessage, requestIdOf } from './message.ts'
import type { MCPAnswer, MCPCall, MCPServer, Notification } from './server.ts'
import { allowsBatches, legacyVersion, MODERN_VERSION } from './versions.ts'

/** An answer and the status of a response that has no other one. */
interface Ended {
  readonly id: RequestId | null
  readonly call: MCPCall | undefined
  readonly answer: MCPAnswer
  readonly status: number
}

/**
 * Answers a message, or a batch of them.
 *
 * @throws HTTPMethodNotAllowed - the method is not POST.
 * @throws HTTPForbidden - a page of a host that is not trusted sends the request.
 */
export async function answerMCP(server: MCPServer): Promise<Responder> {
  const { environ } = server
  if (environ.REQUEST_METHOD !== 'POST') {
    throw new HTTPMethodNotAllowed(undefined, { Allow: 'OPTIONS, POST' })
  }
  checkOrigin(server)
  const body = await server.body()
  let message: unknown
  try {
    message = parseMessage(body)
    if (Array.isArray(message)) checkBatch(message.length, environ, server.batchLimit)
  } catch (error) {
    if (!isInstance(error, JSONRPCError)) throw error
    return sent(server, 400, errorText(null, error))
  }
  if (Array.isArray(message)) return answerBatch(server, message)
  const ended = await answerMessage(server, message, undefined)
  if (ended === undefined) return sent(server, 202)
  const { answer, status } = ended
  if (answer.kind === 'http') return answer.responder
  if (answer.kind === 'stream' && acceptsEvents(environ)) {
    return server.respond(eventStream(eventsOf(server, ended, answer.messages)))
  }
  return sent(server, status, await textOf(server, ended))
}

/** Answers with a status and JSON text, or with nothing but the status. */
function sent(server: MCPServer, status: number, text: string | null = null): Responder {
  const { response } = server
  response.status = status
  response.body = text
  response.contentType = text === null ? null : 'application/json'
  return server.respond(response)
}

/**
 * Refuses the server's own pages at a host that is neither local nor listed: another site could resolve its name to this
 * machine, so that its pages are the server's own (MCP, "Security Warning": DNS rebinding). Pages of other origins have
 * been refused before, unless the application allows them.
 *
 * @throws HTTPForbidden - the host is not trusted.
 */
function checkOrigin({ app, environ }: MCPServer): void {
  const { HTTP_ORIGIN: origin } = environ
  if (origin === undefined || !URL.canParse(origin) || new URL(origin).host !== hostOf(environ)) return
  if (app.trustsHost(environ)) return
  throw new HTTPForbidden('Browsers may use MCP at a host that the option hosts of the application lists.')
}

/** @throws JSONRPCError - -32600: the version has no batches, or the number of messages is not allowed. */
function checkBatch(length: number, environ: Environ, limit: number): void {
  const header = environ.HTTP_MCP_PROTOCOL_VERSION
  const version = legacyVersion(header)
  if (version === undefined || !allowsBatches(version)) {
    throw invalidRequest(`version ${String(header).slice(0, 50)} of the protocol has no batches`)
  }
  if (length === 0 || length > limit)
    throw invalidRequest(`a batch holds 1 to ${limit} messages, not ${length}`)
}

async function answerBatch(server: MCPServer, messages: readonly unknown[]): Promise<Responder> {
  const texts = await server.batch(messages, async (message, batch) => {
    const ended = await answerMessage(server, message, batch)
    if (ended === undefined) return undefined
    const text = await textOf(server, ended)
    return batch.take(utf8Length(text)) ? text : errorText(ended.id, batch.refusal())
  })
  const answers = texts.filter((text) => text !== undefined)
  return answers.length === 0 ? sent(server, 202) : sent(server, 200, `[${answers.join(',')}]`)
}

/** Answers one message. Undefined if it has no answer. */
async function answerMessage(
  server: MCPServer,
  message: unknown,
  batch: Batch | undefined,
): Promise<Ended | undefined> {
  let call: MCPCall
  try {
    const request = readClientMessage(message)
    if (request === undefined) return undefined
    call = { ...readEnvelope(server.environ, request), ...request, batch }
  } catch (error) {
    if (!isInstance(error, JSONRPCError)) throw error
    return { id: requestIdOf(message), call: undefined, answer: { kind: 'error', error }, status: 400 }
  }
  const answer = await handled(server, call)
  return { id: call.id, call, answer, status: statusOf(answer, call) }
}

async function handled(server: MCPServer, call: MCPCall): Promise<MCPAnswer> {
  try {
    return await server.handle(call)
  } catch (error) {
    if (isInstance(error, JSONRPCError)) return { kind: 'error', error }
    throw error
  }
}

/** Returns the status, which version 2026-07-28 defines for two errors (Streamable HTTP, "Protocol Version Header" and "Server Validation"). */
function statusOf(answer: MCPAnswer, { version }: MCPCall): number {
  if (answer.kind !== 'error' || version !== MODERN_VERSION) return 200
  const { code } = answer.error
  return code === JSONRPCErrorCode.methodNotFound ? 404 : code === MCPErrorCode.headerMismatch ? 400 : 200
}

function acceptsEvents({ HTTP_ACCEPT: accept }: Environ): boolean {
  return (
    accept?.split(',').some((range) => parseMediaType(range.trim())?.essence === 'text/event-stream') ?? false
  )
}

/** Returns the messages of a stream as events: its notifications, then the response. */
async function* eventsOf(
  server: MCPServer,
  ended: Ended,
  messages: AsyncGenerator<Notification, MCPAnswer>,
): AsyncGenerator<ServerSentEvent, void> {
  try {
    let next = await messages.next()
    for (; next.done !== true; next = await messages.next()) {
      yield { event: 'message', data: JSON.stringify({ jsonrpc: '2.0', ...next.value }) }
    }
    yield { event: 'message', data: await textOf(server, { ...ended, answer: next.value }) }
  } finally {
    await messages.return({ kind: 'result', json: '{}' })
  }
}

/** Returns the JSON text of a response, as a promise only if something must be awaited. */
function textOf(server: MCPServer, { id, call, answer }: Ended): string | Promise<string> {
  switch (answer.kind) {
    case 'stream':
      return drained(answer.messages).then((last) => textOf(server, { id, call, status: 200, answer: last }))
    case 'error':
      return errorText(id, answer.error)
    case 'http':
      return errorText(id, { code: JSONRPCErrorCode.httpError, message: 'The call was answered by HTTP.' })
    default: {
      const { json, cache } = answer
      const text = (result: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
      if (call?.version !== MODERN_VERSION) return text(json)
      return modernMembers(server, cache).then((members) => text(withMembers(json, members)))
    }
  }
}

/** Returns the members that results have since version 2026-07-28. */
async function modernMembers(server: MCPServer, cache: object | undefined): Promise<object> {
  const { name, title, version } = await server.describe()
  const serverInfo = { name, title, version }
  return { resultType: 'complete', ...cache, _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }
}

/** Returns the JSON text of an object with further members at its beginning. */
function withMembers(json: string, members: object): string {
  const front = JSON.stringify(members).slice(0, -1)
  return json === '{}' ? `${front}}` : `${front},${json.slice(1)}`
}

function errorText(
  id: RequestId | null,
  { code, message, data }: Pick<JSONRPCError, 'code' | 'message'> & { readonly data?: unknown },
): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}
