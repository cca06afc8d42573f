/**
 * Loads changed modules anew in a running process.
 *
 * Node keeps every module by its address for good, so a changed module gets a new address: the query `?reload=N`, where
 * N is the generation in which it changed. What imports it, directly or not, changes with it; what does not keeps its
 * instance and its state.
 */
import { realpathSync } from 'node:fs'
import module, { type RegisterHooksOptions } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Stamp } from './stamp.ts'

type ResolveHook = NonNullable<RegisterHooksOptions['resolve']>

/** This copy of the framework, which is never loaded anew: controllers must stay instances of its classes. */
const FRAMEWORK = new URL('../', import.meta.url).href

const LABEL = /([?&])reload=(\d+)(&|$)/
const IN_PACKAGES = /(^|\/)node_modules\//

/** A module of the project. */
interface ProjectModule {
  /** Its file's address, links followed, without a query. */
  readonly address: string
  readonly path: string
  /** The generations in which it changed, in order. Its current address carries the last. */
  readonly changes: number[]
  /** The file when its current instance was loaded; undefined while there is none. */
  stamp: Stamp | undefined
  readonly imports: Set<ProjectModule>
}

/** What a check has found. */
export interface Changes {
  /** The addresses of all modules that must be loaded anew. */
  readonly addresses: ReadonlySet<string>
  /** Those of them that no module of the project imports: the entry, and what the framework loads itself. */
  readonly roots: ReadonlySet<string>
}

/** The modules of one project and their generations. Works by hooks into this process's module loader until it is closed. */
export class Generations {
  readonly #root: string
  readonly #realRoot: string
  readonly #entry: string
  readonly #modules = new Map<string, ProjectModule>()
  /** The paths that lead to modules through symbolic links. */
  readonly #links = new Map<string, ProjectModule>()
  readonly #hooks: { deregister(): void }
  #current = 0

