/**
 * `propylon/reload`: serves each request with the current files of a project.
 *
 * @module
 */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isFrameworkApp } from '../../app/is-framework-app.ts'
import { setProjectFolder } from '../../base/place.ts'
import { isInstance } from '../../base/thrown.ts'
import {
  type ErrorReporting,
  errorReporting,
  hooksOf,
  plainErrorPage,
  servedApplication,
} from '../../wsgi/error-reporting.ts'
import { standardErrors } from '../../wsgi/node/listener.ts'
import { hostOf, isLocalHost } from '../../wsgi/request-url.ts'
import type { Environ, ErrorForm, WSGIApplication, WSGICallable, WSGIObject } from '../../wsgi/types.ts'
import { EntryLoader } from './entry-loader.ts'
import { LiveEvents } from './live-events.ts'
import { type LivePage, mayBePage, withScript } from './live-page.ts'
import { EntryLoadError, failurePage, isControllerLoadError } from './load-failure.ts'
import { removeVersions } from './module-graph.ts'
import { ProjectFiles } from './project-files.ts'

/** Options of {@link reloading}. */
export interface ReloadingOptions {
  /** The project's folder. Modules in it are reloaded, except packages. Default: the folder of the entry. */
  readonly root?: URL | string
  /** Whether open pages reload themselves when a file changes. Default `true`. */
  readonly live?: boolean
  /** Receives a line for each entry that does not load. Default: writes it to standard error. */
  readonly log?: (line: string) => void
}

/** An application that serves each request with the current files. */
export interface ReloadingApplication extends WSGIObject, ErrorReporting {
  /** Calls `onHangup()` of the current application. */
  onHangup(): void
  /** Calls `shutDown()` of the current application. */
  shutDown(): Promise<void>
  /** Ends the event streams of open pages and stops tracking modules. Call it before the server's own `close()`. */
  close(): void
}

/**
 * Loads an application for development: new, changed and removed files take effect on the next request, in the same
 * process. Requests in progress finish on the code with which they began.
 *
 * Only changed modules and their importers are loaded again; packages, the framework and `node:` modules never are.
 * While a module does not load, requests that need it receive an error page.
 *
 * @param entry - the module whose default export is the application, as a `file:` URL or a path. The program must not
 *   have imported it before, nor any module that it imports.
 * @returns the application to pass to `serve()`, even if the entry does not load yet.
 * @throws Error - the runtime has no `module.registerHooks`, or the folder does not exist.
 *
 * @example
 * ```ts
 * import { serve } from 'propylon/node'
 * import { reloading } from 'propylon/reload'
 *
 * const app = await reloading(new URL('./app.ts', import.meta.url))
 * await serve(app, { port: 5000 })
 * ```
 */
export async function reloading(entry: URL | string, options: ReloadingOptions = {}): Promise<ReloadingApplication> {
  const application = new Reloading(entry, options)
  await application.loaded
  return application
}

/** An application in development, for {@link reloading} and for commands that follow its files. */
export class Reloading implements ReloadingApplication {
  readonly #root: string
  readonly #loader: EntryLoader
  readonly #events: LiveEvents | undefined
  /** The application of each request, which also handles its errors. */
  readonly #serving = new WeakMap<Environ, WSGICallable>()
  /** The requests for a page that reloads itself. */
  readonly #livePages = new WeakMap<Environ, LivePage>()
  readonly #log: (line: string) => void
  /** Whether the log has named a host that is not trusted. */
  #hasLoggedHost = false

