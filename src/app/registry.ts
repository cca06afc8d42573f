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
import { DeclarationError } from '../controllers/declaration-faults.ts'
import { requireRead } from '../controllers/describe.ts'
import type { IsTemplate } from '../controllers/vocabulary.ts'
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
    const origin = this.#origin
    const found = origin instanceof URL ? scanControllerDirectory(origin) : namedControllers(origin)
    for (const [name, source] of found) {
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
    const query = attempt === 0 ? '' : `?attempt=${attempt}`
    module = await (source instanceof URL ? import(source.href + query) : source())
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

/** Extensions of controller files. If a name has several files, the first of these wins. */
const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'] as const

/** Name of a file, without its extension, or of a directory that may be part of a controller's name. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

const MAX_DEPTH = 16

/**
 * Scans a directory for controllers: `users.ts` is `users`, `admin/users.ts` is `admin/users`. Ignores `*.d.ts` and
 * names that begin with an underscore. Follows symbolic links, except into a directory that is being scanned.
 *
 * @returns the URL of each file by controller name.
 * @throws Error - the directory does not exist or cannot be read.
 */
function scanControllerDirectory(directory: URL): Map<string, URL> {
  const fs = process.getBuiltinModule?.('node:fs')
  if (fs === undefined) {
    throw new Error(
      `This runtime has no file system to scan ${directory.href}. Pass the controllers as a record: { users: UsersController }`,
    )
  }
  const stats = fs.statSync(directory, { throwIfNoEntry: false })
  if (stats?.isDirectory() !== true) {
    const code = stats === undefined ? 'ENOENT' : 'ENOTDIR'
    throw new Error(
      `There is no directory of controllers at ${shownPlaces(filePathOf(directory))} (${code}). Correct the option controllers. A bundled application has no such directory: pass a record instead, controllers: { users: UsersController } or import.meta.glob('./controllers/**/*.ts').`,
    )
  }
  const files = [...filesBelow(fs, directory)]
  const found = new Map<string, URL>()
  for (const extension of EXTENSIONS.toReversed()) {
    for (const file of files) {
      const name = file.endsWith(extension) ? nameOfFile(file) : undefined
      if (name !== undefined) found.set(name, new URL(file, directory))
    }
  }
  return found
}

/** The path of a file, as `import.meta.glob` writes it, in contrast to a name. */
const PATH = /^(?:\.{0,2}\/)+/

/**
 * Returns the controllers of a record by name. A key that is the path of a file, `./controllers/admin/users.ts`,
 * becomes the name that the file has in a directory `controllers`: `admin/users`. Files that are not controllers are
 * left out.
 *
 * @throws TypeError - two keys have the same name.
 */
function namedControllers(record: ControllerRecord): Map<string, ControllerSource> {
  const found = new Map<string, ControllerSource>()
  for (const [key, source] of Object.entries(record)) {
    const file = key.replace(/^.*?\/controllers\//, '').replace(PATH, '')
    const name = PATH.test(key) ? nameOfFile(file) : key
    if (name === undefined) continue
    if (found.has(name)) throw new TypeError(`Two keys of the option controllers have the name "${name}".`)
    found.set(name, source)
  }
  return found
}

/**
 * Returns the name of the controller in a file, or undefined if the file is not one. @param file - path from the
 * directory.
 */
function nameOfFile(file: string): string | undefined {
  const extension = EXTENSIONS.find((ending) => file.endsWith(ending))
  if (extension === undefined) return undefined
  const name = file.slice(0, -extension.length)
  return name.split('/').every((segment) => SEGMENT.test(segment)) ? name : undefined
}

/** Returns the paths of the files below a directory. @param open - the directories that are being scanned. */
function* filesBelow(
  fs: typeof import('node:fs'),
  directory: URL,
  prefix = '',
  open: readonly string[] = [],
): Iterable<string> {
  const real = fs.realpathSync(directory)
  if (open.includes(real) || open.length >= MAX_DEPTH) return
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const { name } = entry
    // The target of a link, or a file removed since the listing, may not exist.
    const target = entry.isSymbolicLink()
      ? fs.statSync(new URL(encodeURIComponent(name), directory), { throwIfNoEntry: false })
      : entry
    if (target?.isFile()) yield prefix + name
    else if (target?.isDirectory() && SEGMENT.test(name)) {
      yield* filesBelow(fs, new URL(`${name}/`, directory), `${prefix}${name}/`, [...open, real])
    }
  }
}
