/**
 * `propylon/reload`: serves each request with the current files of a project.
 *
 * @module
 */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isFrameworkApp } from '../../app/is-framework-app.ts'
import { isInstance } from '../../base/thrown.ts'
import {
  type ErrorReporting,
  errorReporting,
  plainErrorPage,
  plainReporting,
  type ServerHooks,
  servedApplication,
} from '../../wsgi/error-reporting.ts'
import { toFetch } from '../../wsgi/fetch/index.ts'
import { standardErrors } from '../../wsgi/node/listener.ts'
import type {
  Body,
  Environ,
  StartResponse,
  WSGIApplication,
  WSGICallable,
  WSGIObject,
} from '../../wsgi/types.ts'
import { ASSISTANT_PATH } from './assistant-path.ts'
import { EntryLoader, type Loaded } from './entry-loader.ts'
import { errorForAssistants } from './last-error.ts'
import { LiveEvents } from './live-events.ts'
import { type LivePage, mayBePage, withScript } from './live-page.ts'
import { EntryLoadError, failurePage, isControllerLoadError } from './load-failure.ts'
import { withoutVersions } from './module-graph.ts'
import { ProjectFiles } from './project-files.ts'
import { TrustedHosts } from './trusted-hosts.ts'

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
export async function reloading(
  entry: URL | string,
  options: ReloadingOptions = {},
): Promise<ReloadingApplication> {
  return reloadingProject(entry, options)
}

/** Loads an application as {@link reloading} does, for commands that follow its files. */
export async function reloadingProject(entry: URL | string, options: ReloadingOptions): Promise<Reloading> {
  const entryUrl = toUrl(entry)
  const root = options.root === undefined ? new URL('./', entryUrl) : new URL(`${toUrl(options.root).href}/`)
  const application = new Reloading(entryUrl, new URL(root.href.replace(/\/+$/, '/')), options)
  await application.loaded
  return application
}

/** An application in development. */
export class Reloading implements ReloadingApplication {
  readonly #root: string
  readonly #loader: EntryLoader
  readonly #events: LiveEvents | undefined
  /** The application of each request, which also handles its errors. */
  readonly #serving = new WeakMap<Environ, WSGICallable>()
  /** SCRIPT_NAME of each request before routing. */
  readonly #scriptNames = new WeakMap<Environ, string>()
  /** The last unexpected error of a request. */
  #lastError: string | undefined
  #assistant: WSGIApplication | undefined
  readonly #hosts: TrustedHosts

  constructor(entry: URL, root: URL, options: ReloadingOptions) {
    this.#root = fileURLToPath(root)
    const log = options.log ?? ((line: string) => standardErrors.write(`${line}\n`))
    this.#hosts = new TrustedHosts(log)
    const serve = (app: WSGICallable) => servedApplication(app, this.#reportingInside(app))
    this.#loader = new EntryLoader({ entry, root, log, serve })
    const files = this.files()
    this.#events = options.live === false ? undefined : new LiveEvents(() => files.haveChanged())
  }

  /** Returns the files of the project, to find out whether they have changed. */
  files(): ProjectFiles {
    return new ProjectFiles(this.#root, () => this.#loader.paths())
  }

  get loaded(): Loaded | Promise<Loaded> {
    return this.#loader.current
  }

  /** The current application decides. */
  readonly acceptsUpgrades = true

  readonly wsgi: WSGIApplication = (environ, start_response) => {
    this.#scriptNames.set(environ, environ.SCRIPT_NAME)
    if (this.#assistant !== undefined && environ.PATH_INFO === ASSISTANT_PATH) {
      return this.#assistant(environ, start_response)
    }
    if (this.#events !== undefined && this.#trusts(environ)) {
      const events = this.#events.respond(environ, start_response)
      if (events !== undefined) return events
    }
    // The state is read before the application runs, so that a change in the meantime reloads the page.
    const live = this.#livePage(environ)
    // The script cannot be added to a compressed page.
    if (live !== undefined) delete environ.HTTP_ACCEPT_ENCODING
    return this.#serve(environ, live, start_response)
  }

  async handleError(error: unknown, environ: Environ): Promise<WSGIApplication> {
    const page = await this.#pageFor(error, environ)
    const live = this.#livePage(environ)
    if (live === undefined) return page
    return (again: Environ, start_response: StartResponse): Body | Promise<Body> =>
      withScript(page, live, again, start_response)
  }

  /** Returns the parameters of the script for a request, or undefined if its page does not reload. */
  #livePage(environ: Environ): LivePage | undefined {
    if (this.#events === undefined || !mayBePage(environ) || !this.#trusts(environ)) return undefined
    const scriptName = this.#scriptNames.get(environ) ?? environ.SCRIPT_NAME
    return { state: this.#events.state(), scriptName }
  }

  /** Returns true if the host may receive source and events. */
  #trusts(environ: Environ): boolean {
    return this.#hosts.has(environ, this.#loader.lastApp)
  }

  reportError(error: unknown, environ: Environ): void {
    removeVersions(error)
    this.#reportingOf(environ).reportError(error, environ)
  }

  reportUnhandledRejection(reason: unknown): void {
    removeVersions(reason)
    const { app } = this.#loader
    const reporting = app === undefined ? plainReporting : errorReporting(app)
    reporting.reportUnhandledRejection(reason)
  }

  /**
   * Returns the OpenAPI document that the current application makes, and undefined if it makes none.
   *
   * @throws Error - the application or one of its controllers does not load.
   */
  async openapi(): Promise<object | undefined> {
    try {
      return await this.#loader.attempt(({ app }) => {
        this.#loader.scanControllers(app)
        return isFrameworkApp(app) ? app.openapi() : undefined
      })
    } catch (error) {
      removeVersions(error)
      throw error
    }
  }