  constructor(file: URL | string, options: ReloadingOptions) {
    const entry = toUrl(file)
    const folder = options.root === undefined ? new URL('./', entry) : toUrl(options.root)
    const root = new URL(folder.href.replace(/\/*$/, '/'))
    this.#root = fileURLToPath(root)
    setProjectFolder(this.#root)
    this.#log = options.log ?? ((line) => standardErrors.write(`${line}\n`))
    const serve = (app: WSGICallable) => servedApplication(app, this.#reportingInside(app))
    this.#loader = new EntryLoader({ entry, root, log: this.#log, serve })
    const files = this.files()
    this.#events = options.live === false ? undefined : new LiveEvents(() => files.haveChanged())
  }

  /** Returns the files of the project, to find out whether they have changed. */
  files(): ProjectFiles {
    return new ProjectFiles(this.#root, () => this.#loader.modules.paths())
  }

  /** Resolves when the application has loaded, or does not load. */
  get loaded(): Promise<unknown> {
    return this.#loader.current
  }

  /** The current application decides. */
  readonly acceptsUpgrades = true

  get errorForm(): ErrorForm | undefined {
    return hooksOf(this.#loader.app).errorForm
  }

  readonly wsgi: WSGIApplication = (environ, start_response) => {
    let live: LivePage | undefined
    if (this.#events !== undefined && this.#trusts(environ)) {
      const events = this.#events.respond(environ, start_response)
      if (events !== undefined) return events
      if (mayBePage(environ)) {
        // The state is read before the application runs, so that a change in the meantime reloads the page.
        live = { state: this.#events.state(), scriptName: environ.SCRIPT_NAME }
        this.#livePages.set(environ, live)
        // The script cannot be added to a compressed page.
        delete environ.HTTP_ACCEPT_ENCODING
      }
    }
    return this.#loader.use(({ app, served }) => {
      this.#serving.set(environ, app)
      this.#loader.scanControllers(app)
      return live === undefined ? served(environ, start_response) : withScript(served, live, environ, start_response)
    })
  }

  async handleError(error: unknown, environ: Environ): Promise<WSGIApplication> {
    const page = await this.#pageFor(error, environ)
    const live = this.#livePages.get(environ)
    if (live === undefined) return page
    return (again, start_response) => withScript(page, live, again, start_response)
  }

  /**
   * Returns true if the host may receive source and events. The application decides; without one, only local hosts
   * may.
   */
  #trusts(environ: Environ): boolean {
    const { app } = this.#loader
    const host = hostOf(environ)
    const isTrusted = isFrameworkApp(app) ? app.trustsHost(environ) : isLocalHost(host)
    if (!isTrusted && !this.#hasLoggedHost) {
      this.#hasLoggedHost = true
      this.#log(
        `Pages on the host "${host}" do not reload and show no source, because it is not a local host: another site could resolve its name to this machine. To change this, list it: new FrameworkApp({ hosts: ['localhost', …] })`,
      )
    }
    return isTrusted
  }

  reportError(error: unknown, environ: Environ): void {
    removeVersions(error)
    errorReporting(this.#serving.get(environ)).reportError(error, environ)
  }

  reportUnhandledRejection(reason: unknown): void {
    removeVersions(reason)
    errorReporting(this.#loader.app).reportUnhandledRejection(reason)
  }

  /**
   * Returns the OpenAPI document that the current application makes, and undefined if it makes none.
   *
   * @throws Error - the application or one of its controllers does not load.
   */
  async openapi(): Promise<object | undefined> {
    return this.#loader.use(({ app }) => {
      this.#loader.scanControllers(app)
      return isFrameworkApp(app) ? app.openapi() : undefined
    })
  }

  onHangup(): void {
    hooksOf(this.#loader.app).onHangup?.()
  }

  /** Calls `shutDown()` of the current application. */
  async shutDown(): Promise<void> {
    const current = await this.#loader.current
    if ('app' in current) await hooksOf(current.app).shutDown?.()
  }

  close(): void {
    this.#events?.close()
    this.#loader.modules.close()
  }

  /**
   * Returns the error handling inside of an application's middleware. Controllers that do not load have their page from
   * outside.
   */
  #reportingInside(app: WSGICallable): ErrorReporting {
    const reporting = errorReporting(app)
    return {
      handleError(error, environ) {
        if (isControllerLoadError(error)) throw error
        removeVersions(error)
        return reporting.handleError(error, environ)
      },
      reportError: (error, environ) => this.reportError(error, environ),
    }
  }

  #pageFor(error: unknown, environ: Environ): WSGIApplication | Promise<WSGIApplication> {
    const isTrusted = this.#trusts(environ)
    if (isInstance(error, EntryLoadError)) {
      return isTrusted ? failurePage(error.failure, this.#root, environ) : plainErrorPage
    }
    removeVersions(error)
    const reporting = errorReporting(this.#serving.get(environ))
    if (!isTrusted || !isControllerLoadError(error)) return reporting.handleError(error, environ)
    const failure = this.#loader.failureOf(error.cause ?? error, error.file)
    reporting.reportError(error, environ)
    return failurePage(failure, this.#root, environ)
  }
}

function toUrl(file: URL | string): URL {
  return file instanceof URL ? file : pathToFileURL(file)
}
