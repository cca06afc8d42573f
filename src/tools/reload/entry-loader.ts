/**
 * Loads the application of a project in development, and loads it again when its files change.
 *
 * @module
 */

import { fileURLToPath } from 'node:url'
import { withImportHint } from '../../app/import-hint.ts'
import { isFrameworkApp } from '../../app/is-framework-app.ts'
import { isCallable } from '../../wsgi/application.ts'
import type { WSGIApplication, WSGICallable } from '../../wsgi/types.ts'
import { EntryLoadError, failureLine, type LoadFailure, loadFailure } from './load-failure.ts'
import { type Invalidated, ModuleGraph, removeVersions } from './module-graph.ts'

/** An application with the one that serves its requests. */
export interface LoadedApplication {
  readonly app: WSGICallable
  readonly served: WSGIApplication
}

/** An application, or the reason why there is none. */
type Loaded = LoadedApplication | { readonly failure: LoadFailure }

/** The settings of an {@link EntryLoader}. */
export interface EntryLoaderSettings {
  /** The module whose default export is the application. */
  readonly entry: URL
  /** The project's folder. */
  readonly root: URL
  /** Receives a line for each entry that does not load. */
  readonly log: (line: string) => void
  /** Returns what serves the requests of an application. */
  readonly serve: (app: WSGICallable) => WSGIApplication
}

/** Loads the application, and loads it again when its modules change. */
export class EntryLoader {
  readonly #settings: EntryLoaderSettings
  readonly #root: string
  /** The modules of the project that were loaded. */
  readonly modules: ModuleGraph
  /** Names of the controllers at the last request, by application. */
  readonly #controllers = new WeakMap<WSGICallable, string>()
  /** Undefined until it is first accessed. */
  #current: Promise<Loaded> | undefined
  #app: WSGICallable | undefined

  constructor(settings: EntryLoaderSettings) {
    this.#settings = settings
    this.#root = fileURLToPath(settings.root)
    this.modules = new ModuleGraph(settings.root, settings.entry)
  }

  /** The application, loaded on first access, whether or not its files have changed since. */
  get current(): Promise<Loaded> {
    if (this.#current === undefined) {
      this.modules.open()
      this.#current = this.#load()
    }
    return this.#current
  }

  /** The last application that loaded, even if it does not load any more. */
  get app(): WSGICallable | undefined {
    return this.#app
  }

  /**
   * Checks the files, and calls a function with the current application.
   *
   * @throws EntryLoadError - there is no application.
   * @throws unknown - what the function throws, without the versions of modules.
   */
  async use<Result>(use: (loaded: LoadedApplication) => Result | Promise<Result>): Promise<Result> {
    const loaded = await this.#newest()
    if ('failure' in loaded) throw new EntryLoadError(loaded.failure)
    try {
      return await use(loaded)
    } catch (error) {
      removeVersions(error)
      throw error
    }
  }

  /** Describes why a file does not load. */
  failureOf(error: unknown, file: URL | undefined): LoadFailure {
    return loadFailure(error, this.#root, () =>
      file === undefined ? [] : this.modules.closure(this.modules.addressOf(file)),
    )
  }

  /** Scans for controllers. The mapper prepares its routes again only if a name was added or removed. */
  scanControllers(app: WSGICallable): void {
    if (!isFrameworkApp(app)) return
    const names = [...app.controllers.scan()].join('\n')
    if (this.#controllers.get(app) === names) return
    this.#controllers.set(app, names)
    app.mapper._created_regs = false
  }

  #newest(): Promise<Loaded> {
    const invalidated = this.modules.invalidateChanged()
    if (invalidated !== undefined && !this.#isCurrentAfter(invalidated)) this.#current = this.#load()
    return this.current
  }

  /** Unloads invalidated controllers. Returns false if the application itself must be loaded again. */
  #isCurrentAfter({ addresses, roots }: Invalidated): boolean {
    const entry = this.modules.addressOf(this.#settings.entry)
    const app = this.#app
    if (app === undefined) return !addresses.has(entry)
    const unknown = new Set(roots)
    unknown.delete(entry)
    if (isFrameworkApp(app))
      app.controllers.unload((file) => {
        const address = this.modules.addressOf(file)
        unknown.delete(address)
        return addresses.has(address)
      })
    // Imported by code that is not tracked. Reload everything so that no stale reference remains.
    if (unknown.size > 0) this.modules.invalidateAll()
    return unknown.size === 0 && !addresses.has(entry)
  }

  #load(): Promise<Loaded> {
    return this.#import().then((loaded) => {
      if ('failure' in loaded) this.#settings.log(failureLine(loaded.failure, this.#root))
      else this.#app = loaded.app
      return loaded
    })
  }

  async #import(): Promise<Loaded> {
    try {
      const loaded: { default?: unknown } = await import(this.#settings.entry.href)
      if (!isCallable(loaded.default)) {
        const reason = 'it exports no application. Add: export default new FrameworkApp({ … })'
        const place = { path: fileURLToPath(this.#settings.entry), line: 1, column: undefined }
        return { failure: { reason, place } }
      }
      const app = loaded.default
      if (isFrameworkApp(app) && 'rereads' in app.templates) app.templates.rereads = true
      return { app, served: this.#settings.serve(app) }
    } catch (error) {
      return { failure: this.failureOf(withImportHint(error), this.#settings.entry) }
    }
  }
}
