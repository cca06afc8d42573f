/**
 * Looks up the controllers of an application by name, and imports their modules.
 *
 * @module
 */

import { describeValue } from '../base/describe.ts'
import { filePathOf } from '../base/files.ts'
import { shownPlaces } from '../base/place.ts'
import { errorMessage, errorText } from '../base/thrown.ts'
import type { Logger } from '../controllers/application.ts'
import { requireRead } from '../controllers/describe.ts'
import { DeclarationError, type IsTemplate } from '../controllers/vocabulary.ts'
import { namedControllers, scanControllerDirectory } from './controller-directory.ts'
import { withImportHint } from './import-hint.ts'
import {
  asController,
  type ControllerRecord,
  type ControllerSource,
  controllerOf,
  isControllerClass,
  type LoadedController,
} from './loaded-controller.ts'
import { ControllerLoadError } from './loading-errors.ts'

interface Entry {
  readonly source: URL | ControllerSource
  /** Number of failures. It is part of the module's URL, because the runtime caches a failed module by its URL. */
  attempt: number
  /**
   * Time of the next attempt after a failure, by `performance.now()`. Infinite while it loads and once it is loaded.
   */
  retryAt: number
  loaded: LoadedController | Promise<LoadedController> | undefined
}

/**
 * Delay before the second attempt to load a module; it doubles with each failure. A cause such as a lack of file
 * handles may pass, but the runtime keeps each failed module in memory, so attempts must be few.
 */
const RETRY_MILLISECONDS = 1000

/**
 * The controllers of an application by name. Names from URLs are looked up here only.
 *
 * A controller is loaded on first use. One that fails to load affects no other, and is tried again after a scan or a
 * delay.
 */
export class ControllerRegistry {
  /** Called with each controller when it has been loaded. */
  onLoad: ((name: string, controller: LoadedController) => void) | undefined
  readonly #origin: URL | ControllerRecord
  readonly #isTemplate: IsTemplate | undefined
  #entries: ReadonlyMap<string, Entry> = new Map()
  readonly #loaded = new Map<string, LoadedController>()
  #version = 0
  /** Controllers that are loaded, by name. {@link find} loads the others. */
  readonly loaded: ReadonlyMap<string, LoadedController> = this.#loaded

  /** @param isTemplate - returns true if a template of a name exists. */
  constructor(origin: URL | string | ControllerRecord, isTemplate?: (name: string) => boolean) {
    this.#isTemplate = isTemplate
    if (typeof origin !== 'string' && (typeof origin !== 'object' || origin === null)) {
      throw new TypeError(
        `FrameworkApp received ${describeValue(origin)} as controllers. Pass a directory, new URL('./controllers/', import.meta.url), or a record, { hello: HelloController }.`,
      )
    }
    this.#origin = typeof origin === 'string' || origin instanceof URL ? directoryUrl(origin) : origin
  }

  /**
   * Scans for controllers and returns their names. Loaded controllers stay loaded. Synchronous, so that no request is
   * served during a scan.
   */
  scan(): Iterable<string> {
    const entries = new Map<string, Entry>()
    for (const [name, source] of this.#found()) {
      const known = this.#entries.get(name)
      entries.set(name, known !== undefined && isSame(known.source, source) ? retry(known) : newEntry(source))
    }
    this.#replace(entries)
    return entries.keys()
  }

  /**
   * Scans as {@link scan} does. Keeps the known controllers if the directory cannot be read, as while a deployment
   * replaces it.
   */
  rescan(logger: Logger): Iterable<string> {
    try {
      return this.scan()
    } catch (error) {
      logger.error(`The controllers cannot be scanned; the known ones stay in use\n${errorText(error)}`)
      return this.names
    }
  }

  /** The sources of the controllers that the last scan found, by name: the URL of a file, or a member of the record. */
  sources(): ReadonlyMap<string, URL | ControllerSource> {
    return new Map([...this.#entries].map(([name, { source }]) => [name, source]))
  }

  /** A number that changes when a scan has ended, and when a controller is loaded or unloaded. */
  get version(): number {
    return this.#version
  }

  /** Names of the controllers that the last scan found. */
  get names(): string[] {
    return [...this.#entries.keys()]
  }

  /**
   * Returns the controller of a name, or a promise if its module must be loaded first; undefined if none has the name.
   *
   * @throws ControllerLoadError - rejects if the module does not load or exports no controller, or if its class
   *   declares what nothing reads.
   */
  find(name: string): LoadedController | Promise<LoadedController> | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    if (performance.now() >= entry.retryAt) entry.loaded = undefined
    entry.loaded ??= this.#load(name, entry)
    return entry.loaded
  }

  /**
   * Unloads the controllers whose files have changed. They are loaded again on next use. Requests in progress keep
   * their controllers.
   */
  unload(hasChanged: (file: URL) => boolean): void {
    const entries = [...this.#entries].map(([name, entry]): [string, Entry] => {
      const { source } = entry
      return [name, source instanceof URL && hasChanged(source) ? newEntry(source) : entry]
    })
    this.#replace(new Map(entries))
  }

  #replace(entries: ReadonlyMap<string, Entry>): void {
    this.#version += 1
    this.#entries = entries
    for (const name of this.#loaded.keys()) {
      const loaded = entries.get(name)?.loaded
      if (loaded === undefined || loaded instanceof Promise) this.#loaded.delete(name)
    }
  }

