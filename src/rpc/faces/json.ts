/** Plain JSON: a procedure is a URL, its arguments are a JSON object, its result is the answer. */

import { isRecord } from '../../base/record.ts'
import { isInstance } from '../../base/thrown.ts'
import { stateOf } from '../../controllers/call-state.ts'
import type { Responder } from '../../controllers/represent.ts'
import { decodeText } from '../../http/body/body.ts'
import { HTTPException } from '../../http/exceptions.ts'
import { parseJson, requireJsonType } from '../../http/json.ts'
import {
  HTTPBadRequest,
  HTTPInternalServerError,
  HTTPMethodNotAllowed,
  HTTPNotFound,
} from '../../http/status-exceptions.ts'
import { toJson } from '../controllers/json-values.ts'
import { type Failure, statusFor } from '../controllers/rpc-failure.ts'
import type { Dialect, ServiceRequest } from '../controllers/service-request.ts'
import { encodedType } from '../controllers/type-table.ts'
import { type Face, PROCEDURE_PATH } from './face.ts'

export const JSON_CALLS: Face = {
  title: 'plain JSON',
  path: PROCEDURE_PATH,
  answer,
}

/** Answers the call of the procedure that the action of the match names. */
async function answer(request: ServiceRequest): Promise<Responder> {
  const { action, environ } = stateOf(request.controller)
  const dialect = dialectFor(request)
  try {
    if (request.find(action) === undefined) throw new HTTPNotFound()
    if (environ.REQUEST_METHOD !== 'POST') {
      throw new HTTPMethodNotAllowed(undefined, { Allow: 'OPTIONS, POST' })
    }
    const values = await readArguments(request)
    return await request.call(action, { kind: 'named', values }, dialect)
  } catch (error) {
    return dialect.failure(request.failureOf(error, action))
  }
}

/**
 * Reads the arguments. An empty body has none.
 *
 * @throws HTTPUnsupportedMediaType - the body has a content type that is not JSON.
 * @throws HTTPBadRequest - the body is not a JSON object in UTF-8.
 */
async function readArguments({ controller, settings }: ServiceRequest): Promise<Record<string, unknown>> {
  const { request } = controller
  const { contentType } = request
  if (contentType !== undefined) requireJsonType(contentType)
  const body = await request.bytes(settings.max_body_length)
  if (body.length === 0) return {}
  // JSON is UTF-8 (RFC 8259 §8.1). The charset of the type is not read, because some clients send a wrong one.
  const values = parseJson(decodeText(body, 'utf-8'), request.limits.depth)
  if (isRecord(values)) return values
  const detail = 'The body must be a JSON object of arguments by name.'
  throw new HTTPBadRequest(detail, undefined, { json: { errors: [{ name: '', detail }] } })
}

function dialectFor(request: ServiceRequest): Dialect<Responder> {
  const { i8 } = request.settings
  return {
    find: (name) => request.find(name),
    result(value, { returns }) {
      return request.write(toJson(value, { i8, type: encodedType(returns) }), 'application/json')
    },
    failure(failure) {
      if (failure.kind !== 'http') return request.problem(exceptionFor(failure, i8))
      const { answer } = failure
      const isError = isInstance(answer, HTTPException) && answer.status >= 400
      return isError ? request.problem(answer) : request.respond(answer)
    },
  }
}

function exceptionFor(failure: Exclude<Failure, { kind: 'http' }>, i8: boolean): HTTPException {
  switch (failure.kind) {
    case 'application': {
      const { code, message, data } = failure
      const json = data === undefined ? { code } : { code, data: JSON.parse(toJson(data, { i8, type: undefined })) }
      return new HTTPException(statusFor(code), message, undefined, { json })
    }
    case 'unknown':
      return new HTTPNotFound()
    case 'parameters':
      return new HTTPBadRequest(failure.message, undefined, { json: { errors: failure.errors } })
    case 'unexpected':
      return new HTTPInternalServerError(failure.detail)
  }
}
