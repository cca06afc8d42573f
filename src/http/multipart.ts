/**
 * Parses multipart forms (RFC 7578).
 *
 * @module
 */

import {
  MaxFileSizeExceededError,
  MaxHeaderSizeExceededError,
  MaxPartsExceededError,
  MaxTotalSizeExceededError,
  MultipartParseError,
  MultipartParser,
  type MultipartPart,
  parseMultipart as parseParts,
} from '@remix-run/multipart-parser'
import { encodeUtf8 } from '../wsgi/bytes.ts'
import { FormFile } from './form-file.ts'
import { HTTPException } from './http-exception.ts'
import type { RequestLimits } from './limits.ts'
import { parseMediaType, parseParameters } from './media-type.ts'
import { makeDecoder } from './request-body.ts'
import { HTTPBadRequest, HTTPRequestEntityTooLarge } from './status-exceptions.ts'

const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/

/** The fields and files of a multipart form. */
export interface MultipartForm {
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly files: readonly FormFile[]
}

/**
 * Parses a multipart form. Text before its first boundary and after its last one is ignored.
 *
 * @param boundary - the parameter of the content type.
 * @throws HTTPBadRequest - the form is malformed or incomplete.
 * @throws HTTPRequestEntityTooLarge - a limit is exceeded.
 * @throws HTTPUnsupportedMediaType - a field has an unknown charset.
 */
export function parseMultipart(
  bytes: Uint8Array,
  boundary: string | undefined,
  limits: RequestLimits,
): MultipartForm {
  if (boundary === undefined || !BOUNDARY.test(boundary)) {
    throw new HTTPBadRequest('The content type of the multipart form has no valid boundary.')
  }
  const fields: [string, string][] = []
  const files: FormFile[] = []
  for (const part of partsOf(withoutPreamble(bytes, boundary), boundary, limits)) {
    const header = readHeader(part)
    if (header.filename === undefined) {
      if (part.size > limits.field)
        throw tooLarge(`A field of the form exceeds the limit of ${limits.field} bytes.`)
      fields.push([header.name, textOf(part, header)])
      continue
    }
    if (part.size > limits.file)
      throw tooLarge(`A file of the form exceeds the limit of ${limits.file} bytes.`)
    // Browsers send this for an empty file input.
    if (header.filename === '' && part.size === 0) continue
    files.push(new FormFile(header.name, header.filename, header.type, part.content))
  }
  return { fields, files }
}

/**
 * Maximum size of everything that is not content (headers, boundaries, the text after the last one), as a multiple of the
 * limit for one header. Parsing a header costs a hundred times what passing over content does.
 */
const MAX_HEADERS = 64

function partsOf(bytes: Uint8Array, boundary: string, limits: RequestLimits): MultipartPart[] {
  const parser = parseParts(bytes, {
    boundary,
    maxHeaderSize: limits.partHeader,
    maxFileSize: Math.max(limits.file, limits.field),
    maxParts: limits.fields,
    maxTotalSize: limits.multipart,
  })
  const parts: MultipartPart[] = []
  let content = 0
  for (let part = nextPart(parser); part !== undefined; part = nextPart(parser)) {
    parts.push(part)
    content += part.size
  }
  // The parser reads a header only when it is asked for.
  const most = MAX_HEADERS * limits.partHeader
  if (bytes.length - content > most) {
    throw tooLarge(`The headers of all parts together may have ${most} bytes at most.`)
  }
  return parts
}

const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32
const DASH = 45

/**
 * Returns the body from its first boundary. Text before it must be ignored (RFC 2046 §5.1.1), but the parser does not
 * accept any.
 *
 * The time is linear: the delimiter contains no line break, so each line is compared once. A compressed body of some
 * kilobytes can have millions of lines, so no function is called and nothing is allocated for most of them.
 */
function withoutPreamble(bytes: Uint8Array, boundary: string): Uint8Array {
  const delimiter = encodeUtf8(`--${boundary}`)
  const last = bytes.length - delimiter.length - 2
  for (let at = 0; at <= last; at++) {
    if (bytes[at] !== DASH) continue
    if (at > 0 && (bytes[at - 1] !== LF || bytes[at - 2] !== CR)) continue
    if (isDelimiterAt(bytes, at, delimiter)) return bytes.subarray(at)
  }
  throw new HTTPBadRequest('The multipart form has no line with the boundary of its content type.')
}

