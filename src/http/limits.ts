/**
 * Limits on the size of requests.
 *
 * @module
 */
import { requireLimit } from '../base/limit.ts'

/** Limits on the body and query of a request. Sizes are in bytes. Exceeding one of them is 413, unless noted. */
export interface RequestLimits {
  /** Size of a body other than multipart, before and after decompression. Defaults to 1 MiB. */
  readonly body: number
  /** Size of a multipart body, which is held in memory. Defaults to 16 MiB. */
  readonly multipart: number
  /** Size of an uploaded file. Defaults to 8 MiB. */
  readonly file: number
  /** Size of a text field of a multipart form. Defaults to 1 MiB. */
  readonly field: number
  /**
   * Number of fields of a form, or of parts of a multipart form; for a query, exceeding it is 400. Defaults to 1000.
   */
  readonly fields: number
  /**
   * Size of the header of a multipart part. Defaults to 8 KiB. The headers of all parts together may have 64 times
   * that.
   */
  readonly partHeader: number
  /** Nesting depth of JSON. Exceeding it is 400. Defaults to 100. */
  readonly depth: number
}

/**
 * Returns limits with some of them changed. An undefined one stays as it is.
 *
 * @throws RangeError - a limit is not a number, or below 0.
 */
export function changedLimits(limits: RequestLimits, changes: Partial<RequestLimits>): RequestLimits {
  const given = Object.entries(changes).filter(([, limit]) => limit !== undefined)
  for (const [name, limit] of given) requireLimit(`The limit ${JSON.stringify(name)} of the request`, limit)
  return { ...limits, ...Object.fromEntries(given) }
}

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

/** Default limits of a request. */
export const DEFAULT_LIMITS: RequestLimits = Object.freeze({
  body: MEBIBYTE,
  multipart: 16 * MEBIBYTE,
  file: 8 * MEBIBYTE,
  field: MEBIBYTE,
  fields: 1000,
  partHeader: 8 * KIBIBYTE,
  depth: 100,
})
