import { isRead } from '../../base/methods.ts'
import { rawPathInfo } from '../../wsgi/request-url.ts'
import type { WSGIApplication } from '../../wsgi/types.ts'
import { formatCacheControl } from '../cache-control.ts'
import { hasCompressor } from '../compression.ts'
import {
  acceptedCodings,
  type ContentCoding,
  isCompressible,
  MIN_COMPRESSED_LENGTH,
} from '../content-coding.ts'
import { Request } from '../request.ts'
import type { Response } from '../response.ts'
import { CompressedContents } from './compressed-content.ts'
import { entityTagOfFile, fingerprintOf } from './content-hash.ts'
import { Directory } from './directory.ts'
import { directoryPath } from './directory-path.ts'
import { fileNameOf } from './file-name.ts'
import { beginResponse, fileResponse } from './file-response.ts'
import { contentTypeOf } from './media-type.ts'
import { refusalOf } from './methods.ts'
import type { OpenFile } from './open-file.ts'

/** Name endings of files that are compressed already. */
const ENDINGS: Readonly<Record<ContentCoding, string>> = { br: '.br', zstd: '.zst', gzip: '.gz' }

/**
 * A compressed file is outdated if its source was modified later by more than this, in milliseconds. A deployment may write
 * both in any order.
 */
const TOLERANCE = 2000

/** The fingerprint in a query. Other values of `v` are ignored, so that no file is read for them. */
const FINGERPRINT = /(?:^|&)v=([0-9a-f]{16})(?:&|$)/

/** A path whose query has the right fingerprint never has another content. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Options of {@link staticFiles}. */
export interface StaticFilesOptions {
  /**
   * Time for which browsers and caches use a file without a check whether it has changed, in seconds. Default 0: they check
   * each time, and receive 304 if it has not.
   */
  readonly maxAge?: number
}

/**
 * Returns an application that serves the files of a directory, to be mounted at `/static/{path_info:.*}`.
 *
 * Only GET and HEAD are allowed (405). A path is 404 if it leads to a directory, to a dot file, or out of the directory, also
 * by a symbolic link. Responses have `ETag` and `Last-Modified`; conditions, If-Range and ranges are honoured. Memory does
 * not grow with the size of a file.
 *
 * A client that accepts it receives `app.css.br`, `.zst` or `.gz` instead of `app.css`, if there is one. Otherwise text over
 * 1 KiB is compressed when it is sent. A request for a range receives the file as it is.
 *
 * @param directory - a `file:` URL, or a path from the working directory.
 * @throws Error - the directory does not exist, or is not a directory.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { staticFiles } from 'propylon/files'
 *
 * export default new FrameworkApp({
 *   map: new Mapper().connect('/manual/{path_info:.*}', { controller: 'manual' }),
 *   controllers: { manual: staticFiles(new URL('./manual/', import.meta.url)) },
 * })
 * ```
 */
export function staticFiles(directory: URL | string, options: StaticFilesOptions = {}): WSGIApplication {
  const path = directoryPath(directory)
  const files = new StaticFiles(path, options)
  return async (environ, start_response) => {
    const response = await files.respond(Request.of(environ), rawPathInfo(environ))
    return (response ?? refusalOf(environ.REQUEST_METHOD)).send(environ, start_response)
  }
}

/** The files of a directory, as responses. */
export class StaticFiles {
  readonly #directory: Directory
  readonly #cacheControl: string
  readonly #compressed = new CompressedContents()

  /** @param path - absolute path of the directory. */
  constructor(path: string, { maxAge = 0 }: StaticFilesOptions = {}) {
    this.#directory = new Directory(path)
    this.#cacheControl = maxAge === 0 ? 'no-cache' : formatCacheControl({ public: true, maxAge })
  }

  /**
   * Returns the response for a percent-encoded path, or `undefined` if there is no such file or the method is neither GET
   * nor HEAD.
   *
   * @throws Error - the file cannot be read.
   */
  async respond(request: Request, rawPath: string): Promise<Response | undefined> {
    const name = isRead(request.method) ? fileNameOf(rawPath) : undefined
    const file = name === undefined ? undefined : await this.#directory.open(name)
    if (name === undefined || file === undefined) return undefined
    try {
      return await this.#respondWith(request, name, file)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async #respondWith(request: Request, name: string, file: OpenFile): Promise<Response> {
    const contentType = contentTypeOf(name)
    const headers: Record<string, string> = {
      'Content-Type': contentType,
      'Cache-Control': await this.#cacheControlOf(request, file),
    }
    if (!isCompressible(contentType)) return fileResponse(request, file, headers)
    headers.Vary = 'Accept-Encoding'
    // Ranges count the bytes of the file itself: a client may not know which coding its first part had.
    if (request.headers.has('range')) return fileResponse(request, file, headers)
    const codings = acceptedCodings(request.headers.get('accept-encoding'))
    const made = await this.#openCompressed(name, file, codings)
    if (made !== undefined) {
      await file.close()
      return fileResponse(request, made.file, { ...headers, 'Content-Encoding': made.coding })
    }
    const coding = codings.find(hasCompressor)
    if (coding === undefined || file.size <= MIN_COMPRESSED_LENGTH)
      return fileResponse(request, file, headers)
    const fields = { ...headers, 'Content-Encoding': coding }
    const etag = await entityTagOfFile(file)
    const response = beginResponse(request, file, etag.replace(/"$/, `-${coding}"`), fields)
    if (response.status === 200) response.body = await this.#compressed.of(file, etag, coding)
    else await file.close()
    return response
  }

  /** Opens the compressed file beside a file in the first coding for which there is one that is not outdated. */
  async #openCompressed(name: string, source: OpenFile, codings: readonly ContentCoding[]) {
    for (const coding of codings) {
      const file = await this.#directory.open(name + ENDINGS[coding])
      if (file === undefined) continue
      if (file.modified.getTime() + TOLERANCE >= source.modified.getTime()) return { file, coding }
      await file.close()
    }
    return undefined
  }

  async #cacheControlOf(request: Request, file: OpenFile): Promise<string> {
    const [, given] = FINGERPRINT.exec(request.environ.QUERY_STRING) ?? []
    if (given === undefined) return this.#cacheControl
    return given === (await fingerprintOf(file)) ? IMMUTABLE : this.#cacheControl
  }
}
