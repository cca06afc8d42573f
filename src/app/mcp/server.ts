/** A server of the Model Context Protocol by Streamable HTTP, without sessions: of an application, or of a service. */
import { utf8Length } from '../../base/bytes.ts'
import { isRecord } from '../../base/record.ts'
import { isInstance } from '../../base/thrown.ts'
import { drive, type Steps, wait } from '../../controllers/call.ts'
import type { Responder } from '../../controllers/represent.ts'
import { eventStream, type ServerSentEvent } from '../../http/event-stream.ts'
import { HTTPForbidden, HTTPMethodNotAllowed } from '../../http/exceptions.ts'
import { requireJsonType } from '../../http/json.ts'
import { parseMediaType } from '../../http/media-type.ts'
import { Response } from '../../http/response.ts'
import { hostOf } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'
import type { AnswerError, CacheHint, MCPAnswer, Notification } from './answers.ts'
import { type Batch, invalidParams, JSONRPCError, JSONRPCErrorCode, parseMessage } from './jsonrpc.ts'
import {
  checkBatch,
  checkParameterHeaders,
  LEGACY_VERSIONS,
  type MCPCall,
  MCPErrorCode,
  MODERN_VERSION,
  type ProtocolVersion,
  type RequestId,
  readCall,
  requestIdOf,
  wantsNotifications,
} from './protocol.ts'
import { beginCall, cancelCall, isCancelled } from './running-calls.ts'
import { inputSchemaOf, type Tool, type ToolArguments, toolList } from './tool.ts'

/** A server as one HTTP request reaches it. */
export interface MCPServer<T extends Tool = Tool> {
  readonly app: { readonly debug: boolean; trustsHost(environ: Environ): boolean }
  readonly environ: Environ
  readonly info: ServerInfo
  /** The features of the protocol that it has, by name. */
  readonly capabilities: Readonly<Record<string, object>>
  readonly tools: ReadonlyMap<string, T>
  /** Whether a hook may refuse requests for lists. */
  readonly isGuarded: boolean
  /** Maximum number of messages in a batch. */
  readonly batchLimit: number
  body(): Promise<Uint8Array>
  /**
   * Runs a method of the protocol within the hooks of the server.
   *
   * @param method - returns the JSON text of the result.
   */
  run(call: MCPCall, method: () => string): MCPAnswer | Promise<MCPAnswer>
  callTool(call: MCPCall, tool: T, values: ToolArguments): MCPAnswer | Promise<MCPAnswer>
  /** Answers a method that only this server has. Undefined for others. */
  answer?(call: MCPCall): MCPAnswer | Promise<MCPAnswer> | undefined
  /**
   * Returns the answer for an error, and reports an unexpected one.
   *
   * @throws an error of a client that has disconnected.
   */
  failure(error: unknown): MCPAnswer
  /** Answers the messages of a batch, one after the other. */
  batch(
    messages: readonly unknown[],
    answer: (message: unknown, batch: Batch) => Promise<string | undefined>,
  ): Promise<(string | undefined)[]>
  /** Sends a response with the header fields of the server. */
  respond(response: Response): Responder
}

/** The name of a server. */
export interface ServerInfo {
  readonly name: string
  readonly title?: string
  readonly version: string
  /** For the language model. */
  readonly instructions?: string | undefined
}

/** A message that has an answer. */
interface Ended {
  readonly id: RequestId | null
  /** Undefined if the message is not a request. */
  readonly call?: MCPCall
  readonly answer: MCPAnswer
}

/**
 * Answers a message, or a batch of them.
 *
 * @throws HTTPMethodNotAllowed - the method is not POST.
 * @throws HTTPUnsupportedMediaType - the content type is not JSON.
 * @throws HTTPForbidden - a page of a host that is not trusted sends the request.
 */
export function answerMCP(server: MCPServer): Responder | Promise<Responder> {
  return drive(answerSteps(server))
}

function* answerSteps(server: MCPServer): Steps<Responder> {
  const { environ } = server
  if (environ.REQUEST_METHOD !== 'POST') {
    throw new HTTPMethodNotAllowed(undefined, { Allow: 'OPTIONS, POST' })
  }
  if (environ.CONTENT_TYPE) requireJsonType(environ.CONTENT_TYPE)
  checkOrigin(server)
  const body = yield* wait(server.body())
  let message: unknown
  try {
    message = parseMessage(body)
    if (Array.isArray(message)) checkBatch(message.length, environ, server.batchLimit)
  } catch (error) {
    if (!isInstance(error, JSONRPCError)) throw error
    return send(server, 400, errorText(null, error))
  }
  if (Array.isArray(message)) return yield* wait(answerBatch(server, message))
  const ended = yield* answerMessage(server, message)
  if (ended === undefined) return send(server, 202)
  const { call, answer } = ended
  if (answer.kind === 'http') return answer.responder
  if (answer.kind === 'stream' && call !== undefined && wantsNotifications(call) && acceptsEvents(environ)) {
    return server.respond(eventStream(eventsOf(server, ended, answer.messages)))
  }
  return send(server, statusOf(ended), yield* textOf(server, ended))
}

