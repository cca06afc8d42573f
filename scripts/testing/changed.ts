/** Finds the test files that a change can affect, by the imports of the modules and the paths that they name. */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { ROOT } from './files.ts'

/** Files that every test depends on. */
const EVERYTHING = /^(?:package(?:-lock)?\.json|tsconfig\.json|scripts\/test(?:\.ts|ing\/))/

/** The templates of created projects. */
const TEMPLATES = 'src/tools/cli/templates/'

/** Imports and exports with the names that they take from a module: `import { a } from 'b'`, `export * from 'b'`. */
const IMPORT =
  /(?:^|\n)(?:import|export)\b([^'";]*?)\bfrom\s*'([^']+)'|(?:^|\n)import\s*'([^']+)'|\bimport\(\s*'([^']+)'/g

/** Literals that may be paths. */
const LITERAL = /'([^'\n]+)'|`([^`$\n]+)/g

/** An import or export of another module of the checkout. */
interface Import {
  readonly target: string
  /** The names that are imported, or undefined for all. */
  readonly names: readonly Name[] | undefined
  readonly isExport: boolean
}

/** A name in the module that has it, and in the one that imports or exports it. */
interface Name {
  readonly inner: string
  readonly outer: string
}

interface Module {
  readonly imports: readonly Import[]
  /** Files and folders that the text of a test or script names. */
  readonly paths: readonly string[]
  /** Whether the module only exports names of others. */
  readonly isIndex: boolean
}

/** Returns the test files that the changes since a commit or branch can affect. */
export function testFilesOf(files: readonly string[], base: string | undefined): readonly string[] {
  const changed = changedFiles(base)
  if (changed.some((file) => EVERYTHING.test(file))) return files
  const graph = new Graph()
  return files.filter((file) => {
    const reached = graph.reached(file)
    return changed.some((path) => reached.has(path) || isBelow(path, reached))
  })
}

/** Returns whether a path is in a folder that was named. */
function isBelow(path: string, reached: ReadonlySet<string>): boolean {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if (reached.has(`${folder}/`)) return true
  }
  return false
}

/** Returns the files that differ from those of the commit where a branch left `base`, with new ones. */
export function changedFiles(base: string | undefined): readonly string[] {
  const known = base ?? ['origin/main', 'main'].find((name) => git(['rev-parse', '--verify', '-q', name]).ok)
  if (known === undefined)
    throw new Error('There is no branch main. Name a commit: npm run test:changed -- COMMIT')
  const left = git(['merge-base', 'HEAD', known])
  if (!left.ok) throw new Error(`git knows no common commit of HEAD and ${known}: ${left.text}`)
  const changed = git(['diff', '--name-only', '--no-renames', left.text.trim()])
  const untracked = git(['ls-files', '--others', '--exclude-standard'])
  return [...changed.text.split('\n'), ...untracked.text.split('\n')].filter((path) => path !== '')
}

function git(words: readonly string[]): { ok: boolean; text: string } {
  const { status, stdout, stderr } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' })
  return { ok: status === 0, text: status === 0 ? stdout : stderr }
}

/** The modules of the checkout and their imports. */
export class Graph {
  readonly #modules = new Map<string, Module>()
  readonly #entries = entries()

  /** Returns the files on which a file depends, and with a slash at the end the folders that it names. */
  reached(file: string): ReadonlySet<string> {
    const reached = new Set<string>()
    // Indexes of which only the exports of the imported names are followed.
    const indexes = new Set<string>()
    const open = [file]
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (reached.has(path)) continue
      reached.add(path)
      if (/\.(?:ts|mjs|js)$/.test(path)) open.push(...this.#needs(path, indexes))
      // Created projects import the framework, and the tests run them.
      else if (path === TEMPLATES) open.push(...globSync(`${path}**/*.ts`, { cwd: ROOT }))
    }
    return new Set([...reached, ...indexes])
  }

  /** Returns the files on which a module depends itself. Adds the indexes that export them to a set. */
  #needs(path: string, indexes: Set<string>): string[] {
    const { imports, paths } = this.#module(path)
    const modules = imports.flatMap(({ target, names }) =>
      names === undefined ? [target] : names.map(({ inner }) => this.#home(target, inner, indexes)),
    )
    return [...modules, ...paths]
  }

  #module(path: string): Module {
    const known = this.#modules.get(path)
    if (known !== undefined) return known
    const text = readFileSync(join(ROOT, path), 'utf8')
    const imports: Import[] = []
    for (const [statement, clause = '', from, bare, dynamic] of text.matchAll(IMPORT)) {
      const target = this.#resolve(path, from ?? bare ?? dynamic ?? '')
      const isExport = statement.trimStart().startsWith('export')
      if (target !== undefined) imports.push({ target, names: namesOf(clause), isExport })
    }
    const code = text.replaceAll(/\/\*.*?\*\/|(?<![:'])\/\/[^\n]*/gs, '')
    const module = {
      imports,
      paths: namedPaths(path, text),
      isIndex: code.replaceAll(/export\b[^;'"]*?\bfrom\s*'[^']+'/g, '').trim() === '',
    }
    this.#modules.set(path, module)
    return module
  }

  /** Returns the module that defines a name, which an index may export only. Adds the index to a set. */
  #home(target: string, name: string, indexes: Set<string>): string {
    if (!target.endsWith('.ts')) return target
    const { imports, isIndex } = this.#module(target)
    if (!isIndex) return target
    indexes.add(target)
    for (const { target: inside, names } of imports) {
      const found = names?.find(({ outer }) => outer === name)
      if (found !== undefined) return this.#home(inside, found.inner, indexes)
    }
    return target
  }

  /** Returns the path of an imported module of the checkout, or undefined for packages. */
  #resolve(from: string, specifier: string): string | undefined {
    const entry = this.#entries.get(specifier)
    if (entry !== undefined) return entry
    if (!specifier.startsWith('.')) return undefined
    const path = normalize(join(dirname(from), specifier))
    return existsSync(join(ROOT, path)) ? path : undefined
  }
}

/** Returns the names of an import clause, or undefined if it takes all of them. */
function namesOf(clause: string): readonly Name[] | undefined {
  const [, braces] = /\{([^}]*)\}/.exec(clause) ?? []
  if (braces === undefined) return undefined
  return braces
    .split(',')
    .map((part) => part.trim().replace(/^type /, ''))
    .filter((part) => part !== '')
    .map((part) => {
      const [inner = '', outer = inner] = part.split(/ as /)
      return { inner, outer }
    })
}

/** Returns the files and folders that the literals of a module name, from the root or from the module. */
function namedPaths(from: string, text: string): string[] {
  const found = new Set<string>()
  for (const [, quoted, template] of text.matchAll(LITERAL)) {
    // A template may leave the extension open: `./parser.${extension}`.
    const literal = (quoted ?? template ?? '').replace(/[*{].*$/, '').replace(/(?<=\w)\.$/, '.ts')
    if (!/^[\w.-]*\/[\w./-]*$|^[\w-]+\.(?:md|json)$|^docs$|^examples$/.test(literal)) continue
    // Paths in the sources are URLs of the framework's own files, or texts about those of applications.
    const fromRoot = from.startsWith('src/') ? [] : [normalize(literal)]
    for (const path of [...fromRoot, normalize(join(dirname(from), literal))]) {
      if (/^\.\.|^\.?\/?$|^(?:src|test|node_modules)\/?$/.test(path) || from.startsWith(path)) continue
      const stats = statSync(join(ROOT, path), { throwIfNoEntry: false })
      if (stats?.isFile()) found.add(path)
      else if (stats?.isDirectory()) found.add(path.replace(/\/?$/, '/'))
    }
  }
  return [...found]
}

/** Returns the sources of the package's entries by the names that modules import. */
function entries(): Map<string, string> {
  const { exports }: { exports: Record<string, unknown> } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  )
  const found = new Map<string, string>()
  for (const [path, target] of Object.entries(exports)) {
    if (typeof target !== 'object' || target === null || !('propylon-source' in target)) continue
    found.set(path.replace('.', 'propylon'), normalize(String(target['propylon-source'])))
  }
  return found
}
