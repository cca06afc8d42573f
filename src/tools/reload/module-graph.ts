import { realpathSync } from 'node:fs'
import module, { type RegisterHooksOptions } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { FRAMEWORK_FOLDER } from '../../base/framework-folder.ts'
import { withoutVersions } from '../../base/place.ts'
import { FileSnapshot } from './project-files.ts'

type ResolveHook = NonNullable<RegisterHooksOptions['resolve']>

const VERSION_QUERY = /([?&])reload=(\d+)(&|$)/
const IN_PACKAGES = /(^|\/)node_modules\//

/** A module of the project. */
interface ProjectModule {
  /** `file:` URL, with links resolved and without a query. */
  readonly address: string
  readonly path: string
  /** The versions of the graph at which the module was invalidated, in order. Its current URL has the last one. */
  readonly invalidatedAt: number[]
  /** The file when the current instance was loaded; undefined if none is loaded. */
  snapshot: FileSnapshot | undefined
  readonly imports: Set<ProjectModule>
}

/** Modules that are loaded again at their next import. */
export interface Invalidated {
  readonly addresses: ReadonlySet<string>
  /** Those that no module of the project imports: the entry, and modules that the framework loads. */
  readonly roots: ReadonlySet<string>
}

/**
 * The modules of a project and their imports, recorded by a hook into the module loader of this process.
 *
 * Node keeps a module by its URL until the process ends. A module that was invalidated gets a new URL, with the query
 * `?reload=N`, where N is the version of the graph. The modules that import it, directly or not, are invalidated with
 * it. All others keep their instances and their state.
 */
export class ModuleGraph {
  /** The number of invalidations so far. */
  version = 0
  readonly #root: string
  /** The root with symbolic links resolved, once the graph is open. */
  #realRoot = ''
  readonly #entry: string
  readonly #modules = new Map<string, ProjectModule>()
  /** Modules by the paths that lead to them through symbolic links. */
  readonly #links = new Map<string, ProjectModule>()
  #hooks: { deregister(): void } | undefined

  /**
   * @param root - the project's folder. The URL ends in a slash.
   * @param entry - the module that is imported first. It need not exist yet.
   */
  constructor(root: URL, entry: URL) {
    this.#root = root.href
    this.#entry = fileURLToPath(entry)
  }

