/**
 * How much of a request is read.
 *
 * @module
 */

/** Limits on what a {@link Request} reads; sizes are bytes. What exceeds one is answered with 413 Content Too Large. */
export interface RequestLimits {
  /** A body other than multipart, after decompression; default 1 MiB. */
  readonly body: number
  /** A multipart body as a whole; default 16 MiB. It is held in memory, so this bounds what one request takes. */
  readonly multipart: number
  /** One uploaded file; default 8 MiB. */
  readonly file: number
  /** One text field of a multipart form; default 1 MiB. */
  readonly field: number
  /** The fields of a query or a form, and the parts of a multipart body; default 1000. */
  readonly fields: number
  /** The header of one part of a multipart body; default 8 KiB. */
  readonly partHeader: number
  /** How deep arrays and objects of JSON may lie within each other; default 100. What is deeper gets 400 Bad Request. */
  readonly depth: number
}

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

/** The limits of a request that was given no others. */
export const DEFAULT_LIMITS: RequestLimits = Object.freeze({
  body: MEBIBYTE,
  multipart: 16 * MEBIBYTE,
  file: 8 * MEBIBYTE,
  field: MEBIBYTE,
  fields: 1000,
  partHeader: 8 * KIBIBYTE,
  depth: 100,
})
