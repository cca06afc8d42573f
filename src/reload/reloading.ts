/**
 * An application whose files may change while it serves.
 *
 * @module
 */

import { setTimeout } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { failureLine, failurePage, type LoadFailure } from '../app/error-pages/load-failure-page.ts'
import { withImportHint } from '../app/import-hint.ts'
import type { ControllerLoadError } from '../app/loaded-controller.ts'
import { isCallable, toApplication } from '../wsgi/application.ts'
import { type ErrorReporting, errorReporting, plainErrorPage, plainReporting } from '../wsgi/errors.ts'
import { hostOf, isLocalHost } from '../wsgi/host.ts'
import { standardErrors } from '../wsgi/node/standard-errors.ts'
import { isInstance, memberOf } from '../wsgi/thrown.ts'
import type {
  Body,
  Environ,
  StartResponse,
  WSGIApplication,
  WSGICallable,
  WSGIObject,
} from '../wsgi/types.ts'
import { type Changes, Generations, withoutLabels } from './generations.ts'
import { LiveEvents } from './live-events.ts'
import { type LivePage, mayBePage, withScript } from './live-page.ts'
import { loadFailure } from './load-failure.ts'
import { ProjectFiles } from './project-files.ts'

/** How to reload. */
export interface ReloadingOptions {
  /** The project's folder: what lies in it is loaded anew when it changes, packages excepted. The entry's own when absent. */
  readonly root?: URL | string
  /** Whether open pages reload by themselves. True when absent. */
  readonly live?: boolean
  /** Takes a line about each entry that does not load. The standard error output when absent. */
  readonly log?: (line: string) => void
}

/** An application that is always the newest one. */
export interface ReloadingApplication extends WSGIObject, ErrorReporting {
  /** Passed on to the application. */
  onHangup(): void
  /** Ends the events of open pages and the watch over modules. Call it before the server's own `close()`. */
  close(): void
}

/**
 * A file that was written this shortly before it failed to load may not have been complete: it is looked at again after
 * this time.
 */
const SETTLING_MILLISECONDS = 100
const MAX_ATTEMPTS = 10

/** A client chooses the Host field, so the number of hosts that are remembered has a limit. */
const MAX_LOGGED_HOSTS = 100

/** What the entry has come to. */
type Loaded = { readonly app: WSGICallable } | { readonly failure: LoadFailure }

/**
 * Loads an application for development: new, changed and removed files take effect on the next request, in the same
 * process. Requests that are being served finish on the code that they began with.
 *
 * Only modules that changed, and those that import them, are loaded anew; packages, the framework and `node:` modules never
 * are. A module that does not load makes an error page, until its file is mended, for the requests that need it.
 *
 * @param entry - the module that exports the application by default, as a `file:` URL or a path. It must not have been
 *   imported before, nor what it imports.
 * @returns the application to give to `serve()`; also when the entry does not load yet.
 * @throws Error when the runtime has no `module.registerHooks`, or the folder is not there.
 *
 * @example
 * ```ts
 * const app = await reloading(new URL('./app.ts', import.meta.url))
 * const server = await serve(app, { port: 5000 })
 * ```
 */
export async function reloading(
  entry: URL | string,
  options: ReloadingOptions = {},
): Promise<ReloadingApplication> {
  const entryUrl = toUrl(entry)
  const root = options.root === undefined ? new URL('./', entryUrl) : new URL(`${toUrl(options.root).href}/`)
  const application = new Reloading(entryUrl, new URL(root.href.replace(/\/+$/, '/')), options)
  await application.loaded
  return application
}

class Reloading implements ReloadingApplication {
  readonly #entry: URL
  readonly #root: string
  readonly #generations: Generations
  readonly #events: LiveEvents | undefined
  readonly #log: (line: string) => void
  /** Which application serves a request: its errors are that one's too. */
  readonly #serving = new WeakMap<Environ, WSGICallable>()
  /** The names of the controllers at the last request, for each application. */
  readonly #controllers = new WeakMap<WSGICallable, string>()
  /** SCRIPT_NAME of each request as it entered. */
  readonly #scriptNames = new WeakMap<Environ, string>()
  /** Hosts that are not trusted and have been logged. */
  readonly #loggedHosts = new Set<string>()
  #current: Loaded | Promise<Loaded>
  /** The last application that loaded: it decides which hosts are trusted. */
  #lastApp: WSGICallable | undefined

