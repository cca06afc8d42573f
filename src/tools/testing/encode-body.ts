/**
 * Encodes the bodies and queries of requests.
 *
 * @module
 */

import { encodeMultipart } from './multipart.ts'

/** A value of a form field. */
export type Scalar = string | number | bigint | boolean

/** Fields by name. A list repeats the field, and `undefined` omits it. */
export type FieldRecord = { readonly [name: string]: Scalar | readonly Scalar[] | undefined }

/** Fields in order. */
export type FieldPairs = Iterable<readonly [name: string, value: Scalar]>

/** Fields of a form, sent as `application/x-www-form-urlencoded`. */
export type Fields = FieldRecord | FieldPairs | URLSearchParams

/**
 * A request's body: fields (urlencoded), FormData (multipart), text (`text/plain`), bytes
 * (`application/octet-stream`), or a stream of bytes (sent without Content-Length).
 */
export type RequestBody = Fields | FormData | string | Uint8Array | AsyncIterable<Uint8Array> | null

/** An encoded body. */
export interface EncodedBody {
  readonly content: Uint8Array | AsyncIterable<Uint8Array> | null
  readonly contentType: string | undefined
}

/** The body of a request without one. */
export const NO_BODY: EncodedBody = { content: null, contentType: undefined }

const encoder = new TextEncoder()

/**
 * Encodes a body.
 *
 * @throws TypeError - a field's value is neither text, a number nor a boolean.
 */
export async function encodeBody(body: RequestBody | undefined): Promise<EncodedBody> {
  if (body === null || body === undefined) return NO_BODY
  if (typeof body === 'string')
    return { content: encoder.encode(body), contentType: 'text/plain;charset=utf-8' }
  if (body instanceof Uint8Array) return { content: body, contentType: 'application/octet-stream' }
  if (body instanceof FormData) return encodeMultipart(body)
  if (Symbol.asyncIterator in body) return { content: body, contentType: 'application/octet-stream' }
  return { content: encoder.encode(encodeFields(body)), contentType: 'application/x-www-form-urlencoded' }
}

export function encodeJson(value: unknown): EncodedBody {
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`A value of type ${typeof value} has no JSON form.`)
  return { content: encoder.encode(text), contentType: 'application/json' }
}

/** Encodes fields as `application/x-www-form-urlencoded` (WHATWG URL §5.2). */
export function encodeFields(fields: Fields): string {
  if (fields instanceof URLSearchParams) return fields.toString()
  const parameters = new URLSearchParams()
  for (const [name, value] of pairsOf(fields)) {
    if (value === null || !/^(?:string|number|bigint|boolean)$/.test(typeof value)) {
      throw new TypeError(`the field ${JSON.stringify(name)} must be text, a number or a boolean`)
    }
    parameters.append(name, String(value))
  }
  return parameters.toString()
}

/** Returns names and values in order. A list repeats the name, and `undefined` omits it. */
export function pairsOf(fields: FieldRecord | FieldPairs): (readonly [name: string, value: Scalar])[] {
  if (isPairs(fields)) return [...fields]
  return Object.entries(fields).flatMap(([name, value]) => {
    const values = value === undefined ? [] : [value].flat()
    return values.map((one) => [name, one] as const)
  })
}

function isPairs(fields: FieldRecord | FieldPairs): fields is FieldPairs {
  return Symbol.iterator in fields
}