/** Sends JSON text, or nothing but the status. */
function send(server: MCPServer, status: number, text: string | null = null): Responder {
  return server.respond(new Response(text, { status, contentType: text === null ? null : 'application/json' }))
}

/**
 * Refuses the server's own pages at a host that is neither local nor listed: another site could resolve its name to
 * this machine, so that its pages are the server's own (MCP, "Security Warning": DNS rebinding). Pages of other
 * origins have been refused before, unless the application allows them.
 *
 * @throws HTTPForbidden - the host is not trusted.
 */
function checkOrigin({ app, environ }: MCPServer): void {
  const { HTTP_ORIGIN: origin } = environ
  if (origin === undefined || !URL.canParse(origin) || new URL(origin).host !== hostOf(environ)) return
  if (app.trustsHost(environ)) return
  throw new HTTPForbidden('Browsers may use MCP at a host that the option hosts of the application lists.')
}

async function answerBatch(server: MCPServer, messages: readonly unknown[]): Promise<Responder> {
  const texts = await server.batch(messages, async (message, batch) => {
    const ended = await drive(answerMessage(server, message, batch))
    if (ended === undefined) return undefined
    const text = await drive(textOf(server, ended))
    return batch.take(utf8Length(text)) ? text : errorText(ended.id, batch.refusal())
  })
  const answers = texts.filter((text) => text !== undefined)
  return answers.length === 0 ? send(server, 202) : send(server, 200, `[${answers.join(',')}]`)
}

/** Answers one message. Undefined if it has no answer. */
function* answerMessage(server: MCPServer, message: unknown, batch?: Batch): Steps<Ended | undefined> {
  let call: MCPCall | undefined
  try {
    call = readCall(server.environ, message, batch)
  } catch (error) {
    if (!isInstance(error, JSONRPCError)) throw error
    return { id: requestIdOf(message), answer: { kind: 'error', error } }
  }
  if (call !== undefined) return { id: call.id, call, answer: yield* answerCall(server, call) }
  cancelCall(server.environ, message)
  return undefined
}

/** @throws an error of a client that has disconnected. */
function* answerCall(server: MCPServer, call: MCPCall): Steps<MCPAnswer> {
  try {
    call.batch?.requireRoom()
    if (call.method === 'tools/call' && 'tools' in server.capabilities) return yield* runTool(server, call)
    const method = ownMethod(server, call)
    const answer = method === undefined ? server.answer?.(call) : server.run(call, method)
    if (answer !== undefined) return yield* wait(answer)
    throw new JSONRPCError(JSONRPCErrorCode.methodNotFound, 'Method not found')
  } catch (error) {
    if (!isCancelled(server.environ)) return server.failure(error)
    return { kind: 'error', error: { code: JSONRPCErrorCode.httpError, message: 'The call was cancelled.' } }
  }
}

/**
 * Calls a tool. Its client may cancel it until its answer is complete, unless other calls of a batch share the
 * request.
 */
function* runTool(server: MCPServer, call: MCPCall): Steps<MCPAnswer> {
  const end = call.batch === undefined ? beginCall(server.environ, call.id) : () => {}
  let answer: MCPAnswer | undefined
  try {
    answer = yield* wait(callTool(server, call))
  } finally {
    if (answer?.kind !== 'stream') end()
  }
  return answer.kind === 'stream' ? { ...answer, messages: endedBy(answer.messages, end) } : answer
}

async function* endedBy<T>(messages: AsyncIterable<T>, end: () => void): AsyncGenerator<T, void> {
  try {
    yield* messages
  } finally {
    end()
  }
}

/** Returns a method that describes the server. Undefined for a method that is not part of the version. */
function ownMethod(server: MCPServer, call: MCPCall): (() => string) | undefined {
  const { capabilities, tools } = server
  const { name, title, version, instructions } = server.info
  const isModern = call.version === MODERN_VERSION
  switch (call.method) {
    case 'tools/list':
      return 'tools' in capabilities ? () => onlyPage(call, toolList(tools, call.version)) : undefined
    case 'server/discover': {
      const discovered = { supportedVersions: [MODERN_VERSION], capabilities, instructions }
      return isModern ? () => JSON.stringify(discovered) : undefined
    }
    case 'ping':
      return isModern ? undefined : () => '{}'
    case 'initialize': {
      const negotiated = { capabilities, serverInfo: { name, title, version }, instructions }
      return isModern ? undefined : () => JSON.stringify({ protocolVersion: negotiate(call), ...negotiated })
    }
  }
}

