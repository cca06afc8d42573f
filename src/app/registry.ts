/** The controllers of an application by name. What a URL names is looked up here and nowhere else. */
import { errorMessage } from '../wsgi/thrown.ts'
import type { WSGICallable } from '../wsgi/types.ts'
import { scanControllerDirectory } from './controller-directory.ts'
import { withImportHint } from './import-hint.ts'
import {
  asController,
  type ControllerConstructor,
  ControllerLoadError,
  controllerOf,
  isControllerClass,
  type LoadedController,
} from './loaded-controller.ts'

/** What a record of controllers holds for a name: a class, a WSGI callable, or a function that imports the module. */
export type ControllerSource = ControllerConstructor | WSGICallable | (() => Promise<object>)

/** Controllers by name. Names may have slashes. */
export type ControllerRecord = Readonly<Record<string, ControllerSource>>

interface Entry {
  readonly source: URL | ControllerSource
  /** Changes when a file that failed to load is tried again: the runtime remembers a failed module by its URL. */
  attempt: number
  /** When one that failed to load may be tried again without a scan, in milliseconds. */
  retryAt: number
  loaded: LoadedController | Promise<LoadedController> | undefined
}

/**
 * How long the first failure lasts, in milliseconds; each further one lasts twice as long. What hinders a file may pass,
 * as a want of file handles does, but the runtime keeps each failed module, so there must be few of them.
 */
const FIRST_RETRY = 1000

/**
 * Finds, loads and keeps controllers. A controller is loaded when it is first asked for; one that does not load is
 * reported by name, harms no other, and is tried again after a scan or a while.
 */
export class ControllerRegistry {
  /** Told of each controller when it is loaded. */
  onLoad: ((name: string, controller: LoadedController) => void) | undefined
  readonly #origin: URL | ControllerRecord
  #entries: ReadonlyMap<string, Entry> = new Map()

  constructor(origin: URL | string | ControllerRecord) {
    this.#origin = typeof origin === 'string' || origin instanceof URL ? directoryUrl(origin) : origin
  }

  /**
   * Scans for controllers and returns their names. It is synchronous, so that no request sees half a scan; what is
   * loaded stays loaded.
   */
  scan(): Iterable<string> {
    const entries = new Map<string, Entry>()
    for (const [name, source] of this.#sources()) {
      const known = this.#entries.get(name)
      entries.set(name, known !== undefined && isSame(known.source, source) ? retry(known) : newEntry(source))
    }
    this.#entries = entries
    return entries.keys()
  }

  /** The names of the controllers found by the last scan. */
  get names(): string[] {
    return [...this.#entries.keys()]
  }

  /**
   * The controller of a name: at once when it is loaded, else a promise of it; undefined when there is none.
   *
   * @throws ControllerLoadError (rejects) when its module does not load or holds no controller.
   */
  find(name: string): LoadedController | Promise<LoadedController> | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    if (entry.retryAt !== Number.POSITIVE_INFINITY && entry.retryAt <= Date.now()) entry.loaded = undefined
    entry.loaded ??= this.#load(name, entry)
    return entry.loaded
  }

  /**
   * Forgets what was loaded from files that have changed; it is loaded anew when it is next asked for. Who has a
   * controller already keeps it.
   */
  unload(hasChanged: (file: URL) => boolean): void {
    const entries = [...this.#entries].map(([name, entry]): [string, Entry] => {
      const { source } = entry
      return [name, source instanceof URL && hasChanged(source) ? newEntry(source) : entry]
    })
    this.#entries = new Map(entries)
  }

  /** Loads every controller. Rejects with an AggregateError that names all that do not load. */
  async loadAll(): Promise<void> {
    const results = await Promise.allSettled(this.names.map((name) => this.find(name)))
    const errors = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    )
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} controllers cannot be loaded`)
  }

  #sources(): Iterable<[string, URL | ControllerSource]> {
    return this.#origin instanceof URL ? scanControllerDirectory(this.#origin) : Object.entries(this.#origin)
  }

  #load(name: string, entry: Entry): LoadedController | Promise<LoadedController> {
    const { source } = entry
    entry.retryAt = Number.POSITIVE_INFINITY
    if (source instanceof URL || isImporter(source)) {
      const loading = importController(name, source, entry.attempt)
      loading.then(
        (loaded) => {
          entry.loaded = loaded
          this.onLoad?.(name, loaded)
        },
        () => {
          entry.retryAt = Date.now() + FIRST_RETRY * 2 ** entry.attempt
          entry.attempt += 1
        },
      )
      return loading
    }
    const loaded = asController(name, source, 'the record')
    this.onLoad?.(name, loaded)
    return loaded
  }
}

function newEntry(source: URL | ControllerSource, attempt = 0): Entry {
  return { source, attempt, retryAt: Number.POSITIVE_INFINITY, loaded: undefined }
}

/** What failed to load is tried again after a scan. */
function retry(entry: Entry): Entry {
  return entry.attempt > 0 && entry.loaded instanceof Promise ? newEntry(entry.source, entry.attempt) : entry
}

async function importController(
  name: string,
  source: URL | (() => Promise<object>),
  attempt: number,
): Promise<LoadedController> {
  let module: object
  try {
    if (source instanceof URL) {
      module = await import(attempt === 0 ? source.href : `${source.href}?attempt=${attempt}`)
    } else {
      module = await source()
    }
  } catch (thrown) {
    const error = withImportHint(thrown)
    const reason = errorMessage(error)
    throw new ControllerLoadError(
      name,
      `${reason}${source instanceof URL ? ` (in ${source.pathname})` : ''}`,
      source instanceof URL ? { cause: error, file: source } : { cause: error },
    )
  }
  return controllerOf(name, module)
}

/** A WSGI callable takes parameters; a function that imports a module takes none. */
function isImporter(source: ControllerSource): source is () => Promise<object> {
  return typeof source === 'function' && source.length === 0 && !isControllerClass(source)
}

function isSame(known: URL | ControllerSource, source: URL | ControllerSource): boolean {
  return known === source || (known instanceof URL && source instanceof URL && known.href === source.href)
}

/** A directory's URL ends in a slash, or what lies in it would resolve beside it. */
function directoryUrl(directory: string | URL): URL {
  const url =
    directory instanceof URL ? directory : process.getBuiltinModule('node:url').pathToFileURL(directory)
  return url.href.endsWith('/') ? url : new URL(`${url.href}/`)
}
