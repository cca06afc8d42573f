/**
 * The option `public`: static files of an application, and their URLs with fingerprints.
 *
 * @module
 */

import { isRead } from '../base/methods.ts'
import { shownPlaces } from '../base/place.ts'
import { checkNames, similarPath } from '../base/suggest.ts'
import { type Application, EXCEPTION_RESPONSE } from '../controllers/application.ts'
import { directoryPath, refusalOf } from '../http/files/directory.ts'
import { AssetFingerprints } from '../http/files/fingerprints.ts'
import type { StaticFiles } from '../http/files/static-files.ts'
import { Request } from '../http/request.ts'
import type { Response } from '../http/response.ts'
import { onThisHost } from '../routing/percent.ts'
import { rawPathInfo } from '../wsgi/request-url.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import { AssetNotFound } from './loading-errors.ts'

/** The `public` option of an application: a directory, or a directory and the prefix of its URLs. */
export type PublicFilesOption = URL | string | PublicFilesSettings

/** A directory of public files and the prefix of their URLs. */
export interface PublicFilesSettings {
  /** A `file:` URL, or a path from the working directory. */
  readonly directory: URL | string
  /** Path below which the files are served. Default `/static`. With `''` they are served at the root only. */
  readonly prefix?: string
}

type ErrorResponses = Pick<Application, 'debug' | typeof EXCEPTION_RESPONSE | 'showsErrors'>

const PREFIX = /^(?:\/[\w~-][\w.~-]*)*$/

/**
 * The public files of an application.
 *
 * Paths below the prefix belong to the files. At the root a file is served if no route matches, for `/favicon.ico` and
 * `/robots.txt`.
 */
export class PublicFiles {
  readonly #application: ErrorResponses
  readonly #fallback: WSGIApplication | undefined
  readonly #prefix: string
  readonly #fingerprints: AssetFingerprints
  #files: Promise<StaticFiles> | undefined

  /**
   * @param fallback - serves the paths below the prefix that name no file. Undefined: they are 404 or 405.
   * @throws Error - the directory does not exist, or the runtime has no file system.
   * @throws TypeError - the prefix is malformed.
   */
  constructor(option: PublicFilesOption, application: ErrorResponses, fallback: WSGIApplication | undefined) {
    const isDirectory = typeof option === 'string' || option instanceof URL
    if (!isDirectory) checkNames('FrameworkApp({ public })', option, 'directory prefix')
    const { directory, prefix = '/static' } = isDirectory ? { directory: option } : option
    const trimmed = prefix.replace(/\/$/, '')
    if (!PREFIX.test(trimmed)) {
      throw new TypeError(
        `FrameworkApp: the prefix of public is ${JSON.stringify(prefix)}. Write a path such as '/static', of letters, digits and - . _ ~, or '' for the root.`,
      )
    }
    this.#application = application
    this.#fallback = fallback
    this.#prefix = trimmed
    this.#fingerprints = new AssetFingerprints(directoryPath(directory), { follows: application.debug })
  }

  /**
   * Returns the URL of a file with its fingerprint. Its content never changes: it is served to be cached for a year.
   *
   * @param mountPoint - mount point of the application, percent-encoded.
   * @throws AssetNotFound - there is no such file.
   */
  url(name: string, mountPoint: string): string {
    const fingerprint = this.#fingerprints.of(name)
    if (fingerprint === undefined) throw this.#notFound(name)
    const path = name.split('/').map(encodeURIComponent).join('/')
    return onThisHost(`${mountPoint}${this.#prefix}/${path}?v=${fingerprint}`)
  }

  /** Returns an application that serves the paths below the prefix, and passes all others to `app`. */
  before(app: WSGIApplication): WSGIApplication {
    if (this.#prefix === '') return app
    const start = `${this.#prefix}/`
    return (environ, start_response) =>
      environ.PATH_INFO.startsWith(start) ? this.#serve(environ, start_response) : app(environ, start_response)
  }

  /**
   * Returns the response with the file at a path from the root.
   *
   * @param path - percent-encoded path.
   * @returns `undefined`, or a promise of it, if there is none or the method is neither GET nor HEAD.
   */
  atRoot(environ: Environ, path: string): Promise<Response | undefined> | undefined {
    return isRead(environ.REQUEST_METHOD) ? this.#respond(environ, path) : undefined
  }

  async #serve(environ: Environ, start_response: StartResponse): Promise<Body> {
    const fallback = this.#fallback
    const path = rawPathInfo(environ)
    const isOwn = path.startsWith(`${this.#prefix}/`)
    const isServed = isOwn && (fallback === undefined || isRead(environ.REQUEST_METHOD))
    const response = isServed ? await this.#respond(environ, path.slice(this.#prefix.length)) : undefined
    if (response !== undefined) return response.send(environ, start_response)
    if (fallback !== undefined) return fallback(environ, start_response)
    const name = environ.PATH_INFO.slice(this.#prefix.length + 1)
    const detail = this.#application.showsErrors(environ) ? this.#notFound(name).message : undefined
    const refusal = refusalOf(environ.REQUEST_METHOD, detail)
    return this.#application[EXCEPTION_RESPONSE](refusal, environ).send(environ, start_response)
  }

  #notFound(name: string): AssetNotFound {
    const { directory } = this.#fingerprints
    return new AssetNotFound(name, shownPlaces(directory), similarPath(name, this.#fingerprints.names()))
  }

  /** The files are loaded on first use, so that applications without public files need no file system. */
  async #respond(environ: Environ, path: string): Promise<Response | undefined> {
    this.#files ??= import('../http/files/static-files.ts').then(
      ({ StaticFiles }) => new StaticFiles(this.#fingerprints.directory),
    )
    return (await this.#files).respond(Request.of(environ), path)
  }
}