  constructor(entry: URL, root: URL, options: ReloadingOptions) {
    this.#entry = entry
    this.#root = fileURLToPath(root)
    this.#log = options.log ?? ((line) => standardErrors.write(`${line}\n`))
    this.#generations = new Generations(root, entry)
    const files = new ProjectFiles(this.#root, () => this.#generations.paths())
    this.#events = options.live === false ? undefined : new LiveEvents(() => files.haveChanged())
    this.#current = this.#load()
  }

  get loaded(): Loaded | Promise<Loaded> {
    return this.#current
  }

  readonly wsgi: WSGIApplication = (environ, start_response) => {
    this.#scriptNames.set(environ, environ.SCRIPT_NAME)
    if (this.#events !== undefined && this.#trusts(environ)) {
      const events = this.#events.answer(environ, start_response)
      if (events !== undefined) return events
    }
    // Before the application runs: a change in the meantime makes the page outdated.
    return this.#serve(environ, this.#livePage(environ), start_response, MAX_ATTEMPTS)
  }

  async handleError(error: unknown, environ: Environ): Promise<WSGIApplication> {
    const page = await this.#pageFor(error, environ)
    const live = this.#livePage(environ)
    if (live === undefined) return page
    return (again: Environ, start_response: StartResponse): Body | Promise<Body> =>
      withScript(page, live, again, start_response)
  }

  /** How the page of a request is to reload itself; undefined if it does not. */
  #livePage(environ: Environ): LivePage | undefined {
    if (this.#events === undefined || !mayBePage(environ) || !this.#trusts(environ)) return undefined
    const scriptName = this.#scriptNames.get(environ) ?? environ.SCRIPT_NAME
    return { state: this.#events.state(), scriptName }
  }

  /**
   * Whether the host of a request may see source and events. The application decides; without one, only local hosts may.
   */
  #trusts(environ: Environ): boolean {
    const app = this.#lastApp
    const host = hostOf(environ)
    const isTrusted =
      typeof app === 'object' && 'trustsHost' in app && typeof app.trustsHost === 'function'
        ? app.trustsHost(environ) === true
        : isLocalHost(host)
    if (!isTrusted && !this.#loggedHosts.has(host) && this.#loggedHosts.size < MAX_LOGGED_HOSTS) {
      this.#loggedHosts.add(host)
      this.#log(
        `Pages on the host "${host}" do not reload and show no source: the host is not local, and another site may have its name point here. To change this, name it in the hosts of the application: new FrameworkApp({ hosts: ['localhost', …] })`,
      )
    }
    return isTrusted
  }

  reportError(error: unknown, environ: Environ): void {
    removeLabels(error)
    this.#reportingOf(environ).reportError(error, environ)
  }

  reportUnhandledRejection(reason: unknown): void {
    removeLabels(reason)
    const loaded = this.#current
    const app = loaded instanceof Promise || !('app' in loaded) ? undefined : loaded.app
    const reporting = app === undefined ? plainReporting : errorReporting(app)
    reporting.reportUnhandledRejection(reason)
  }

  onHangup(): void {
    if (this.#current instanceof Promise || !('app' in this.#current)) return
    const { app } = this.#current
    if (typeof app === 'object' && 'onHangup' in app && typeof app.onHangup === 'function') app.onHangup()
  }

  close(): void {
    this.#events?.close()
    this.#generations.close()
  }

  #serve(
    environ: Environ,
    live: LivePage | undefined,
    start_response: StartResponse,
    rounds: number,
  ): Body | Promise<Body> {
    const { SCRIPT_NAME, PATH_INFO, REQUEST_METHOD } = environ
    const run = (loaded: Loaded) => {
      const app = this.#applicationOf(loaded, environ)
      return live === undefined
        ? app(environ, start_response)
        : withScript(app, live, environ, start_response)
    }
    const current = this.#newest()
    const generation = this.#generations.current
    const body = current instanceof Promise ? current.then(run) : run(current)
    if (!(body instanceof Promise) || rounds === 0) return body
    return body.catch(async (error: unknown) => {
      if (!isControllerLoadError(error)) throw error
      await this.#settle()
      this.#newest()
      if (this.#generations.current === generation) throw error
      // No controller has seen the request yet.
      Object.assign(environ, { SCRIPT_NAME, PATH_INFO, REQUEST_METHOD })
      return this.#serve(environ, live, start_response, rounds - 1)
    })
  }

  /** Waits until files that were just written can be thought complete. */
  async #settle(): Promise<void> {
    const age = Date.now() - this.#generations.lastWritten()
    if (age >= 0 && age < SETTLING_MILLISECONDS) await setTimeout(SETTLING_MILLISECONDS - age)
  }

  /** The newest application, as of this moment. */
  #newest(): Loaded | Promise<Loaded> {
    const changes = this.#generations.check()
    if (changes !== undefined && !this.#goesOn(changes)) this.#current = this.#load()
    return this.#current
  }

