import { type Environ, HTTPException, type Response } from 'propylon'

/** An HTTP exception with a page of this site as its body. */
export class Refusal extends HTTPException {
  readonly #page: string

  /**
   * @param statusLine - for instance `404 Not Found`.
   * @param page - the HTML.
   */
  constructor(statusLine: string, page: string, headers?: Readonly<Record<string, string>>) {
    super(Number.parseInt(statusLine, 10), undefined, headers, { statusLine })
    this.#page = page
  }

  override toResponse(environ: Environ): Response {
    const response = super.toResponse(environ)
    response.body = this.#page
    response.contentType = 'text/html; charset=utf-8'
    return response
  }
}
