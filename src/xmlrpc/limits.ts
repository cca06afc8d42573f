/** How much a document may hold before it is refused. */
export interface Limits {
  /** The document's length, in bytes (in UTF-16 code units when it is given as a string). Default 32 MiB. */
  readonly maxLength: number
  /** How deep arrays and structs nest. Default 64. */
  readonly maxDepth: number
  /** How many elements the document has. Default 1,000,000. */
  readonly maxElements: number
  /** The length of one text, in UTF-16 code units: a string, a name, a base64. Default 16 Mi. */
  readonly maxTextLength: number
}

export const DEFAULT_LIMITS: Limits = {
  maxLength: 32 * 1024 * 1024,
  maxDepth: 64,
  maxElements: 1_000_000,
  maxTextLength: 16 * 1024 * 1024,
}
