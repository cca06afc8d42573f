/** JSON-RPC 2.0. */

import { type Batch, invalidRequest, parseMessage } from '../../app/mcp/jsonrpc.ts'
import { utf8Length } from '../../base/bytes.ts'
import { isRecord } from '../../base/record.ts'
import { stateOf } from '../../controllers/call-state.ts'
import type { Responder } from '../../controllers/represent.ts'
import { isJson } from '../../http/media-type.ts'
import type { SentParameters } from '../controllers/check-call.ts'
import { toJson } from '../controllers/json-values.ts'
import { errorFor, type HTTPAnswer } from '../controllers/rpc-failure.ts'
import type { Dialect, ServiceRequest } from '../controllers/service-request.ts'
import { encodedType } from '../controllers/type-table.ts'
import { type Face, isMarkup, refusePlainJSON } from './face.ts'

export const JSONRPC: Face = {
  title: 'JSON-RPC 2.0',
  path: '',
  calls: {
    type: 'application/json',
    includes: (type) => isJson(type) || /^application\/json-?r(?:pc|equest)$/.test(type.essence),
    beginsWith: (body) => !isMarkup(body),
  },
  answer,
}

/** Answers a call or a batch. */
async function answer(request: ServiceRequest, faces: readonly Face[]): Promise<Responder> {
  const isBelow = stateOf(request.controller).action !== 'index'
  if (isBelow && !(await isMarked(request))) return refusePlainJSON(request, faces)
  const body = await request.body()
  let message: unknown
  try {
    message = parseMessage(body)
    if (Array.isArray(message)) checkLength(message.length, request.batchLimit)
  } catch (error) {
    return sendingDialect(request, null).failure(request.failureOf(error))
  }
  if (!Array.isArray(message)) return run(request, message, (id) => sendingDialect(request, id))
  const answers = await request.batch(message, (entry: unknown, batch) =>
    run(request, entry, (id) => dialectFor(request, id, batch)),
  )
  const texts = answers.filter((text) => text !== undefined)
  return send(request, texts.length === 0 ? undefined : `[${texts.join(',')}]`)
}

/** Returns true for a body with the word that all calls of JSON-RPC 2.0 have. */
async function isMarked({ controller, settings }: ServiceRequest): Promise<boolean> {
  const body = await controller.request.bytes(settings.max_body_length)
  return new TextDecoder().decode(body).includes('"jsonrpc"')
}

/** @throws JSONRPCError - -32600: the number of calls in a batch is not allowed. */
function checkLength(length: number, limit: number): void {
  if (length > 0 && length <= limit) return
  throw invalidRequest(`a batch holds 1 to ${limit} calls, not ${length}`)
}

/**
 * Identifies a request. Its answer has the same id, so a number is within the safe integers, which keep their digits.
 */
type Id = string | number | null

/** A request. */
interface RPCRequest {
  readonly method: string
  readonly sent: SentParameters
  /** Undefined for a notification, which is never answered (§4.1). */
  readonly id: Id | undefined
}

/**
 * Checks one request (JSON-RPC 2.0 §4).
 *
 * @throws JSONRPCError - code -32600: the message is not a request.
 */
function readRequest(message: unknown): RPCRequest {
  if (!isRecord(message)) throw invalidRequest('a request is an object')
  const { jsonrpc, method, id } = message
  // Several clients write null for no parameters.
  const params = message.params ?? []
  if (jsonrpc !== '2.0') throw invalidRequest('"jsonrpc" must be "2.0"')
  if (typeof method !== 'string') throw invalidRequest('"method" must be a string')
  if (!isId(id) && id !== undefined)
    throw invalidRequest('"id" must be a string, a number within the safe integers, or null')
  if (Array.isArray(params)) return { method, sent: { kind: 'positional', values: params }, id }
  if (isRecord(params)) return { method, sent: { kind: 'named', values: params }, id }
  throw invalidRequest('"params" must be an array or an object')
}

/** Returns the id of a message that may be invalid. Null if it has none (JSON-RPC 2.0 §5). */
function idOf(message: unknown): Id {
  return isRecord(message) && isId(message.id) ? message.id : null
}

function isId(value: unknown): value is Id {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return typeof value === 'string' || value === null
}

async function run<T>(
  request: ServiceRequest,
  message: unknown,
  dialectOf: (id: Id | undefined) => Dialect<T>,
): Promise<T> {
  let call: RPCRequest
  try {
    call = readRequest(message)
  } catch (error) {
    return dialectOf(idOf(message)).failure(request.failureOf(error))
  }
  const { method, sent, id } = call
  return request.call(method, sent, dialectOf(id))
}

/**
 * The text of an answer, undefined for a notification, or an HTTP response in place of an answer outside of batches.
 */
type Answer = string | undefined | HTTPAnswer

/** Sends an answer, or 204 if nothing is answered. */
function send(request: ServiceRequest, answer: Answer): Responder {
  if (typeof answer === 'string') {
    const response = request.write(answer, 'application/json')
    response.status = 200
    return response
  }
  if (answer !== undefined) return request.respond(answer)
  const { response } = request.controller
  response.status = 204
  response.body = null
  return response
}

/** Answers a call outside of a batch. The response is made before `__after__` runs, so that the hook can change it. */
function sendingDialect(request: ServiceRequest, id: Id | undefined): Dialect<Responder> {
  const dialect = dialectFor(request, id)
  return {
    find: (name) => dialect.find(name),
    result: (value, call) => send(request, dialect.result(value, call)),
    failure: (failure) => send(request, dialect.failure(failure)),
  }
}

/** @param batch - the batch that the call belongs to. */
function dialectFor(request: ServiceRequest, id: Id | undefined, batch?: Batch): Dialect<Answer> {
  const { i8 } = request.settings
  const textOf = (member: string) => `{"jsonrpc":"2.0",${member},"id":${JSON.stringify(id)}}`
  const errorMember = ({ code, message, data }: ReturnType<typeof errorFor>) => {
    const more = data === undefined ? '' : `,"data":${toJson(data, { i8, type: undefined })}`
    return `"error":{"code":${code},"message":${JSON.stringify(message)}${more}}`
  }
  const answerWith = (member: string) => {
    const text = textOf(member)
    return batch === undefined || batch.take(utf8Length(text)) ? text : textOf(errorMember(batch.refusal()))
  }
  return {
    find(name) {
      // Notifications are run: they have no answer.
      if (id !== undefined) batch?.requireRoom()
      return request.find(name)
    },
    result(value, { returns }) {
      if (id === undefined) return undefined
      return answerWith(`"result":${toJson(value, { i8, type: encodedType(returns) })}`)
    },
    failure(failure) {
      if (id === undefined) return undefined
      if (failure.kind === 'http' && batch === undefined) return failure.answer
      return answerWith(errorMember(errorFor(failure)))
    },
  }
}
