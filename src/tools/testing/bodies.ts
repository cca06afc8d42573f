/**
 * Encodes the bodies and queries of requests, as browsers do: fields, multipart (HTML §4.10.22, RFC 7578), JSON.
 *
 * @module
 */

import type { Entry } from './controls.ts'

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
  if (typeof body === 'string') return { content: encoder.encode(body), contentType: 'text/plain;charset=utf-8' }
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

/** Encodes names and values in order. Line ends in names and texts become CRLF. */
async function encodeMultipart(entries: Iterable<readonly [name: string, value: string | File]>): Promise<EncodedBody> {
  const boundary = `----TestAppFormBoundary${crypto.randomUUID().replaceAll('-', '')}`
  const parts: (string | File)[] = []
  for (const [name, value] of entries) {
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${escapeQuotes(withCrlf(name))}"`)
    if (typeof value === 'string') parts.push(`\r\n\r\n${withCrlf(value)}\r\n`)
    else {
      const type = value.type || 'application/octet-stream'
      parts.push(`; filename="${escapeQuotes(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`, value, '\r\n')
    }
  }
  parts.push(`--${boundary}--\r\n`)
  const content = new Uint8Array(await new Blob(parts).arrayBuffer())
  return { content, contentType: `multipart/form-data; boundary=${boundary}` }
}

/** Returns a text with CRLF for every line end, as forms send it. */
function withCrlf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}

function escapeQuotes(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}

/** Encodes the entries of a form that is sent by POST. */
export async function encodeEntries(enctype: string, entries: readonly Entry[]): Promise<EncodedBody> {
  if (enctype === 'multipart/form-data') return encodeMultipart(entries)
  const fields = textEntries(entries)
  if (enctype !== 'text/plain') return encodeBody(fields)
  const text = fields.map(([name, value]) => `${name}=${value}\r\n`).join('')
  return { content: encoder.encode(text), contentType: 'text/plain' }
}

/** Returns the entries as text: a file by its name, line ends as CRLF. */
export function textEntries(entries: readonly Entry[]): [name: string, value: string][] {
  return entries.map(([name, value]) => [withCrlf(name), withCrlf(typeof value === 'string' ? value : value.name)])
}
