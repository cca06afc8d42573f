/**
 * The headers of the parts of a multipart form (RFC 7578 §4).
 *
 * @module
 */

import { environKey } from '../wsgi/environ.ts'
import { worded } from './error-texts.ts'
import { type MediaType, parseMediaType, parseParameters } from './media-type.ts'
import { makeDecoder } from './request-body.ts'
import { RequestHeaders } from './request-headers.ts'
import { HTTPBadRequest } from './status-exceptions.ts'

/** The parsed header of a part. */
export interface PartHeader {
  /** Header fields, read-only. Repeated fields are joined with `, `. */
  readonly headers: RequestHeaders
  /** Name of the form's field. */
  readonly name: string
  /** File name as the client sent it; undefined for a text field. */
  readonly filename: string | undefined
  /** Parsed Content-Type; undefined if it is absent or malformed. */
  readonly type: MediaType | undefined
}

/**
 * Parses the header of a part.
 *
 * @throws HTTPBadRequest - it is malformed or has no name.
 */
export function parsePartHeader(bytes: Uint8Array): PartHeader {
  const headers = new RequestHeaders(parseFields(bytes))
  const disposition = headers.get('content-disposition') ?? ''
  const semicolon = disposition.indexOf(';')
  const kind = (semicolon === -1 ? disposition : disposition.slice(0, semicolon)).trim().toLowerCase()
  const parameters: Record<string, string | undefined> =
    semicolon === -1 ? {} : parseParameters(disposition, semicolon)
  if (kind !== 'form-data' || parameters.name === undefined) {
    throw worded(HTTPBadRequest, 'propylon.form.name')
  }
  const { filename } = parameters
  return {
    headers,
    name: unescapeName(parameters.name),
    filename:
      extendedValue(parameters['filename*']) ?? (filename === undefined ? undefined : unescapeName(filename)),
    type: parseMediaType(headers.get('content-type') ?? ''),
  }
}

/**
 * Decodes the text of a part in the charset of its content type, UTF-8 by default. Malformed bytes become U+FFFD.
 *
 * @throws HTTPUnsupportedMediaType - the charset is unknown.
 */
export function decodePart(bytes: Uint8Array, { type }: PartHeader): string {
  const charset = type?.parameters.charset
  return new TextDecoder(charset === undefined ? 'utf-8' : makeDecoder(charset).encoding).decode(bytes)
}

const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:(.*)$/s
// A line break that does not continue a field, and NUL.
const FORBIDDEN = /[\r\n\0]/
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the values of the fields by their keys in an environ, as the fields of a request. */
function parseFields(bytes: Uint8Array): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  // A line that begins with a blank continues the field before it (RFC 5322 §2.2.3).
  const text = decodeHeader(bytes).replaceAll(/\r\n(?=[ \t])/g, '')
  if (text === '') return fields
  for (const line of text.split('\r\n')) {
    const [, name = '', value = ''] = FIELD.exec(line) ?? []
    if (name === '' || FORBIDDEN.test(line)) {
      throw worded(HTTPBadRequest, 'propylon.form.header')
    }
    const key = environKey(name)
    if (key === undefined) continue
    const before = fields[key]
    fields[key] = before === undefined ? value.trim() : `${before}, ${value.trim()}`
  }
  return fields
}

function decodeHeader(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw worded(HTTPBadRequest, 'propylon.form.headerText', {}, { cause })
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '%0a': '\n', '%0d': '\r', '%22': '"' }

/** Decodes the three characters that browsers escape in names (HTML §4.10.21.8, "multipart form data"). */
function unescapeName(name: string): string {
  return name.replaceAll(/%(?:0a|0d|22)/gi, (code) => ESCAPES[code.toLowerCase()] ?? code)
}

/** Decodes `UTF-8''…` (RFC 8187). RFC 7578 forbids it in forms, but some clients send it for names beyond ASCII. */
function extendedValue(text: string | undefined): string | undefined {
  const encoded = text === undefined ? undefined : /^utf-8'[^']*'(.*)$/i.exec(text)?.[1]
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
