/**
 * Submitted forms, urlencoded and multipart.
 *
 * @module
 */

import type { RequestLimits } from '../limits.ts'
import type { MediaType } from '../media-type.ts'
import { limitFields, parsePairs, QueryParams } from '../query.ts'
import { HTTPRequestEntityTooLarge } from '../status-exceptions.ts'
import { decodeForm } from './body.ts'
import type { FormFile } from './files.ts'

/**
 * The text fields and the files of a form.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 *
 * export class UsersController extends WSGIController {
 *   async create() {
 *     const form = await this.request.form()
 *     return `${form.get('name') ?? ''} sent ${form.files.length} files`
 *   }
 * }
 * ```
 */
export class Form extends QueryParams {
  /** The files, in the order in which they were sent. Empty file inputs are omitted. */
  readonly files: readonly FormFile[]

  constructor(fields: Iterable<readonly [name: string, value: string]> = [], files: readonly FormFile[] = []) {
    super(fields)
    this.files = files
  }

  /** Returns the first file of a field, or `undefined`. */
  file(name: string): FormFile | undefined {
    return this.files.find((file) => file.name === name)
  }
}

/** Returns true if a body of this type is a form. */
export function isForm(type: MediaType | undefined): boolean {
  return type?.essence === 'application/x-www-form-urlencoded' || type?.essence === 'multipart/form-data'
}

/**
 * Parses a form. Returns a promise for a multipart form, whose parser is loaded on first use.
 *
 * @throws HTTPBadRequest - a multipart body is malformed.
 * @throws HTTPRequestEntityTooLarge - a limit is exceeded.
 * @throws HTTPUnsupportedMediaType - a charset is unknown.
 */
export function parseForm(bytes: Uint8Array, type: MediaType, limits: RequestLimits): Form | Promise<Form> {
  if (type.essence === 'multipart/form-data') {
    return import('./multipart.ts').then(({ collectForm }) => {
      const { fields, files } = collectForm(bytes, type.parameters.boundary, limits)
      return new Form(fields, files)
    })
  }
  const { text, encoding } = decodeForm(bytes, type.parameters.charset ?? 'utf-8')
  return limitFields(
    limits.fields,
    (maxFields) => new Form(parsePairs(text, { maxFields, charset: encoding })),
    HTTPRequestEntityTooLarge,
  )
}