  /**
   * Loads every controller.
   *
   * @throws AggregateError - some do not load. Its `errors` name them.
   */
  async loadAll(): Promise<void> {
    const results = await Promise.allSettled(this.names.map(async (name) => this.find(name)))
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} controllers cannot be loaded`)
  }

  #found(): Iterable<[string, URL | ControllerSource]> {
    return this.#origin instanceof URL ? scanControllerDirectory(this.#origin) : namedControllers(this.#origin)
  }

  #load(name: string, entry: Entry): LoadedController | Promise<LoadedController> {
    const { source } = entry
    entry.retryAt = Number.POSITIVE_INFINITY
    if (source instanceof URL || isImporter(source)) {
      const loading = importController(name, source, entry.attempt).then((loaded) =>
        this.#checked(name, loaded, source instanceof URL ? source : undefined),
      )
      loading.then(
        (loaded) => {
          entry.loaded = loaded
          this.#keep(name, entry, loaded)
        },
        () => {
          entry.retryAt = performance.now() + RETRY_MILLISECONDS * 2 ** entry.attempt
          entry.attempt += 1
        },
      )
      return loading
    }
    const loaded = this.#checked(name, asController(name, source, 'the record'))
    this.#keep(name, entry, loaded)
    return loaded
  }

  /** @throws ControllerLoadError - the class declares what nothing reads. */
  #checked(name: string, loaded: LoadedController, file?: URL): LoadedController {
    try {
      if (loaded.kind === 'class') requireRead(loaded.controllerClass, this.#isTemplate)
    } catch (error) {
      if (!(error instanceof DeclarationError)) throw error
      throw new ControllerLoadError(name, error.message, { cause: error, ...(file && { file }) })
    }
    return loaded
  }

  /** Keeps a controller, unless its entry has been replaced while it was loading. */
  #keep(name: string, entry: Entry, loaded: LoadedController): void {
    if (this.#entries.get(name) === entry) {
      this.#version += 1
      this.#loaded.set(name, loaded)
    }
    this.onLoad?.(name, loaded)
  }
}

function newEntry(source: URL | ControllerSource, attempt = 0): Entry {
  return { source, attempt, retryAt: Number.POSITIVE_INFINITY, loaded: undefined }
}

/** Returns a new entry if loading failed, so that a scan allows the next attempt. */
function retry(entry: Entry): Entry {
  return Number.isFinite(entry.retryAt) ? newEntry(entry.source, entry.attempt) : entry
}

async function importController(
  name: string,
  source: URL | (() => Promise<unknown>),
  attempt: number,
): Promise<LoadedController> {
  let module: unknown
  try {
    if (source instanceof URL) {
      module = await import(attempt === 0 ? source.href : `${source.href}?attempt=${attempt}`)
    } else {
      module = await source()
    }
  } catch (thrown) {
    const error = withImportHint(thrown)
    if (!(source instanceof URL)) throw new ControllerLoadError(name, errorMessage(error), { cause: error })
    const { syntaxFaultText } = await import('./error-pages/source.ts')
    const reason =
      syntaxFaultText(error) ?? `${shownPlaces(errorMessage(error))} (in ${shownPlaces(filePathOf(source))})`
    throw new ControllerLoadError(name, reason, { cause: error, file: source })
  }
  if (typeof module !== 'object' || module === null) {
    throw new ControllerLoadError(name, 'its function does not import a module. Write () => import(…)')
  }
  return controllerOf(name, module)
}

/** Returns true for a function without parameters. A WSGI callable has two. */
function isImporter(source: ControllerSource): source is () => Promise<unknown> {
  return typeof source === 'function' && source.length === 0 && !isControllerClass(source)
}

function isSame(known: URL | ControllerSource, source: URL | ControllerSource): boolean {
  return known === source || (known instanceof URL && source instanceof URL && known.href === source.href)
}

/** Returns the URL of a directory with a slash at its end, so that relative URLs resolve inside of it. */
function directoryUrl(directory: string | URL): URL {
  const url = directory instanceof URL ? directory : process.getBuiltinModule('node:url').pathToFileURL(directory)
  return url.href.endsWith('/') ? url : new URL(`${url.href}/`)
}
