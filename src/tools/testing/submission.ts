/**
 * Encodes a form's entries to the request that a browser sends (HTML §4.10.22.3).
 *
 * @module
 */

import type { Entry } from './controls.ts'
import { type EncodedBody, encodeBody, encodeFields, NO_BODY } from './encode-body.ts'
import { encodeMultipart, withCrlf } from './multipart.ts'

/** The attributes and entries of a submitted form. */
export interface SubmissionInit {
  /** `GET` or `POST`. */
  readonly method: 'GET' | 'POST'
  readonly action: URL
  readonly enctype: string
  readonly entries: readonly Entry[]
}

/** The request that submits a form. */
export interface Submission {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly body: EncodedBody
}

/** Creates the request: the query of a GET is replaced, a POST is urlencoded, multipart or plain text. */
export async function submissionOf(init: SubmissionInit): Promise<Submission> {
  const url = new URL(init.action)
  url.hash = ''
  const { method } = init
  if (method === 'GET') {
    url.search = encodeFields(textEntries(init.entries))
    return { method, url, body: NO_BODY }
  }
  return { method, url, body: await encodeEntries(init.enctype, init.entries) }
}

async function encodeEntries(enctype: string, entries: readonly Entry[]): Promise<EncodedBody> {
  if (enctype === 'multipart/form-data') return encodeMultipart(entries)
  const fields = textEntries(entries)
  if (enctype === 'text/plain') {
    const text = fields.map(([name, value]) => `${name}=${value}\r\n`).join('')
    return { content: new TextEncoder().encode(text), contentType: 'text/plain' }
  }
  return encodeBody(fields)
}

/** Returns the entries as text: a file by its name, line ends as CRLF. */
function textEntries(entries: readonly Entry[]): [name: string, value: string][] {
  return entries.map(([name, value]) => [
    withCrlf(name),
    withCrlf(typeof value === 'string' ? value : value.name),
  ])
}
