/** Results of tools, from the responses of their actions. */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { isPromise } from '../../base/promise.ts'
import { isRecord } from '../../base/record.ts'
import { errorSummary } from '../../base/thrown.ts'
import { isSchema } from '../../http/converters/schema.ts'
import { JSONRPCErrorCode } from '../../http/jsonrpc/error.ts'
import { isJson, parseMediaType } from '../../http/media-type.ts'
import type { Environ, HeaderPair, StartResponse } from '../../wsgi/types.ts'
import {
  blockOf,
  type ContentBlock,
  contentBlocks,
  jsonIn,
  type TypedBody,
  textBlock,
  textOf,
} from './content.ts'
import { drained, notificationsIn, wantsNotifications } from './events.ts'
import type { ExposedAction } from './exposed.ts'
import { type InnerResponse, MAX_RESPONSE, readBody } from './inner-request.ts'
import type { MCPAnswer, MCPCall, Notification } from './server.ts'
import { outputSchemaOf } from './tools.ts'
import { MODERN_VERSION } from './versions.ts'

/** A response and the call that it answers. */
export interface Answered {
  readonly call: MCPCall
  readonly response: InnerResponse
  /** Returns the URL of the request. */
  uri(): string
  /** Returns true if details of an unexpected error may be sent. */
  showsErrors(): boolean
  /** Returns the header fields of a response with status 401 or 403. */
  challenge(status: number, fields: readonly HeaderPair[]): HeaderPair[]
}

type ToolResult = Extract<MCPAnswer, { kind: 'result' }>

/**
 * Returns the answer to `tools/call`.
 *
 * @param hasBegun - false if a hook answered in place of the action.
 */
export async function toolAnswer(
  tool: ExposedAction,
  answered: Answered,
  hasBegun: boolean,
): Promise<MCPAnswer> {
  const { call, response } = answered
  if (isRefused(response)) {
    const refused = await refusal(answered)
    return refused.kind === 'text' ? toolFailure(refused.text) : refused.answer
  }
  const contentType = response.header('content-type') ?? ''
  if (parseMediaType(contentType)?.essence === 'text/event-stream') {
    const messages = streamed(tool, answered)
    return wantsNotifications(call) && call.batch === undefined
      ? { kind: 'stream', messages }
      : drained(messages)
  }
  const bytes = await readBody(response)
  if (bytes === undefined) return toolFailure(tooLong())
  if (response.status >= 300) return redirected(tool, answered, hasBegun)
  return resultOf(tool, answered, { bytes, contentType })
}

/** Returns the result of a tool that failed. A language model reads the text. */
export function toolFailure(text: string): ToolResult {
  return { kind: 'result', json: JSON.stringify({ content: [textBlock(text)], isError: true }) }
}

async function* streamed(tool: ExposedAction, answered: Answered): AsyncGenerator<Notification, MCPAnswer> {
  const { response, call } = answered
  const text = yield* notificationsIn(response.body, call)
  const isStructured = outputSchemaOf(tool.operation.action, MODERN_VERSION) !== undefined
  const contentType = isStructured ? 'application/json' : 'text/plain'
  return resultOf(tool, answered, { bytes: new TextEncoder().encode(text), contentType })
}

/** The end of a request that the application refused: the text of the problem, or an answer of its own. */
type Refusal =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'answer'; readonly answer: MCPAnswer }

/** Returns true for a response that refuses its request. */
export function isRefused({ status }: InnerResponse): boolean {
  return status >= 400
}

/** Returns how a response refuses its request. 401 and 403 are sent as they are, so that clients sign in. */
export async function refusal(answered: Answered): Promise<Refusal> {
  const { call, response } = answered
  const { status, failure, statusLine, fields } = response
  const bytes = await readBody(response)
  if (failure !== undefined && status === 500) {
    const data = answered.showsErrors() ? errorSummary(failure.error) : undefined
    const error = { code: JSONRPCErrorCode.internalError, message: 'Internal error', data }
    return { kind: 'answer', answer: { kind: 'error', error } }
  }
  if ((status === 401 || status === 403) && call.batch === undefined) {
    // A body that is too long is left out, and its length with it.
    const sent =
      bytes === undefined ? fields.filter(([name]) => name.toLowerCase() !== 'content-length') : fields
    const responder = (_environ: Environ, start_response: StartResponse) => {
      start_response(statusLine, answered.challenge(status, sent))
      return [bytes ?? '']
    }
    return { kind: 'answer', answer: { kind: 'http', responder } }
  }
  const contentType = response.header('content-type') ?? ''
  return { kind: 'text', text: problemText(statusLine, { bytes: bytes ?? new Uint8Array(), contentType }) }
}

