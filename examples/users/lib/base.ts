import type { StandardSchemaV1 } from '@standard-schema/spec'
import { abort, WSGIController } from 'propylon'
import { wantsPage } from './accepting.ts'
import { readForm } from './form.ts'
import { Refusal } from './refusal.ts'
import { stylesheet } from './stylesheet.ts'

/** Pages need nothing but their stylesheet and their icon, and nobody else's page may frame them. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What a template or a header list is given. */
type Values = Readonly<Record<string, unknown>>

/** What the controllers of this application have in common. The underscores keep its methods from URLs. */
export class BaseController extends WSGIController {
  /** Renders a page within the layout, with the headers that keep it safe. */
  override render(template: string, values: Values = {}): string | Promise<string> {
    const { headers } = this.response
    headers.set('content-security-policy', CONTENT_SECURITY_POLICY)
    headers.set('x-content-type-options', 'nosniff')
    headers.set('referrer-policy', 'same-origin')
    const { version } = stylesheet(this.app.debug)
    return super.render(template, { stylesheet: this.url('stylesheet', { v: version }), ...values })
  }

  /**
   * The request's form, checked by a schema: anything that speaks Standard Schema.
   *
   * @param template - the page with the form, which a browser gets again when the form does not validate: with what
   *   was typed in `it.typed` (no password) and with what is wrong in `it.errors`, both by field.
   * @throws HTTPException `400 Bad Request -- name: must be given; …` when it does not validate; 415 when there is no
   *   form but something else.
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
   * Ends the request: a browser sees a page of this site, which has the status line in `it.status`; anybody else reads
   * the bare status line.
   *
   * @throws HTTPException always.
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
