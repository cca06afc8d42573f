import type { StandardSchemaV1 } from '@standard-schema/spec'
import { abort, WSGIController } from 'propylon'
import { wantsPage } from './accepting.ts'
import { readForm } from './form.ts'
import { Refusal } from './refusal.ts'

/** Allows only the site's own stylesheet and form actions, and the icon. Forbids scripts and frames. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Values of a template, by name. */
type Values = Readonly<Record<string, unknown>>

/** Base class of the controllers. Its methods start with an underscore, so they are not actions. */
export class BaseController extends WSGIController {
  /** Renders a page and sets the security headers. */
  override render(template: string, values: Values = {}): string | Promise<string> {
    const { headers } = this.response
    headers.set('content-security-policy', CONTENT_SECURITY_POLICY)
    headers.set('x-content-type-options', 'nosniff')
    headers.set('referrer-policy', 'same-origin')
    return super.render(template, values)
  }

  /**
   * Reads the request's form and validates it.
   *
   * @param schema - a schema of any library that implements Standard Schema.
   * @param template - the page of the form, which browsers receive if the form is invalid. `it.typed` has the values of
   *   the text fields except the password, `it.errors` the messages, both by field.
   * @throws HTTPException - `400 Bad Request -- name: must be given; …` if the form is invalid; 415 if the body is not a
   *   form.
   */
  async _form<Output>(
    schema: StandardSchemaV1<unknown, Output>,
    template: string,
    values: Values = {},
  ): Promise<Output> {
    const form = await readForm(this.request, schema)
    if (form.valid) return form.values
    const { message, typed, errors } = form
    return this._refuse(`400 Bad Request -- ${message}`, template, { ...values, typed, errors })
  }

  /**
   * Ends the request with an error status. Browsers receive a page with the status line in `it.status`, other clients
   * only the status line.
   *
   * @throws HTTPException - always.
   */
  async _refuse(
    status: string,
    template: string,
    values: Values,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<never> {
    if (!wantsPage(this.request)) abort(status, undefined, headers)
    throw new Refusal(status, await this.render(template, { ...values, status }), headers)
  }
}
