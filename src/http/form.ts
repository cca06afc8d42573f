/**
 * Submitted forms, urlencoded and multipart.
 *
 * @module
 */

import type { FormFile } from './form-file.ts'
import type { RequestLimits } from './limits.ts'
import type { MediaType } from './media-type.ts'
import { parseMultipart } from './multipart.ts'
import { parsePairs, QueryParams, TooManyFieldsError } from './query.ts'
import { decodeForm } from './request-body.ts'
import { type HTTPBadRequest, HTTPRequestEntityTooLarge } from './status-exceptions.ts'

/** A form's text fields, and the files that came with them. */
export class Form extends QueryParams {
  /** The files in the order in which they were sent. A file input that was left empty is not among them. */
  readonly files: readonly FormFile[]

  constructor(
    fields: Iterable<readonly [name: string, value: string]> = [],
    files: readonly FormFile[] = [],
  ) {
    super(fields)
    this.files = files
  }

  /** The first file of a field. */
  file(name: string): FormFile | undefined {
    return this.files.find((file) => file.name === name)
  }
}

/** Whether a body of this type is a form. */
export function isForm(type: MediaType | undefined): boolean {
  return type?.essence === 'application/x-www-form-urlencoded' || type?.essence === 'multipart/form-data'
}

/**
 * Reads a form.
 *
 * @throws HTTPBadRequest when a multipart body is malformed, HTTPRequestEntityTooLarge when a limit is exceeded,
 *   HTTPUnsupportedMediaType when a charset is unknown.
 */
export function parseForm(bytes: Uint8Array, type: MediaType, limits: RequestLimits): Form {
  if (type.essence === 'multipart/form-data') {
    const { fields, files } = parseMultipart(bytes, type.parameters.boundary, limits)
    return new Form(fields, files)
  }
  const { text, encoding } = decodeForm(bytes, type.parameters.charset ?? 'utf-8')
  return limitFields(
    () => new Form(parsePairs(text, { maxFields: limits.fields, charset: encoding })),
    HTTPRequestEntityTooLarge,
  )
}

/** Reads fields and turns there being too many of them into the client's error. */
export function limitFields<T>(
  read: () => T,
  Refusal: typeof HTTPRequestEntityTooLarge | typeof HTTPBadRequest,
): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof TooManyFieldsError)) throw cause
    throw new Refusal(`The request has ${cause.message}.`, undefined, { cause })
  }
}
