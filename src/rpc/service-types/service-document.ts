/** A parameter, as a document describes it. */
export interface DescribedParameter {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  /** JSON Schema; undefined if any value is allowed. */
  readonly schema: unknown
}

/** A procedure, as a document describes it. */
export interface DescribedProcedure {
  readonly name: string
  /** Documentation without parameters; '' if there is none. */
  readonly help: string
  /** Parameters in the order in which they are passed by position. */
  readonly parameters: readonly DescribedParameter[]
  /** Whether parameters can be passed by name only. */
  readonly isNamedOnly: boolean
  /** JSON Schema of the result; undefined if it may be any value. */
  readonly result: unknown
}

/** The content of an OpenRPC or OpenAPI document, as far as calls need it. */
export interface ServiceDocument {
  readonly format: 'OpenRPC' | 'OpenAPI'
  readonly procedures: readonly DescribedProcedure[]
  /** Operations that are not calls by POST with a JSON object: `GET /pets/{id}`. */
  readonly others: readonly string[]
  /** URL of the service, relative to the URL of the document; undefined if the document does not state it. */
  readonly server: string | undefined
  /** The parsed document, which references in schemas refer to. */
  readonly source: unknown
}