  /**
   * Begins to record modules.
   *
   * @throws Error - the runtime has no hooks into its module loader, or the root does not exist.
   */
  open(): void {
    if (typeof module.registerHooks !== 'function') {
      throw new Error('This runtime has no module.registerHooks. Live reload requires Node 22.18 or later.')
    }
    this.#realRoot = pathToFileURL(`${realpathSync(new URL(this.#root))}/`).href
    this.#hooks = module.registerHooks({
      resolve: (specifier, context, next) => this.#resolve(specifier, context, next),
    })
  }

  /** Removes the hook. Loaded modules stay loaded. */
  close(): void {
    this.#hooks?.deregister()
  }

  /** Yields the paths of all files that modules of the project were ever loaded from. */
  *paths(): Iterable<string> {
    for (const { path } of this.#modules.values()) yield path
  }

  /** Invalidates the modules whose files have changed, and their importers. Returns undefined if none has changed. */
  invalidateChanged(): Invalidated | undefined {
    const changed = this.#changed()
    if (changed.size === 0) return undefined
    // A set iterates over what is added meanwhile.
    for (const known of changed) {
      for (const other of this.#modules.values()) if (other.imports.has(known)) changed.add(other)
    }
    return this.#invalidate(changed)
  }

  /** Invalidates every module of the project. */
  invalidateAll(): void {
    this.#invalidate(new Set(this.#modules.values()))
  }

  /** Returns the address of the module at a URL, with links resolved and without a query. */
  addressOf(url: URL): string {
    const path = fileURLToPath(url)
    return this.#links.get(path)?.address ?? pathToFileURL(realPathOf(path) ?? path).href
  }

  /** Returns the paths of the module at an address and of all modules that it is known to import, directly or not. */
  closure(address: string): string[] {
    const start = this.#modules.get(address)
    const found = new Set(start === undefined ? [] : [start])
    for (const known of found) for (const imported of known.imports) found.add(imported)
    return [...found].map((known) => known.path)
  }

  #changed(): Set<ProjectModule> {
    const changed = new Set<ProjectModule>()
    for (const known of this.#modules.values()) if (known.snapshot?.hasChanged() === true) changed.add(known)
    for (const [path, known] of this.#links) if (realPathOf(path) !== known.path) changed.add(known)
    return changed
  }

  #invalidate(changed: ReadonlySet<ProjectModule>): Invalidated {
    this.version += 1
    const imported = new Set([...this.#modules.values()].flatMap((known) => [...known.imports]))
    const addresses = new Set<string>()
    const roots = new Set<string>()
    for (const known of changed) {
      addresses.add(known.address)
      if (!imported.has(known)) roots.add(known.address)
      known.invalidatedAt.push(this.version)
      known.snapshot = undefined
      known.imports.clear()
      // The cache of CommonJS modules is keyed by path, so a new URL is not enough.
      delete commonJS.cache[known.path]
    }
    for (const [path, known] of this.#links) if (changed.has(known)) this.#links.delete(path)
    return { addresses, roots }
  }

  #resolve(
    specifier: string,
    context: Parameters<ResolveHook>[1],
    next: Parameters<ResolveHook>[2],
  ): ReturnType<ResolveHook> {
    const parent = context.parentURL === undefined ? undefined : this.#modules.get(bare(context.parentURL))
    const requested = requestedPath(specifier, context.parentURL)
    let resolved: ReturnType<ResolveHook>
    try {
      resolved = next(specifier, context)
    } catch (error) {
      this.#expect(requested ?? this.#requestedPackage(specifier), parent)
      throw error
    }
    if (!resolved.url.startsWith('file:')) return resolved
    const path = requested === undefined ? undefined : realPathOf(requested)
    const address = path === undefined ? bare(resolved.url) : pathToFileURL(path).href
    if (!this.#isOfProject(address, requested, parent)) return resolved
    const known = this.#moduleAt(address)
    known.snapshot ??= new FileSnapshot(known.path)
    if (requested !== undefined && requested !== known.path) this.#links.set(requested, known)
    parent?.imports.add(known)
    const version = versionFor(known, parent, context.parentURL)
    const url = address + resolved.url.slice(bare(resolved.url).length)
    if (version === 0) return { ...resolved, url }
    return { ...resolved, url: `${url}${url.includes('?') ? '&' : '?'}reload=${version}` }
  }

  /** Records a file that does not exist as an import of its importer, so that its creation reloads the importer. */
  #expect(path: string | undefined, parent: ProjectModule | undefined): void {
    if (path === undefined || (parent === undefined && path !== this.#entry)) return
    const missing = this.#moduleAt(pathToFileURL(path).href)
    missing.snapshot ??= new FileSnapshot(missing.path)
    parent?.imports.add(missing)
  }

  #requestedPackage(specifier: string): string | undefined {
    const name = /^(?:@[^/:]+\/)?[^/:#]+/.exec(specifier)?.[0]
    return name === undefined ? undefined : fileURLToPath(new URL(`node_modules/${name}`, this.#realRoot))
  }

  #moduleAt(address: string): ProjectModule {
    const known = this.#modules.get(address)
    if (known !== undefined) return known
    const path = fileURLToPath(address)
    const added: ProjectModule = { address, path, invalidatedAt: [], snapshot: undefined, imports: new Set() }
    this.#modules.set(address, added)
    return added
  }

  /**
   * Returns true for modules in the project's folder, and for those outside that it imports by path or through links.
   * Packages are excluded.
   */
  #isOfProject(address: string, requested: string | undefined, parent: ProjectModule | undefined): boolean {
    // Controllers must stay instances of the classes of this copy of the framework, so it is never reloaded.
    if (FRAMEWORK_FOLDER !== undefined && address.startsWith(FRAMEWORK_FOLDER)) return false
    if (address.startsWith(this.#realRoot)) return !IN_PACKAGES.test(address.slice(this.#realRoot.length))
    if (requested === undefined || IN_PACKAGES.test(address)) return false
    const href = pathToFileURL(requested).href
    return parent !== undefined || href.startsWith(this.#root) || href.startsWith(this.#realRoot)
  }
}

const commonJS = module.createRequire(import.meta.url)

/**
 * Returns the version of a module for an importer: the current one, or for an importer that was invalidated since it
 * was loaded, the version from before that invalidation.
 */
function versionFor(known: ProjectModule, parent: ProjectModule | undefined, parentURL = ''): number {
  const own = Number(VERSION_QUERY.exec(parentURL)?.[2] ?? 0)
  const outdatedAt = parent?.invalidatedAt.find((version) => version > own)
  if (outdatedAt === undefined) return known.invalidatedAt.at(-1) ?? 0
  return known.invalidatedAt.findLast((version) => version < outdatedAt) ?? 0
}

/** Returns a URL without its query and fragment. */
function bare(url: string): string {
  return url.replace(/[?#].*$/s, '')
}

/** Removes the version queries from the stack and the message of an error and its causes. */
export function removeVersions(error: unknown): void {
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

/** Returns the path of a specifier, without resolving links; undefined for packages and other URLs. */
function requestedPath(specifier: string, parentURL: string | undefined): string | undefined {
  if (!/^(\.{0,2}\/|file:)/.test(specifier)) return undefined
  try {
    return fileURLToPath(bare(new URL(specifier, parentURL).href))
  } catch {
    return undefined // Node reports the malformed URL.
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
