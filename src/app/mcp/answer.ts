/** The Model Context Protocol by Streamable HTTP, without sessions. */

import { utf8Length } from '../../base/bytes.ts'
import { isInstance } from '../../base/thrown.ts'
import { HTTPForbidden, HTTPMethodNotAllowed } from '../../http/exceptions.ts'
import type { Batch } from '../../http/jsonrpc/batch.ts'
import { JSONRPCError, JSONRPCErrorCode } from '../../http/jsonrpc/error.ts'
import { idOf, parseMessage } from '../../http/jsonrpc/message.ts'
import { parseMediaType } from '../../http/media-type.ts'
import { hostOf } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'
import { readEnvelope } from './envelope.ts'
import { invalidRequest, MCPErrorCode } from './mcp-errors.ts'
import { type RequestId, readClientMessage } from './message.ts'
import type { MCPAnswer, MCPCall, MCPServer, Notification } from './server.ts'
import { allowsBatches, legacyVersion, MODERN_VERSION } from './versions.ts'

/** The response to a request: text with its status, events, or nothing but a status. */
export type MCPReply =
  | { readonly kind: 'json'; readonly status: number; readonly text: string }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'events'; readonly texts: AsyncGenerator<string, void> }
  | Extract<MCPAnswer, { kind: 'http' }>

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
export async function answerMCP(server: MCPServer): Promise<MCPReply> {
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
    return { kind: 'json', status: 400, text: errorText(null, error) }
  }
  if (Array.isArray(message)) return answerBatch(server, message)
  const ended = await answerMessage(server, message, undefined)
  if (ended === undefined) return { kind: 'accepted' }
  const { answer, status } = ended
  if (answer.kind === 'http') return answer
  if (answer.kind !== 'stream') return { kind: 'json', status, text: await textOf(server, ended) }
  if (acceptsEvents(environ)) return { kind: 'events', texts: eventsOf(server, ended, answer.messages) }
  const last = await drained(answer.messages)
  return { kind: 'json', status, text: await textOf(server, { ...ended, answer: last }) }
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

async function answerBatch(server: MCPServer, messages: readonly unknown[]): Promise<MCPReply> {
  const texts = await server.batch(messages, async (message, batch) => {
    const ended = await answerMessage(server, message, batch)
    if (ended === undefined) return undefined
    const text = await textOf(server, ended)
    return batch.take(utf8Length(text)) ? text : errorText(ended.id, batch.refusal())
  })
  const answers = texts.filter((text) => text !== undefined)
  if (answers.length === 0) return { kind: 'accepted' }
  return { kind: 'json', status: 200, text: `[${answers.join(',')}]` }
}

/** Answers one message. Notifications, such as a cancellation, and responses have no answer. */
async function answerMessage(
  server: MCPServer,
  sent: unknown,
  batch: Batch | undefined,
): Promise<Ended | undefined> {
  const refused = (error: JSONRPCError): Ended => ({
    id: requestId(sent),
    call: undefined,
    answer: { kind: 'error', error },
    status: 400,
  })
  const message = readClientMessage(sent)
  if (message.kind === 'invalid') return refused(invalidRequest(message.problem))
  if (message.kind !== 'request') return undefined
  const { id, method, params } = message
  let call: MCPCall
  try {
    call = { ...readEnvelope(server.environ, message), id, method, params, batch }
  } catch (error) {
    if (isInstance(error, JSONRPCError)) return refused(error)
    throw error
  }
  const answer = await handled(server, call)
  return { id, call, answer, status: statusOf(answer, call) }
}

async function handled(server: MCPServer, call: MCPCall): Promise<MCPAnswer> {
  try {
    return await server.handle(call)
  } catch (error) {
    if (isInstance(error, JSONRPCError)) return { kind: 'error', error }
    throw error
  }
}

function requestId(message: unknown): RequestId | null {
  const id = idOf(message)
  return typeof id === 'string' || Number.isSafeInteger(id) ? id : null
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

/** Returns the messages of a stream as JSON: its notifications, then the response. */
async function* eventsOf(
  server: MCPServer,
  ended: Ended,
  messages: AsyncGenerator<Notification, MCPAnswer>,
): AsyncGenerator<string, void> {
  try {
    let next = await messages.next()
    for (; next.done !== true; next = await messages.next()) {
      yield JSON.stringify({ jsonrpc: '2.0', ...next.value })
    }
    yield await textOf(server, { ...ended, answer: next.value })
  } finally {
    await messages.return({ kind: 'result', json: '{}' })
  }
}

/** Reads a stream to its end, without its notifications. */
async function drained(messages: AsyncGenerator<Notification, MCPAnswer>): Promise<MCPAnswer> {
  let next = await messages.next()
  while (next.done !== true) next = await messages.next()
  return next.value
}

/** Returns the JSON text of a response. */
async function textOf(server: MCPServer, { id, call, answer }: Ended): Promise<string> {
  switch (answer.kind) {
    case 'stream':
      return textOf(server, { id, call, status: 200, answer: await drained(answer.messages) })
    case 'error':
      return errorText(id, answer.error)
    case 'http':
      return errorText(id, { code: JSONRPCErrorCode.httpError, message: 'The call was answered by HTTP.' })
    default: {
      const { json, cache } = answer
      const isModern = call?.version === MODERN_VERSION
      const result = isModern ? withMembers(json, await modernMembers(server, cache)) : json
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
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
