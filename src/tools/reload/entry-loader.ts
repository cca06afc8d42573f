/**
 * Loads the application of a project in development, and loads it again when its files change.
 *
 * @module
 */

import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { withImportHint } from '../../app/import-hint.ts'
import { isCallable } from '../../wsgi/application.ts'
import type { WSGIApplication, WSGICallable } from '../../wsgi/types.ts'
import type { StartedApplication } from '../check/start-warnings.ts'
import { failureLine, type LoadFailure, loadFailure } from './load-failure.ts'
import { type Invalidated, ModuleGraph } from './module-graph.ts'

/** Time after a write in which a file that does not load may be incomplete, in milliseconds. */
const WRITING_MILLISECONDS = 10_000

/** Number of checks in a row that find the files of modules unchanged if they are complete. */
const QUIET_CHECKS = 5

/** Time before each of these checks, in milliseconds. */
const CHECK_MILLISECONDS = 20

/** An application with the one that serves its requests, or the reason why there is none. */
export type Loaded =
  | { readonly app: WSGICallable; readonly served: WSGIApplication }
  | { readonly failure: LoadFailure }

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
  readonly #entry: URL
  readonly #root: string
  readonly #log: (line: string) => void
  readonly #serve: (app: WSGICallable) => WSGIApplication
  readonly #modules: ModuleGraph
  /** Names of the controllers at the last request, by application. */
  readonly #controllers = new WeakMap<WSGICallable, string>()
  /** Whether the wiring was checked. It is checked for the first application that loads only. */
  #isChecked = false
  /** Undefined until it is first accessed. */
  #current: Loaded | Promise<Loaded> | undefined
  /** The last application that loaded. */
  #lastApp: WSGICallable | undefined

  constructor({ entry, root, log, serve }: EntryLoaderSettings) {
    this.#entry = entry
    this.#root = fileURLToPath(root)
    this.#log = log
    this.#serve = serve
    this.#modules = new ModuleGraph(root, entry)
  }

  /** The application, loaded on first access, whether or not its files have changed since. */
  get current(): Loaded | Promise<Loaded> {
    if (this.#current === undefined) {
      this.#modules.open()
      this.#current = this.#load()
    }
    return this.#current
  }

  /** The application, unless it is being loaded or does not load. */
  get app(): WSGICallable | undefined {
    const { current } = this
    return current instanceof Promise || !('app' in current) ? undefined : current.app
  }

  /** The last application that loaded, even if it does not load any more. */
  get lastApp(): WSGICallable | undefined {
    return this.#lastApp
  }

  /** A number that changes with the modules. */
  get version(): number {
    return this.#modules.version
  }

  /** Returns the paths of all modules of the project that were loaded. */
  paths(): Iterable<string> {
    return this.#modules.paths()
  }

  /** Stops tracking modules. */
  close(): void {
    this.#modules.close()
  }

  /** Checks the files and returns the current application. */
  newest(): Loaded | Promise<Loaded> {
    const invalidated = this.#modules.invalidateChanged()
    if (invalidated !== undefined && !this.#isCurrentAfter(invalidated)) this.#current = this.#load()
    return this.current
  }

  /** Waits for changes of files that were just written, and loads them. Returns true if the version is another one. */
  async renew(version: number): Promise<boolean> {
    await this.#settle()
    this.newest()
    return this.#modules.version !== version
  }

  /** Describes why a file does not load. */
  failureOf(error: unknown, file: URL | undefined): LoadFailure {
    return loadFailure(error, this.#root, () =>
      file === undefined ? [] : this.#modules.closure(this.#modules.addressOf(file)),
    )
  }

  /** Scans for controllers. The mapper prepares its routes again only if a name was added or removed. */
  scanControllers(app: WSGICallable): void {
    const registry = controllersOf(app)
    if (registry === undefined || !('mapper' in app)) return
    const names = [...registry.scan()].join('\n')
    const known = this.#controllers.get(app)
    this.#controllers.set(app, names)
    if (known === names || typeof app.mapper !== 'object' || app.mapper === null) return
    Object.assign(app.mapper, { _created_regs: false })
  }

  /**
   * Waits until a file changes, or until those that were just written are probably complete. It counts checks, because the
   * time since a write says nothing if this process, or the one that writes, has not run in the meantime.
   */
  async #settle(): Promise<void> {
    const age = Date.now() - this.#modules.lastWritten()
    if (age < 0 || age > WRITING_MILLISECONDS) return
    for (let checks = 0; checks < QUIET_CHECKS && !this.#modules.haveChanged(); checks++) {
      await setTimeout(CHECK_MILLISECONDS)
    }
  }

  /** Unloads invalidated controllers. Returns false if the application itself must be loaded again. */
  #isCurrentAfter({ addresses, roots }: Invalidated): boolean {
    const entry = this.#modules.addressOf(this.#entry)
    const { app } = this
    if (app === undefined) return !addresses.has(entry)
    const unknown = new Set(roots)
    unknown.delete(entry)
    controllersOf(app)?.unload?.((file) => {
      const address = this.#modules.addressOf(file)
      unknown.delete(address)
      return addresses.has(address)
    })
    // Imported by code that is not tracked. Reload everything so that no stale reference remains.
    if (unknown.size > 0) this.#modules.invalidateAll()
    return unknown.size === 0 && !addresses.has(entry)
  }

  #load(): Promise<Loaded> {
    const loading = this.#import().then(async (loaded): Promise<Loaded> => {
      if ('failure' in loaded) {
        await this.#settle()
        const newest = this.newest()
        if (newest !== loading) return newest
        this.#log(failureLine(loaded.failure, this.#root))
      }
      if (this.#current === loading) this.#current = loaded
      return loaded
    })
    return loading
  }

  /** Logs what `propylon check` reports. No request waits for it. */
  #check(app: WSGICallable): void {
    if (this.#isChecked || !isInDebugMode(app)) return
    this.#isChecked = true
    const entry = fileURLToPath(this.#entry)
    void import('../check/start-warnings.ts').then(({ logStartWarnings }) => logStartWarnings(app, entry))
  }

  async #import(): Promise<Loaded> {
    try {
      const loaded: { default?: unknown } = await import(this.#entry.href)
      if (!isCallable(loaded.default)) {
        const reason = 'it exports no application. Add: export default new FrameworkApp({ … })'
        return {
          failure: { reason, place: { path: fileURLToPath(this.#entry), line: 1, column: undefined } },
        }
      }
      rereadTemplates(loaded.default)
      this.#lastApp = loaded.default
      this.#check(loaded.default)
      return {
        app: loaded.default,
        served: this.#serve(loaded.default),
      }
    } catch (error) {
      return { failure: this.failureOf(withImportHint(error), this.#entry) }
    }
  }
}

/** An application in debug mode. It may be an instance of another copy of this package. */
function isInDebugMode(app: WSGICallable): app is WSGICallable & StartedApplication {
  return 'debug' in app && app.debug === true && 'mapper' in app && 'controllers' in app && 'logger' in app
}

/** The controllers of an application. It may be an instance of another copy of this package. */
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