/** Returns whether a delimiter and its end are at a position: two hyphens or, perhaps behind blanks, a line end. */
function isDelimiterAt(bytes: Uint8Array, position: number, delimiter: Uint8Array): boolean {
  for (let offset = 1; offset < delimiter.length; offset++) {
    if (bytes[position + offset] !== delimiter[offset]) return false
  }
  let end = position + delimiter.length
  if (bytes[end] === DASH && bytes[end + 1] === DASH) return true
  while (bytes[end] === SPACE || bytes[end] === TAB) end += 1
  return bytes[end] === CR && bytes[end + 1] === LF
}

function nextPart(parts: Generator<MultipartPart, void>): MultipartPart | undefined {
  try {
    return parts.next().value ?? undefined
  } catch (cause) {
    if (LIMIT_ERRORS.some((LimitError) => cause instanceof LimitError)) {
      throw tooLarge('The multipart form has too many parts, or one that is too large.', cause)
    }
    throw new HTTPBadRequest('The multipart form is malformed or ends early.', undefined, { cause })
  }
}

const LIMIT_ERRORS = [
  MaxFileSizeExceededError,
  MaxHeaderSizeExceededError,
  MaxPartsExceededError,
  MaxTotalSizeExceededError,
]

function tooLarge(detail: string, cause?: unknown): HTTPRequestEntityTooLarge {
  return new HTTPRequestEntityTooLarge(detail, undefined, { cause })
}

/**
 * Returns a function that takes the pieces of a multipart form in turn. It returns undefined until the first part is
 * complete, then the name and the text of that part, or null if it is a file or the form is malformed.
 *
 * @param max - maximum length of the part, in bytes. A longer one is null as well.
 */
export function firstPartFinder(
  boundary: string | undefined,
  max: number,
): ((piece: Uint8Array) => readonly [name: string, text: string] | null | undefined) | undefined {
  if (boundary === undefined || !BOUNDARY.test(boundary)) return undefined
  const parser = new MultipartParser(boundary, { maxHeaderSize: max, maxFileSize: max })
  return (piece) => {
    try {
      const { value: part } = parser.write(piece).next()
      if (part === undefined) return undefined
      const header = readHeader(part)
      return header.filename === undefined ? [header.name, textOf(part, header)] : null
    } catch (error) {
      // Reading the whole form reports what is wrong with it.
      if (error instanceof MultipartParseError || error instanceof HTTPException) return null
      throw error
    }
  }
}

function textOf(part: MultipartPart, header: PartHeader): string {
  return new TextDecoder(header.charset).decode(part.bytes)
}

interface PartHeader {
  readonly name: string
  /** File name that the client sent; `undefined` for a text field. */
  readonly filename: string | undefined
  readonly type: string
  readonly charset: string
}

function readHeader(part: MultipartPart): PartHeader {
  const headers = headersOf(part)
  const disposition = headers['content-disposition'] ?? ''
  const semicolon = disposition.indexOf(';')
  const kind = (semicolon === -1 ? disposition : disposition.slice(0, semicolon)).trim().toLowerCase()
  const parameters: Record<string, string | undefined> =
    semicolon === -1 ? {} : parseParameters(disposition, semicolon)
  const { name } = parameters
  if (kind !== 'form-data' || name === undefined) {
    throw new HTTPBadRequest('A part of the multipart form has no name.')
  }
  const type = parseMediaType(headers['content-type'] ?? '')
  return {
    name,
    filename: extendedValue(parameters['filename*']) ?? parameters.filename,
    type: type?.essence ?? 'application/octet-stream',
    charset: makeDecoder(type?.parameters.charset ?? 'utf-8').encoding,
  }
}

function headersOf(part: MultipartPart): MultipartPart['headers'] {
  try {
    return part.headers
  } catch (cause) {
    throw new HTTPBadRequest('The header of a part is not UTF-8 text.', undefined, { cause })
  }
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
