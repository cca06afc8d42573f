/** The option `openapi` of `FrameworkApp`. */
import type { SecurityRequirements } from '../../controllers/action-description.ts'

/** A member of an OpenAPI document, as the specification defines it. */
export interface OpenAPIObject {
  readonly [member: string]: unknown
}

/** Options of the OpenAPI document. All but `path` and `page` are members of the document. */
export interface OpenAPIOptions {
  /** Title of the API. */
  readonly title: string
  /** Version of the API, such as `'1.0.0'`. */
  readonly version: string
  /** Path of the document. Default `/openapi.json`. */
  readonly path?: string
  /**
   * Whether the document has a page for people, at its path without `.json`. Requires the package `swagger-ui-dist`. Default:
   * in debug mode.
   */
  readonly page?: boolean
  /** Description of the API, in Markdown. Default: a sentence with the title. */
  readonly description?: string
  /** `{ name, identifier }` with an SPDX expression, or `{ name, url }`. */
  readonly license?: OpenAPIObject
  /** `{ name, url, email }`. */
  readonly contact?: OpenAPIObject
  /** URL of the terms of service. */
  readonly termsOfService?: string
  /** Servers, written as they are: `[{ url: 'https://api.example' }]`. Default: the mount point of the application. */
  readonly servers?: readonly OpenAPIObject[]
  /** Security schemes that every operation requires, unless `static security` of the class says otherwise. Default: none. */
  readonly security?: SecurityRequirements
  /** Security schemes by name: `{ bearer: { type: 'http', scheme: 'bearer' } }`. */
  readonly securitySchemes?: Readonly<Record<string, OpenAPIObject>>
  /** Tags with descriptions. The tag of an operation is the name of its controller. Default: a tag for each controller. */
  readonly tags?: readonly (OpenAPIObject & { readonly name: string })[]
}
