/**
 * Reads a multipart form part by part, without holding it in memory.
 *
 * @module
 */

import { describeValue } from '../base/describe.ts'
import type { Environ } from '../wsgi/types.ts'
import { worded } from './error-texts.ts'
import type { RequestLimits } from './limits.ts'
import { parseMediaType } from './media-type.ts'
import { checkBoundary, endsEarly, tooManyParts } from './multipart.ts'
import { type Found, MultipartScanner, PartStart } from './multipart-scanner.ts'
import { Part, PartContent, type PartSizes, type PartSource } from './part.ts'
import { type PartHeader, parsePartHeader } from './part-header.ts'
import { type StreamedBody, streamBody } from './request-body.ts'
import { HTTPBadRequest, HTTPRequestEntityTooLarge, HTTPUnsupportedMediaType } from './status-exceptions.ts'

/** Limits of {@link Request.parts}. Exceeding one of them is 413. Infinity is no limit. */
export interface PartLimits {
  /** Size of a text field, in bytes. Defaults to {@link RequestLimits.field}: 1 MiB. */
  readonly part?: number
  /** Size of a file, in bytes. Defaults to 1 GiB. */
  readonly file?: number
  /** Number of parts. Defaults to {@link RequestLimits.fields}: 1000. */
  readonly parts?: number
  /** Size of the whole form, in bytes. Defaults to `file` and {@link RequestLimits.multipart} together. */
  readonly total?: number
}

const DEFAULT_FILE = 1024 * 1024 * 1024

interface Limits extends Required<PartLimits> {
  /** Size of a file in memory. */
  readonly held: number
}

function limitsOf(given: PartLimits, own: RequestLimits): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (name !== 'part' && name !== 'file' && name !== 'parts' && name !== 'total') {
      throw new TypeError(`parts() received the limit "${name}". Use part, file, parts and total.`)
    }
    if (value !== undefined && !(typeof value === 'number' && value >= 0)) {
      throw new TypeError(
        `parts() received ${describeValue(value)} for the limit "${name}". Give a number from 0, or Infinity.`,
      )
    }
  }
  const { part = own.field, file = DEFAULT_FILE, parts = own.fields } = given
  return { part, file, parts, total: given.total ?? file + own.multipart, held: given.file ?? own.file }
}

/**
 * Opens the form of a request. See {@link Request.parts}.
 *
 * @param own - limits of the request.
 * @param given - limits of the call.
 */
export function openParts(
  environ: Environ,
  own: RequestLimits,
  given: PartLimits,
): AsyncGenerator<Part, void, undefined> {
  const limits = limitsOf(given, own)
  const scanner = new MultipartScanner(boundaryOf(environ), {
    header: own.partHeader,
    Refusal: HTTPBadRequest,
  })
  const body = streamBody(environ, limits.total)
  return readParts(scannedBody(body.pieces, scanner, limits.total), body, limits)
}

async function* readParts(
  source: PartSource,
  body: StreamedBody,
  limits: Limits,
): AsyncGenerator<Part, void, undefined> {
  let content: PartContent | undefined
  let count = 0
  try {
    for (let found = await source.next(); found !== 'end'; found = await source.next()) {
      if (!(found instanceof PartStart)) continue
      count += 1
      if (count > limits.parts) throw tooManyParts(limits.parts)
      const header = parsePartHeader(found.header)
      content = new PartContent(header, source, body, sizesOf(header, limits))
      if (await content.isEmptyInput()) continue
      yield new Part(content)
      await content.finish()
      body.release()
    }
  } finally {
    content?.leave()
    // Not awaited: it waits for the client if a part is being read.
    body.pieces.return?.()
  }
}

function sizesOf({ filename }: PartHeader, { part, file, held }: Limits): PartSizes {
  return filename === undefined ? { all: part, held: part } : { all: file, held: Math.min(held, file) }
}

function boundaryOf(environ: Environ): string {
  const sent = environ.CONTENT_TYPE ?? ''
  const type = parseMediaType(sent)
  if (type?.essence === 'multipart/form-data') return checkBoundary(type.parameters.boundary)
  const shown = sent === '' ? 'none' : JSON.stringify(sent.slice(0, 100))
  const headers = { Accept: 'multipart/form-data' }
  throw worded(HTTPUnsupportedMediaType, 'propylon.form.type', { type: shown }, { headers })
}

/** Returns what a scanner finds in the pieces of a body. */
function scannedBody(
  pieces: AsyncIterator<Uint8Array>,
  scanner: MultipartScanner,
  total: number,
): PartSource {
  let length = 0
  let failure: { readonly error: unknown } | undefined
  const scan = async (): Promise<Found> => {
    for (;;) {
      const found = scanner.next()
      if (found !== undefined) return found
      const { done, value } = await pieces.next()
      if (done === true) throw endsEarly()
      length += value.length
      if (length > total) {
        throw worded(HTTPRequestEntityTooLarge, 'propylon.form.tooLarge', { limit: total })
      }
      scanner.push(value)
    }
  }
  const fail = (error: unknown): never => {
    failure ??= { error }
    throw failure.error
  }
  return {
    next: async () => (failure === undefined ? await scan().catch(fail) : fail(failure.error)),
    fail,
  }
}