/** Returns the status with the errors or the detail of a problem document, or with the text of any other body but a page of HTML. */
function problemText(statusLine: string, body: TypedBody): string {
  const text = textOf(body)?.trim() ?? ''
  if (!body.contentType.startsWith('application/problem+json')) {
    // Text of an action is HTML by default.
    const isPage = text.startsWith('<') && body.contentType.startsWith('text/html')
    return text === '' || isPage ? statusLine : `${statusLine}: ${text}`
  }
  const problem = jsonIn(text)?.value
  if (!isRecord(problem)) return statusLine
  const { status, title, detail, errors } = problem
  const refused = Array.isArray(errors) ? errors.filter(isRecord) : []
  const texts = refused.map(({ name, detail }) => (name === '' ? String(detail) : `${name}: ${detail}`))
  return `${String(status)} ${String(title)}: ${texts.length > 0 ? texts.join('; ') : String(detail)}`
}

/**
 * Returns the result for a redirect. It is a failure if a hook redirects, for instance to a page for signing in, and if the action
 * reads or declares a result. Other actions redirect when their work is done.
 */
function redirected(
  { operation }: ExposedAction,
  { response, call }: Answered,
  hasBegun: boolean,
): MCPAnswer {
  const text = `${response.statusLine}: ${response.header('location') ?? ''}`
  const isDeclared = outputSchemaOf(operation.action, call.version) !== undefined
  if (!hasBegun || operation.method === 'get' || isDeclared) return toolFailure(text)
  return toolResult([textBlock(text)])
}

/** @throws TypeError - the action declares a result, and the response is neither empty, nor JSON, nor text that the schema accepts. */
function resultOf({ operation }: ExposedAction, { call, uri }: Answered, body: TypedBody): ToolResult {
  const { action, controllerClass } = operation
  const type = parseMediaType(body.contentType)
  const text = textOf(body) ?? ''
  const json = type !== undefined && isJson(type) ? jsonIn(text) : undefined
  const { schema } = action.result
  if (schema !== undefined && schema !== null) {
    // Text is sent as it is, whatever the class declares.
    const isText = type?.essence.startsWith('text/') === true && acceptsText(schema, text)
    if (json === undefined && !isText) {
      // The action has run, so an error of the protocol would make a model call it again.
      if (body.bytes.length === 0)
        return toolFailure('The action has run and gave no value, although it declares one.')
      throw new TypeError(
        `${controllerClass.name}.${action.name}() declares a result, and answered a call with ${body.contentType || 'no body'}. Return a value of the schema.`,
      )
    }
    const canBeStructured = call.version === MODERN_VERSION || isRecord(json?.value)
    const structured = json === undefined ? JSON.stringify(text) : text
    return toolResult([textBlock(text)], canBeStructured ? structured : undefined)
  }
  if (body.bytes.length === 0) return toolResult([])
  const blocks = schema === undefined ? contentBlocks(json?.value) : undefined
  return toolResult(blocks ?? [blockOf(body, uri())])
}

function acceptsText(schema: StandardTypedV1, text: string): boolean {
  if (!isSchema(schema)) return false
  const result = schema['~standard'].validate(text)
  return !isPromise(result) && result.issues === undefined
}

/**
 * Returns the result of a tool.
 *
 * @param structured - JSON text.
 */
export function toolResult(content: readonly ContentBlock[], structured?: string): ToolResult {
  const member = structured === undefined ? '' : `,"structuredContent":${structured}`
  return { kind: 'result', json: `{"content":${JSON.stringify(content)}${member}}` }
}

/** Returns the text for a response that is too long. */
export function tooLong(): string {
  return `The response has more than ${MAX_RESPONSE} bytes. Ask for less.`
}