/** Returns the version of the client, or the newest (2025-11-25, lifecycle, "Version Negotiation"). */
function negotiate({ params: { protocolVersion: requested } }: MCPCall): ProtocolVersion {
  if (typeof requested !== 'string') throw invalidParams('"protocolVersion" must be a string')
  return LEGACY_VERSIONS.find((each) => each === requested) ?? LEGACY_VERSIONS[0]
}

/**
 * Returns a list, of which there is one page only, so that no cursor is valid.
 *
 * @throws JSONRPCError - -32602: the request has a cursor.
 */
export function onlyPage({ params: { cursor } }: MCPCall, list: string): string {
  if (cursor === undefined) return list
  throw invalidParams(`there is no page ${JSON.stringify(cursor).slice(0, 100)}`)
}

/** @throws JSONRPCError - there is no such tool, or a header has another value than its argument. */
function callTool(server: MCPServer, call: MCPCall): MCPAnswer | Promise<MCPAnswer> {
  const { name, arguments: values = {} } = call.params
  if (typeof name !== 'string') throw invalidParams('"name" must be a string')
  if (!isRecord(values)) throw invalidParams('"arguments" must be an object')
  const tool = server.tools.get(name)
  if (tool === undefined) {
    throw new JSONRPCError(JSONRPCErrorCode.invalidParams, `Unknown tool: ${name.slice(0, 100)}`)
  }
  if (call.version === MODERN_VERSION) checkParameterHeaders(server.environ, inputSchemaOf(tool), values)
  return server.callTool(call, tool, values)
}

/** Time for which a client may keep a list, in milliseconds. Lists change when the application is deployed. */
const LIST_MILLISECONDS = 300_000

/**
 * Returns the answer of a method that describes the server. It is private if the request has credentials or a hook
 * guards it.
 */
export function descriptionAnswer({ app, environ, isGuarded }: MCPServer, json: string): MCPAnswer {
  const ttlMs = app.debug ? 0 : LIST_MILLISECONDS
  const cacheScope = isGuarded || hasCredentials(environ) ? 'private' : 'public'
  return { kind: 'result', json, cache: { ttlMs, cacheScope } }
}

/** Returns true for a request with credentials, whose response is private (RFC 9111 §3.5). */
export function hasCredentials({ HTTP_AUTHORIZATION, HTTP_COOKIE }: Environ): boolean {
  return HTTP_AUTHORIZATION !== undefined || HTTP_COOKIE !== undefined
}

/**
 * Returns the status, which version 2026-07-28 defines for two errors (Streamable HTTP, "Protocol Version Header" and
 * "Server Validation").
 */
function statusOf({ call, answer }: Ended): number {
  if (call === undefined) return 400
  if (answer.kind !== 'error' || call.version !== MODERN_VERSION) return 200
  const { code } = answer.error
  return code === JSONRPCErrorCode.methodNotFound ? 404 : code === MCPErrorCode.headerMismatch ? 400 : 200
}

function acceptsEvents({ HTTP_ACCEPT: accept = '' }: Environ): boolean {
  return accept.split(',').some((range) => parseMediaType(range.trim())?.essence === 'text/event-stream')
}

/** Returns the messages of a stream as events: its notifications, then the response. */
async function* eventsOf(
  server: MCPServer,
  ended: Ended,
  messages: AsyncIterable<Notification | MCPAnswer>,
): AsyncGenerator<ServerSentEvent, void> {
  for await (const message of messages) {
    const isLast = 'kind' in message
    const data = isLast
      ? await drive(textOf(server, { ...ended, answer: message }))
      : JSON.stringify({ jsonrpc: '2.0', ...message })
    yield { event: 'message', data }
  }
}

/** Returns the JSON text of a response. The notifications of a stream are passed over. */
function* textOf(server: MCPServer, { id, call, answer }: Ended): Steps<string> {
  const last = answer.kind === 'stream' ? yield* wait(lastOf(answer.messages, answer)) : answer
  if (last.kind === 'error') return errorText(id, last.error)
  if (last.kind !== 'result') {
    return errorText(id, { code: JSONRPCErrorCode.httpError, message: 'The call was answered by HTTP.' })
  }
  const result = call?.version === MODERN_VERSION ? withModernMembers(server, last) : last.json
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
}

async function lastOf(messages: AsyncIterable<Notification | MCPAnswer>, none: MCPAnswer): Promise<MCPAnswer> {
  let last = none
  for await (const message of messages) if ('kind' in message) last = message
  return last
}

/** Returns the JSON text of a result with the members that results have since version 2026-07-28 at its beginning. */
function withModernMembers(
  { info: { name, title, version } }: MCPServer,
  { json, cache }: { readonly json: string; readonly cache?: CacheHint },
): string {
  const _meta = { 'io.modelcontextprotocol/serverInfo': { name, title, version } }
  const front = JSON.stringify({ resultType: 'complete', ...cache, _meta }).slice(0, -1)
  return json === '{}' ? `${front}}` : `${front},${json.slice(1)}`
}

function errorText(id: RequestId | null, { code, message, data }: AnswerError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}
