/**
 * `sendFile`: a response with the content of one file.
 *
 * @module
 */

import { create } from 'content-disposition'
import { builtin } from '../../base/builtin.ts'
import { filePathOf } from '../../base/files.ts'
import { formatCacheControl } from '../cache-control.ts'
import type { Request } from '../request.ts'
import type { Response } from '../response.ts'
import { HTTPNotFound } from '../status-exceptions.ts'
import { contentTypeOf, fileResponse } from './file-response.ts'
import { OpenFile } from './open-file.ts'

/** Options of {@link sendFile}. */
export interface SendFileOptions {
  /** Name under which the browser saves the file. May contain any characters. Default: the last part of the path. */
  readonly filename?: string
  /** Whether the browser saves the file instead of showing it. Default `false`. */
  readonly attachment?: boolean
  /** The Content-Type. Default: the type for the extension of `filename`, else of the path. */
  readonly contentType?: string
  /**
   * Time for which the browser uses the file without a check whether it has changed, in seconds. Default 0: it checks
   * each time, and receives 304 if it has not. Shared caches store the file only if you set `response.cacheControl`.
   */
  readonly maxAge?: number
}

/**
 * Returns a response with the content of a file, which is streamed if it is long.
 *
 * Conditions (`If-None-Match`, `If-Modified-Since`, …), `If-Range` and a range are honoured, and a HEAD is answered
 * without reading the file. The path is not checked: never build it from a client's text without looking that up first.
 *
 * @see docs/guides/files.md
 * @param path - a `file:` URL, or a path from the working directory.
 * @throws HTTPNotFound - there is no regular file. An action need not catch it.
 * @throws Error - the file cannot be read.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { sendFile } from 'propylon/files'
 *
 * export class InvoicesController extends WSGIController {
 *   show() {
 *     const file = new URL('../var/invoice-7.pdf', import.meta.url)
 *     return sendFile(this.request, file, { filename: 'Übersicht.pdf', attachment: true })
 *   }
 * }
 * ```
 */
export async function sendFile(request: Request, path: URL | string, options: SendFileOptions = {}): Promise<Response> {
  const headers = headersOf(path, options)
  const file = await OpenFile.open(filePathOf(path))
  if (file === undefined) throw new HTTPNotFound()
  try {
    return await fileResponse(request, file, headers)
  } catch (error) {
    await file.close()
    throw error
  }
}

function headersOf(path: URL | string, options: SendFileOptions): Record<string, string> {
  const { attachment = false, maxAge = 0 } = options
  const name = options.filename || builtin('node:path').basename(filePathOf(path))
  const headers: Record<string, string> = {
    'Content-Type': options.contentType ?? contentTypeOf(name),
    'Cache-Control': maxAge === 0 ? 'no-cache' : formatCacheControl({ private: true, maxAge }),
  }
  if (attachment || options.filename !== undefined) {
    headers['Content-Disposition'] = disposition(attachment ? 'attachment' : 'inline', name)
  }
  return headers
}

/** Formats Content-Disposition (RFC 6266). A name that is not ASCII is sent in both forms (RFC 8187). */
function disposition(type: 'attachment' | 'inline', name: string): string {
  return create(name.toWellFormed().replace(/\p{Cc}/gu, '_'), { type })
}
