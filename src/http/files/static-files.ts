import { describeValue } from '../../base/describe.ts'
import { isRead } from '../../base/methods.ts'
import { RecentMap } from '../../base/recent-map.ts'
import { checkNames } from '../../base/suggest.ts'
import { rawPathInfo, rawScriptName } from '../../wsgi/request-url.ts'
import type { WSGIApplication } from '../../wsgi/types.ts'
import { formatCacheControl } from '../cache-control.ts'
import {
  acceptedCodings,
  ChunkCompressor,
  type ContentCoding,
  compressWell,
  hasCompressor,
  isCompressible,
  MIN_COMPRESSED_LENGTH,
} from '../compression.ts'
import { errorMediaTypeFor } from '../formats.ts'
import { Request } from '../request.ts'
import { Response } from '../response.ts'
import { Directory, directoryPath, fileNameOf, isServedName, refusalOf } from './directory.ts'
import { beginResponse, contentTypeOf, fileResponse } from './file-response.ts'
import { entityTagOfFile, fingerprintOf } from './fingerprints.ts'
import type { FileStream, OpenFile } from './open-file.ts'

/** The fingerprint in a query. Other values of `v` are ignored, so that no file is read for them. */
const FINGERPRINT = /(?:^|&)v=([0-9a-f]{16})(?:&|$)/

/** A path whose query has the right fingerprint never has another content. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Options of {@link staticFiles}. */
export interface StaticFilesOptions {
  /**
   * Time for which browsers and caches use a file without a check whether it has changed, in seconds. Default 0: they
   * check each time, and receive 304 if it has not.
   */
  readonly maxAge?: number
  /**
   * File that answers for a directory: `/guide/` is `guide/index.html`, and `/guide` is redirected to `/guide/`. True
   * means `index.html`. Default false: directories are 404.
   */
  readonly index?: boolean | string
  /**
   * File that answers GET and HEAD of pages that no file has, for a front end that routes by itself: the client accepts
   * HTML, and the last part of the path has no dot.
   */
  readonly fallback?: string
}