  /**
   * @param root - the project's folder, its URL ending in a slash.
   * @param entry - the module that the framework imports first, which need not be there yet.
   * @throws Error when this runtime has no hooks into its module loader.
   */
  constructor(root: URL, entry: URL) {
    if (typeof module.registerHooks !== 'function') {
      throw new Error('Reloading needs Node 22.18 or later: this runtime has no module.registerHooks')
    }
    this.#root = root.href
    this.#entry = fileURLToPath(entry)
    this.#realRoot = pathToFileURL(`${realpathSync(root)}/`).href
    this.#hooks = module.registerHooks({
      resolve: (specifier, context, next) => this.#resolve(specifier, context, next),
    })
  }

  /** Ends the reloading; what is loaded stays as it is. */
  close(): void {
    this.#hooks.deregister()
  }

  /** The paths of all files that modules of the project were ever loaded from. */
  *paths(): Iterable<string> {
    for (const { path } of this.#modules.values()) yield path
  }

  /** The number of the current generation. */
  get current(): number {
    return this.#current
  }

  /** When the latest of the loaded files was written, in milliseconds since 1970. */
  lastWritten(): number {
    let last = 0
    for (const { stamp } of this.#modules.values()) last = Math.max(last, stamp?.written ?? 0)
    return last
  }

  /** Looks at every loaded file. What has changed, and what imports it, is loaded anew when it is next imported. */
  check(): Changes | undefined {
    const changed = new Set<ProjectModule>()
    for (const known of this.#modules.values()) if (known.stamp?.hasChanged() === true) changed.add(known)
    for (const [path, known] of this.#links) if (realPathOf(path) !== known.path) changed.add(known)
    return changed.size === 0 ? undefined : this.#change(this.#withImporters(changed))
  }

  /** Lets every module of the project be loaded anew. */
  changeAll(): Changes {
    return this.#change(new Set(this.#modules.values()))
  }

  /** The address of the module that a URL leads to, links followed, without a query. */
  addressOf(url: URL): string {
    const path = fileURLToPath(url)
    return this.#links.get(path)?.address ?? pathToFileURL(realPathOf(path) ?? path).href
  }

  /** The module at an address and all that it imports, as far as was seen, as paths. */
  closure(address: string): string[] {
    const start = this.#modules.get(address)
    const found = new Set(start === undefined ? [] : [start])
    for (const known of found) for (const imported of known.imports) found.add(imported)
    return [...found].map((known) => known.path)
  }

  #withImporters(changed: Set<ProjectModule>): Set<ProjectModule> {
    const importers = new Map<ProjectModule, ProjectModule[]>()
    for (const known of this.#modules.values()) {
      for (const imported of known.imports) {
        const list = importers.get(imported)
        if (list === undefined) importers.set(imported, [known])
        else list.push(known)
      }
    }
    for (const known of changed) for (const importer of importers.get(known) ?? []) changed.add(importer)
    return changed
  }

  #change(changed: ReadonlySet<ProjectModule>): Changes {
    this.#current += 1
    const imported = new Set([...this.#modules.values()].flatMap((known) => [...known.imports]))
    const addresses = new Set<string>()
    const roots = new Set<string>()
    for (const known of changed) {
      addresses.add(known.address)
      if (!imported.has(known)) roots.add(known.address)
    }
    for (const known of changed) {
      known.changes.push(this.#current)
      known.stamp = undefined
      known.imports.clear()
      // A CommonJS module is kept by its path, whatever its address.
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
    const asked = pathAsked(specifier, context.parentURL)
    let resolved: ReturnType<ResolveHook>
    try {
      resolved = next(specifier, context)
    } catch (error) {
      this.#expect(asked ?? this.#packageAsked(specifier), parent)
      throw error
    }
    if (!resolved.url.startsWith('file:')) return resolved
    const path = asked === undefined ? undefined : realPathOf(asked)
    const address = path === undefined ? bare(resolved.url) : pathToFileURL(path).href
    if (!this.#isOfProject(address, asked, parent)) return resolved
    const known = this.#moduleAt(address)
    known.stamp ??= new Stamp(known.path)
    if (asked !== undefined && asked !== known.path) this.#links.set(asked, known)
    parent?.imports.add(known)
    const generation = generationFor(known, parent, context.parentURL)
    const url = address + resolved.url.slice(bare(resolved.url).length)
    return { ...resolved, url: generation === 0 ? url : labelled(url, generation) }
  }

  /** A file that is not there is watched for by whoever wants it. */
  #expect(path: string | undefined, parent: ProjectModule | undefined): void {
    if (path === undefined || (parent === undefined && path !== this.#entry)) return
    const missing = this.#moduleAt(pathToFileURL(path).href)
    missing.stamp ??= new Stamp(missing.path)
    parent?.imports.add(missing)
  }

  #packageAsked(specifier: string): string | undefined {
    const name = /^(?:@[^/:]+\/)?[^/:#]+/.exec(specifier)?.[0]
    return name === undefined ? undefined : fileURLToPath(new URL(`node_modules/${name}`, this.#realRoot))
  }

  #moduleAt(address: string): ProjectModule {
    let known = this.#modules.get(address)
    if (known === undefined) {
      known = { address, path: fileURLToPath(address), changes: [], stamp: undefined, imports: new Set() }
      this.#modules.set(address, known)
    }
    return known
  }

  /** What lies in the project's folder, and what it reaches by path through links or beside it; no packages. */
  #isOfProject(address: string, asked: string | undefined, parent: ProjectModule | undefined): boolean {
    if (address.startsWith(FRAMEWORK)) return false
    if (address.startsWith(this.#realRoot)) return !IN_PACKAGES.test(address.slice(this.#realRoot.length))
    if (asked === undefined || IN_PACKAGES.test(address)) return false
    const href = pathToFileURL(asked).href
    return parent !== undefined || href.startsWith(this.#root) || href.startsWith(this.#realRoot)
  }
}

const commonJS = module.createRequire(import.meta.url)

/**
 * The generation of a module that an importer is to see: the current one, or for an importer that is itself out of date
 * the one that it was written for.
 */
function generationFor(known: ProjectModule, parent: ProjectModule | undefined, parentURL = ''): number {
  const own = Number(LABEL.exec(parentURL)?.[2] ?? 0)
  const outdatedIn = parent?.changes.find((generation) => generation > own)
  if (outdatedIn === undefined) return known.changes.at(-1) ?? 0
  return known.changes.findLast((generation) => generation < outdatedIn) ?? 0
}

/** An address without its query and fragment. */
function bare(url: string): string {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}

function labelled(url: string, generation: number): string {
  return `${url}${url.includes('?') ? '&' : '?'}reload=${generation}`
}

/** A text in which addresses are as people wrote them. */
export function withoutLabels(text: string): string {
  return text.replaceAll(/\?reload=\d+(?![\d&])|&reload=\d+(?!\d)/g, '')
}

/** The path that a specifier states, links not followed; undefined for packages and whatever is no file. */
function pathAsked(specifier: string, parentURL: string | undefined): string | undefined {
  if (!/^(\.{0,2}\/|file:)/.test(specifier)) return undefined
  try {
    return fileURLToPath(bare(new URL(specifier, parentURL).href))
  } catch {
    return undefined // Node says what is wrong with it.
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