  /**
   * Serves the tools for assistants at {@link ASSISTANT_PATH}.
   *
   * @param key - the token that clients send.
   * @param command - arguments of Node that run the command line.
   */
  async assist(key: string, command: readonly string[]): Promise<void> {
    const { assistantTools } = await import('./assistant.ts')
    const send = toFetch(this)
    this.#assistant = assistantTools(
      {
        root: this.#root,
        command,
        application: () =>
          this.#loader.attempt(({ app }) => {
            this.#loader.scanControllers(app)
            return app
          }),
        lastError: () => this.#lastError,
        fetch: (request) => send(request),
      },
      key,
    )
  }

  #keep(error: unknown, environ: Environ): void {
    if (this.#assistant === undefined) return
    removeVersions(error)
    this.#lastError = errorForAssistants(error, environ, this.#root)
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
    this.#loader.close()
  }

  #serve(environ: Environ, live: LivePage | undefined, start_response: StartResponse): Promise<Body> {
    const { SCRIPT_NAME, PATH_INFO, REQUEST_METHOD } = environ
    return this.#loader.attempt(({ app, served }) => {
      this.#serving.set(environ, app)
      this.#loader.scanControllers(app)
      // Restores what the dispatcher has changed in an earlier attempt. No controller has run.
      Object.assign(environ, { SCRIPT_NAME, PATH_INFO, REQUEST_METHOD })
      return live === undefined
        ? served(environ, start_response)
        : withScript(served, live, environ, start_response)
    })
  }

  /** Returns the error handling inside of an application's middleware. Controllers that do not load are retried outside. */
  #reportingInside(app: WSGICallable): ErrorReporting {
    const reporting = errorReporting(app)
    const keep = (error: unknown, environ: Environ) => this.#keep(error, environ)
    return {
      handleError(error, environ) {
        if (isControllerLoadError(error)) throw error
        removeVersions(error)
        keep(error, environ)
        return reporting.handleError(error, environ)
      },
      reportError: (error, environ) => this.reportError(error, environ),
    }
  }

  #pageFor(error: unknown, environ: Environ): WSGIApplication | Promise<WSGIApplication> {
    const isTrusted = this.#trusts(environ)
    this.#keep(error, environ)
    if (isInstance(error, EntryLoadError)) {
      return isTrusted ? failurePage(error.failure, this.#root, environ) : plainErrorPage
    }
    removeVersions(error)
    const reporting = this.#reportingOf(environ)
    if (!isTrusted || !isControllerLoadError(error)) return reporting.handleError(error, environ)
    const failure = this.#loader.failureOf(error.cause ?? error, error.file)
    reporting.reportError(error, environ)
    return failurePage(failure, this.#root, environ)
  }

  #reportingOf(environ: Environ): ErrorReporting {
    const app = this.#serving.get(environ)
    return app === undefined ? plainReporting : errorReporting(app)
  }
}

/** Returns an application as servers use it, which has methods for some events. */
function hooksOf(app: WSGICallable | undefined): Partial<ServerHooks> {
  return typeof app === 'object' ? app : {}
}

/** Removes the version queries from the stack and the message of an error and its causes. */
function removeVersions(error: unknown): void {
  try {
    for (let depth = 0; error instanceof Error && depth < 8; depth++) {
      if (error.stack !== undefined) error.stack = withoutVersions(error.stack)
      error.message = withoutVersions(error.message)
      error = error.cause
    }
  } catch {
    // A frozen or unreadable error keeps them.
  }
}

function toUrl(file: URL | string): URL {
  return file instanceof URL ? file : pathToFileURL(file)
}