  /** Whether the present application goes on after a change: with its changed controllers loaded anew. */
  #goesOn({ addresses, roots }: Changes): boolean {
    const entry = this.#generations.addressOf(this.#entry)
    if (this.#current instanceof Promise || !('app' in this.#current)) return !addresses.has(entry)
    const unknown = new Set(roots)
    unknown.delete(entry)
    controllersOf(this.#current.app)?.unload?.((file) => {
      const address = this.#generations.addressOf(file)
      unknown.delete(address)
      return addresses.has(address)
    })
    // Somebody else has loaded it, and only loading everything anew makes sure that it is let go.
    if (unknown.size > 0) this.#generations.changeAll()
    return unknown.size === 0 && !addresses.has(entry)
  }

  #load(): Promise<Loaded> {
    const loading = this.#import().then(async (loaded): Promise<Loaded> => {
      if ('failure' in loaded) {
        await this.#settle()
        const newest = this.#newest()
        if (newest !== loading) return newest
        this.#log(failureLine(loaded.failure, this.#root))
      }
      if (this.#current === loading) this.#current = loaded
      return loaded
    })
    return loading
  }

  async #import(): Promise<Loaded> {
    try {
      const loaded: { default?: unknown } = await import(this.#entry.href)
      if (!isCallable(loaded.default)) {
        const reason = 'it exports no application: end it with export default new FrameworkApp({ … })'
        return {
          failure: { reason, place: { path: fileURLToPath(this.#entry), line: 1, column: undefined } },
        }
      }
      rereadTemplates(loaded.default)
      this.#lastApp = loaded.default
      return { app: loaded.default }
    } catch (error) {
      return { failure: this.#failureOf(withImportHint(error), this.#entry) }
    }
  }

  #applicationOf(loaded: Loaded, environ: Environ): WSGIApplication {
    if ('failure' in loaded) throw new EntryLoadError(loaded.failure)
    const { app } = loaded
    this.#serving.set(environ, app)
    this.#lookForControllers(app)
    return toApplication(app)
  }

  /** The routes are made ready anew only when a controller has come or gone. */
  #lookForControllers(app: WSGICallable): void {
    const registry = controllersOf(app)
    if (registry === undefined || !('mapper' in app)) return
    const names = [...registry.scan()].join('\n')
    const known = this.#controllers.get(app)
    this.#controllers.set(app, names)
    if (known === names || typeof app.mapper !== 'object' || app.mapper === null) return
    Object.assign(app.mapper, { _created_regs: false })
  }

  #pageFor(error: unknown, environ: Environ): WSGIApplication | Promise<WSGIApplication> {
    const isTrusted = this.#trusts(environ)
    if (isInstance(error, EntryLoadError)) {
      return isTrusted ? failurePage(error.failure, this.#root, environ) : plainErrorPage
    }
    removeLabels(error)
    const reporting = this.#reportingOf(environ)
    if (!isTrusted || !isControllerLoadError(error)) return reporting.handleError(error, environ)
    const failure = this.#failureOf(error.cause ?? error, error.file)
    reporting.reportError(error, environ)
    return failurePage(failure, this.#root, environ)
  }

  #failureOf(error: unknown, file: URL | undefined): LoadFailure {
    return loadFailure(error, this.#root, () =>
      file === undefined ? [] : this.#generations.closure(this.#generations.addressOf(file)),
    )
  }

  #reportingOf(environ: Environ): ErrorReporting {
    const app = this.#serving.get(environ)
    return app === undefined ? plainReporting : errorReporting(app)
  }
}

/** The entry does not load, so no request can be served. It has been logged. */
class EntryLoadError extends Error {
  override readonly name = 'EntryLoadError'
  readonly failure: LoadFailure

  constructor(failure: LoadFailure) {
    super(failure.reason)
    this.failure = failure
  }
}

/** The controllers of an application, which may come from another copy of this package. */
interface Controllers {
  scan(): Iterable<string>
  unload?(hasChanged: (file: URL) => boolean): void
}

function controllersOf(app: WSGICallable): Controllers | undefined {
  const controllers: unknown = 'controllers' in app ? app.controllers : undefined
  return isControllers(controllers) ? controllers : undefined
}

function isControllers(value: unknown): value is Controllers {
  return typeof value === 'object' && value !== null && 'scan' in value && typeof value.scan === 'function'
}

function rereadTemplates(app: WSGICallable): void {
  const templates: unknown = 'templates' in app ? app.templates : undefined
  if (typeof templates === 'object' && templates !== null && 'rereads' in templates) templates.rereads = true
}

function isControllerLoadError(error: unknown): error is ControllerLoadError {
  return isInstance(error, Error) && memberOf(error, 'code') === 'CONTROLLER_LOAD'
}

/** Shows an error's files by the names that people gave them. */
function removeLabels(error: unknown): void {
  try {
    for (let depth = 0; error instanceof Error && depth < 8; depth++) {
      if (error.stack !== undefined) error.stack = withoutLabels(error.stack)
      error.message = withoutLabels(error.message)
      error = error.cause
    }
  } catch {
    // An error that is frozen or cannot be read keeps its labels.
  }
}

function toUrl(file: URL | string): URL {
  return file instanceof URL ? file : pathToFileURL(file)
}
