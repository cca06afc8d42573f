/**
 * Parses multipart forms (RFC 7578) that are in memory.
 *
 * @module
 */

import { concatBytes } from '../base/bytes.ts'
import { worded } from './error-texts.ts'
import { FormFile } from './form-file.ts'
import { HTTPException } from './http-exception.ts'
import type { RequestLimits } from './limits.ts'
import { type Found, isBoundary, MultipartScanner, PartStart } from './multipart-scanner.ts'
import { decodePart, type PartHeader, parsePartHeader } from './part-header.ts'
import { HTTPBadRequest, HTTPRequestEntityTooLarge } from './status-exceptions.ts'

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
  const fields: [string, string][] = []
  const files: FormFile[] = []
  let count = 0
  for (const { header, content } of partsOf(bytes, checkBoundary(boundary), limits)) {
    count += 1
    if (count > limits.fields) throw tooManyParts(limits.fields)
    if (header.filename === undefined) {
      if (content.length > limits.field) throw partTooLarge(header, limits.field)
      fields.push([header.name, decodePart(content, header)])
      continue
    }
    if (content.length > limits.file) throw partTooLarge(header, limits.file)
    // Browsers send this for an empty file input.
    if (header.filename === '' && content.length === 0) continue
    const type = header.type?.essence ?? 'application/octet-stream'
    files.push(new FormFile(header.name, header.filename, type, [content]))
  }
  return { fields, files }
}

/** @throws HTTPBadRequest - the boundary is absent or malformed. */
export function checkBoundary(boundary: string | undefined): string {
  if (isBoundary(boundary)) return boundary
  throw worded(HTTPBadRequest, 'propylon.form.boundary')
}

/** The exception for a part beyond its limit. */
export function partTooLarge({ filename }: PartHeader, limit: number): HTTPRequestEntityTooLarge {
  const key = filename === undefined ? 'propylon.form.fieldTooLarge' : 'propylon.form.fileTooLarge'
  return worded(HTTPRequestEntityTooLarge, key, { limit })
}

/** The exception for a form with too many parts. */
export function tooManyParts(limit: number): HTTPRequestEntityTooLarge {
  return worded(HTTPRequestEntityTooLarge, 'propylon.form.parts', { limit })
}

/** The exception for a form that ends before its last boundary. */
export function endsEarly(): HTTPBadRequest {
  return worded(HTTPBadRequest, 'propylon.form.incomplete')
}

interface PartInMemory {
  readonly header: PartHeader
  readonly content: Uint8Array
}

function* partsOf(bytes: Uint8Array, boundary: string, limits: RequestLimits): Generator<PartInMemory> {
  const scanner = new MultipartScanner(boundary, {
    header: limits.partHeader,
    Refusal: HTTPRequestEntityTooLarge,
  })
  scanner.push(bytes)
  const part = new PartBuffer()
  for (let found = scanner.next(); found !== 'end'; found = scanner.next()) {
    if (found === undefined) throw endsEarly()
    const complete = part.add(found)
    if (complete !== undefined) yield complete
  }
}

/** Collects the content of a part. */
class PartBuffer {
  #header: PartHeader | undefined = undefined
  #content: Uint8Array[] = []

  /** Whether the current part is a file. */
  get isFile(): boolean {
    return this.#header?.filename !== undefined
  }

  /** Returns the part once it is complete. */
  add(found: Found): PartInMemory | undefined {
    if (found instanceof PartStart) {
      this.#header = parsePartHeader(found.header)
      this.#content = []
    } else if (found instanceof Uint8Array) this.#content.push(found)
    else if (this.#header !== undefined) return { header: this.#header, content: concatBytes(this.#content) }
    return undefined
  }
}

/**
 * Returns a function that takes the pieces of a multipart form in turn. It returns undefined until the first part is
 * complete, then the name and the text of that part, or null if it is a file or the form is malformed.
 *
 * @param max - maximum length of the header, in bytes. A longer one is null as well.
 */
export function firstPartFinder(
  boundary: string | undefined,
  max: number,
): ((piece: Uint8Array) => readonly [name: string, text: string] | null | undefined) | undefined {
  if (!isBoundary(boundary)) return undefined
  const scanner = new MultipartScanner(boundary, { header: max, Refusal: HTTPBadRequest })
  const part = new PartBuffer()
  return (piece) => {
    try {
      scanner.push(piece)
      for (let found = scanner.next(); found !== undefined; found = scanner.next()) {
        if (found === 'end') return null
        const complete = part.add(found)
        if (part.isFile) return null
        if (complete !== undefined)
          return [complete.header.name, decodePart(complete.content, complete.header)]
      }
      return undefined
    } catch (error) {
      // Reading the whole form reports what is wrong with it.
      if (error instanceof HTTPException) return null
      throw error
    }
  }
}