/**
 * Returns an application that serves the files of a directory, to be mounted at `/static/{path_info:.*}`.
 *
 * Only GET and HEAD are allowed (405). A path is 404 if it leads to a directory without `index`, to a dot file outside
 * `.well-known/`, or out of the directory, also by a symbolic link. Responses have `ETag` and `Last-Modified`;
 * conditions, If-Range and ranges are honoured. Memory does not grow with the size of a file.
 *
 * Text over 1 KiB is compressed for a client that accepts it. A request for a range receives the file as it is.
 *
 * @see docs/guides/files.md
 * @param directory - a `file:` URL, or a path from the working directory.
 * @throws Error - the directory does not exist, or is not a directory.
 * @throws TypeError - an option is unknown or wrong.
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
  readonly #index: string | undefined
  readonly #fallback: string | undefined
  readonly #compressed = new CompressedContents()

  /** @param path - absolute path of the directory. */
  constructor(path: string, options: StaticFilesOptions = {}) {
    checkNames('staticFiles()', options, 'maxAge index fallback')
    const { maxAge = 0, index = false } = options
    this.#directory = new Directory(path)
    this.#cacheControl = maxAge === 0 ? 'no-cache' : formatCacheControl({ public: true, maxAge })
    this.#index = index === false ? undefined : checkedName('index', index === true ? 'index.html' : index)
    this.#fallback = options.fallback === undefined ? undefined : checkedName('fallback', options.fallback)
  }

  /**
   * Returns the response for a percent-encoded path, or `undefined` if there is no such file or the method is neither
   * GET nor HEAD.
   *
   * @throws Error - the file cannot be read.
   */
  async respond(request: Request, rawPath: string): Promise<Response | undefined> {
    if (!isRead(request.method)) return undefined
    return (
      (await this.#respondBy(request, fileNameOf(rawPath))) ??
      (await this.#indexOf(request, rawPath)) ??
      (isPage(request, rawPath) ? this.#respondBy(request, this.#fallback, ['Accept']) : undefined)
    )
  }

  /** Returns the page of a directory, or a redirect to its path with a slash, against which its links are relative. */
  async #indexOf(request: Request, rawPath: string): Promise<Response | undefined> {
    if (this.#index === undefined) return undefined
    const path = rawPath.replace(/\/?$/, '/')
    const name = fileNameOf(path + encodeURIComponent(this.#index))
    if (path === rawPath) return this.#respondBy(request, name, [])
    const file = name === undefined ? undefined : await this.#directory.open(name)
    if (file === undefined) return undefined
    await file.close()
    const { QUERY_STRING: query } = request.environ
    const last = `${rawScriptName(request.environ)}${path}`.split('/').at(-2)
    const headers = { Location: `./${last}/${query === '' ? '' : `?${query}`}` }
    return new Response(null, { status: 301, headers })
  }

  /**
   * Returns the response with a file, or `undefined` if there is none.
   *
   * @param vary - request fields by which the file was chosen for a path that is not its own. It is not to be kept
   *   without a check: another file may take the path.
   */
  async #respondBy(
    request: Request,
    name: string | undefined,
    vary?: readonly string[],
  ): Promise<Response | undefined> {
    const file = name === undefined ? undefined : await this.#directory.open(name)
    if (name === undefined || file === undefined) return undefined
    try {
      const cacheControl = vary === undefined ? await this.#cacheControlOf(request, file) : 'no-cache'
      return await this.#respondWith(request, name, file, cacheControl, vary)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async #respondWith(
    request: Request,
    name: string,
    file: OpenFile,
    cacheControl: string,
    vary: readonly string[] = [],
  ): Promise<Response> {
    const contentType = contentTypeOf(name)
    const coded = isCompressible(contentType)
    const fields = coded ? [...vary, 'Accept-Encoding'] : vary
    const headers: Record<string, string> = { 'Content-Type': contentType, 'Cache-Control': cacheControl }
    if (fields.length > 0) headers.Vary = fields.join(', ')
    if (!coded) return fileResponse(request, file, headers)
    // Ranges count the bytes of the file itself: a client may not know which coding its first part had.
    if (request.headers.has('range')) return fileResponse(request, file, headers)
    const coding = acceptedCodings(request.headers.get('accept-encoding')).find(hasCompressor)
    if (coding === undefined || file.size <= MIN_COMPRESSED_LENGTH) return fileResponse(request, file, headers)
    const etag = await entityTagOfFile(file)
    const codedTag = etag.replace(/"$/, `-${coding}"`)
    const response = beginResponse(request, file, codedTag, { ...headers, 'Content-Encoding': coding })
    if (response.status === 200) response.body = await this.#compressed.of(file, etag, coding)
    else await file.close()
    return response
  }

  async #cacheControlOf(request: Request, file: OpenFile): Promise<string> {
    const [, given] = FINGERPRINT.exec(request.environ.QUERY_STRING) ?? []
    if (given === undefined) return this.#cacheControl
    return given === (await fingerprintOf(file)) ? IMMUTABLE : this.#cacheControl
  }
}

/** @throws TypeError - the value is not the name of a file that is served. */
function checkedName(option: string, name: unknown): string {
  if (typeof name === 'string' && isServedName(name)) return name
  throw new TypeError(
    `staticFiles(): ${option} is ${describeValue(name)}. Write the name of a file in the directory, such as 'index.html'.`,
  )
}

/** Returns true for a client that accepts HTML and a path without a dot file and without an extension at its end. */
function isPage({ environ }: Request, rawPath: string): boolean {
  const last = rawPath.slice(rawPath.lastIndexOf('/') + 1)
  return errorMediaTypeFor(environ) === 'text/html' && !DOT.test(last) && !DOT_FILE.test(rawPath)
}

const DOT = /\.|%2e/i
const DOT_FILE = /\/(?:\.|%2e)/i

/** Longer files are compressed each time while they are sent. In bytes. */
const MAX_WHOLE = 1024 * 1024

/** Size of all results that are kept, in bytes. */
const MAX_KEPT = 16 * 1024 * 1024

interface Kept {
  readonly etag: string
  readonly bytes: Promise<Uint8Array>
}

/** Compressed contents of files, the last used ones. */
class CompressedContents {
  /** Results by coding and path. */
  readonly #kept = new RecentMap<Kept>({ size: MAX_KEPT })

  /**
   * Returns the compressed content of a file, and closes the file. The content of a short file is compressed once.
   *
   * @param etag - entity tag of the file as it is.
   */
  async of(file: OpenFile, etag: string, coding: ContentCoding): Promise<Uint8Array | FileStream> {
    if (file.size > MAX_WHOLE) return compressedStream(file.stream(), coding)
    const key = `${coding} ${file.path}`
    const kept = this.#kept.get(key)
    if (kept?.etag === etag) {
      await file.close()
      return kept.bytes
    }
    const bytes = file.bytes().then((content) => compressWell(content, coding))
    const made = { etag, bytes }
    this.#kept.set(key, made)
    try {
      const { length } = await bytes
      if (this.#kept.get(key) === made) this.#kept.set(key, made, length)
    } catch (error) {
      if (this.#kept.get(key) === made) this.#kept.delete(key)
      throw error
    }
    return bytes
  }
}

/**
 * Returns the content of a file, compressed chunk by chunk at the pace at which it is pulled. `close()` closes the
 * file.
 */
function compressedStream(source: FileStream, coding: ContentCoding): FileStream {
  let isClosed = false
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const compressor = new ChunkCompressor(coding)
    try {
      for await (const chunk of source) {
        const output = await compressor.write(chunk)
        if (isClosed) return
        yield output
      }
      if (!isClosed) yield await compressor.end(new Uint8Array(0))
    } finally {
      compressor.close()
    }
  }
  return {
    [Symbol.asyncIterator]: chunks,
    close() {
      isClosed = true
      return source.close()
    },
  }
}
