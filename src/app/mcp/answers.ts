/** Answers: results of tools, their content blocks, and notifications of calls that are in progress. */
import { encodeBase64 } from '../../base/base64.ts'
import { toBytes } from '../../base/bytes.ts'
import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import type { Responder } from '../../controllers/represent.ts'
import { isJson, type MediaType } from '../../http/media-type.ts'
import type { Chunk } from '../../wsgi/types.ts'
import { invalidParams, type JSONRPCError } from './jsonrpc.ts'
import { type MCPCall, wantsLog } from './protocol.ts'

/** The time for which a client may keep a result, and the clients that may share it (server utilities, "Caching"). */
export interface CacheHint {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** A notification about a call that is in progress. */
export interface Notification {
  readonly method: string
  readonly params: object
}

/** The error of an answer. */
export type AnswerError = Pick<JSONRPCError, 'code' | 'message'> & { readonly data?: unknown }

/** The end of a request. */
export type MCPAnswer =
  /** JSON text of an object. */
  | { readonly kind: 'result'; readonly json: string; readonly cache?: CacheHint }
  | { readonly kind: 'error'; readonly error: AnswerError }
  /** An HTTP response in place of a message. */
  | { readonly kind: 'http'; readonly responder: Responder }
  /** Notifications, then the answer. */
  | { readonly kind: 'stream'; readonly messages: AsyncIterable<Notification | MCPAnswer> }

/**
 * Returns the result of a tool.
 *
 * @param structured - JSON text.
 */
export function toolResult(content: readonly ContentBlock[], structured?: string): MCPAnswer {
  const member = structured === undefined ? '' : `,"structuredContent":${structured}`
  return { kind: 'result', json: `{"content":${JSON.stringify(content)}${member}}` }
}

/** Returns the result of a tool that failed. A language model reads the text. */
export function toolFailure(text: string): MCPAnswer {
  return { kind: 'result', json: JSON.stringify({ content: [textBlock(text)], isError: true }) }
}

/**
 * Returns the answer to wrong arguments of a tool: since 2025-11-25 a result for the language model, before an error.
 */
export function wrongArguments({ version }: MCPCall, problem: string): MCPAnswer {
  return version >= '2025-11-25' ? toolFailure(problem) : { kind: 'error', error: invalidParams(problem) }
}

/** A block of content (server features, "Tool Result"). */
export type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string }

/** The members that a block of each type must have, all of them text. */
const TEXTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['uri', 'name']],
])

/**
 * Returns the blocks of `{ content: [ … ] }`. Undefined for a value with other members, or with members that are not
 * blocks.
 */
export function contentBlocks(value: unknown): readonly ContentBlock[] | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 1 || !Array.isArray(value.content)) return undefined
  const content: readonly unknown[] = value.content
  return content.length > 0 && content.every(isBlock) ? content : undefined
}

function isBlock(value: unknown): value is ContentBlock {
  if (!isRecord(value)) return false
  const { type, resource } = value
  if (type !== 'resource') return TEXTS.get(type)?.every((name) => typeof value[name] === 'string') === true
  if (!isRecord(resource) || typeof resource.uri !== 'string') return false
  return typeof resource.text === 'string' || typeof resource.blob === 'string'
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

/** The body of a response and its type. */
export interface TypedBody {
  readonly content: Chunk
  readonly type: MediaType | undefined
}

/** Returns the block for a body: an image, audio, text, or an embedded resource with the URI of the request. */
export function blockOf(body: TypedBody, uri: string): ContentBlock {
  const mimeType = mimeTypeOf(body)
  const [kind] = mimeType.split('/')
  if (kind === 'image' || kind === 'audio') return { type: kind, data: encodeBase64(toBytes(body.content)), mimeType }
  const text = textOf(body)
  return text === undefined ? { type: 'resource', resource: resourceContents(body, uri) } : textBlock(text)
}

/** Returns a body as the contents of a resource: text, or bytes in base64. */
export function resourceContents(body: TypedBody, uri: string): object {
  const mimeType = mimeTypeOf(body)
  const text = textOf(body)
  return text === undefined ? { uri, mimeType, blob: encodeBase64(toBytes(body.content)) } : { uri, mimeType, text }
}

function mimeTypeOf({ type }: TypedBody): string {
  return type?.essence ?? 'application/octet-stream'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Returns the text of a body: of `text/*`, JSON and XML. Undefined for other types, and for bytes that are not text
 * in their charset.
 */
export function textOf({ content, type }: TypedBody): string | undefined {
  if (type === undefined || !isText(type)) return undefined
  const { charset = 'utf-8' } = type.parameters
  // A decoder leaves out the byte order mark.
  if (charset === 'utf-8' && typeof content === 'string' && content.isWellFormed() && !content.startsWith('\uFEFF'))
    return content
  try {
    return (charset === 'utf-8' ? utf8 : new TextDecoder(charset, { fatal: true })).decode(toBytes(content))
  } catch {
    // An unknown charset, or bytes that are not of it.
    return undefined
  }
}

/** Returns true for a type of text. SVG is an image, and text as a resource. */
function isText(type: MediaType): boolean {
  const { essence } = type
  return essence.startsWith('text/') || isJson(type) || essence === 'application/xml' || essence.endsWith('+xml')
}

/** Returns the value of JSON text. Undefined if it is not JSON. */
export function jsonIn(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/**
 * Makes notifications of the events `progress` and `log` of a call, if the client wants them. Other events are passed
 * over, and malformed ones are an error.
 *
 * @param events - objects of `event` and `data`, then the result.
 * @param answer - returns the answer to the call for the result.
 * @param fail - returns the answer for an error.
 */
export async function* notificationsOf(
  events: AsyncGenerator<unknown, unknown, undefined>,
  call: MCPCall,
  answer: (result: unknown) => MCPAnswer,
  fail: (error: unknown) => MCPAnswer,
): AsyncGenerator<Notification | MCPAnswer, void> {
  let last = Number.NEGATIVE_INFINITY
  try {
    let next = await events.next()
    for (; next.done !== true; next = await events.next()) {
      const { event, data } = isRecord(next.value) ? next.value : {}
      if (event === 'progress') {
        const progress = progressOf(data, call)
        // Progress must increase with each notification.
        if (call.progressToken === undefined || progress.progress <= last) continue
        last = progress.progress
        yield { method: 'notifications/progress', params: progress }
      } else if (event === 'log') {
        const message = logMessageOf(data)
        if (wantsLog(call, message.level)) yield { method: 'notifications/message', params: message }
      }
    }
    yield answer(next.value)
  } catch (error) {
    yield fail(error)
  } finally {
    await events.return(undefined)
  }
}

type EventData = Readonly<Record<string, unknown>>

function progressOf(data: unknown, { progressToken }: MCPCall): EventData & { readonly progress: number } {
  if (isRecord(data) && typeof data.progress === 'number') {
    const { progress, total, message } = data
    return { progressToken, progress, total, message }
  }
  throw new TypeError(
    `An event "progress" has the data ${describeValue(data)}. Send { progress: 1, total: 10, message: 'Reading' }; total and message may be left out.`,
  )
}

function logMessageOf(value: unknown): EventData & { readonly level: string } {
  if (isRecord(value) && typeof value.level === 'string' && value.data !== undefined) {
    const { level, logger, data } = value
    return { level, logger, data }
  }
  throw new TypeError(`An event "log" has the data ${describeValue(value)}. Send { level: 'info', data: 'Started' }.`)
}
