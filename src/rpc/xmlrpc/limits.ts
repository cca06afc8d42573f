/** Limits of a document. A document that exceeds one is refused. */
export interface Limits {
  /** Length of the document, in bytes, or in UTF-16 code units if it is a string. Default 32 MiB. */
  readonly maxLength: number
  /** Depth of nested arrays and structs. Default 64. */
  readonly maxDepth: number
  /** Number of elements in the document. Default 1,000,000. */
  readonly maxElements: number
  /** Length of one string, name or base64 text, in UTF-16 code units. Default 16 Mi. */
  readonly maxTextLength: number
}

/** Limits that apply if the options of a call do not set them. */
export const DEFAULT_LIMITS: Limits = {
  maxLength: 32 * 1024 * 1024,
  maxDepth: 64,
  maxElements: 1_000_000,
  maxTextLength: 16 * 1024 * 1024,
}
