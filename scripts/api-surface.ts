/**
 * Writes the public interface of the package to `api/`: one file for each entry, one line for each name and each
 * member.
 *
 *     node scripts/api-surface.ts            writes the files
 *     node scripts/api-surface.ts --check    exits with 1 if they differ from the sources, and prints the lines
 *
 * A name that several entries export is written in the first one of package.json.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = join(root, 'api')

/** A statement of a module. */
export interface Statement {
  readonly file: string
  /** The names that it declares. */
  readonly names: readonly string[]
  readonly text: string
}

/** A parsed module. */
interface Module {
  readonly statements: readonly Statement[]
  /** Names that come from other modules, by their local names. */
  readonly imports: ReadonlyMap<string, Origin>
  /** Exported names and where they come from. */
  readonly exports: ReadonlyMap<string, Origin>
  /** Modules of which all names are exported. */
  readonly stars: readonly string[]
}

/** A name in a module. */
interface Origin {
  readonly file: string
  readonly name: string
}

/** Members whose key is a symbol of a module: the framework's own, as are the types that only they refer to. */
const INTERNAL_MEMBERS = /^ +(?:static |readonly |get )*\[[A-Z][A-Z_]*\].*;\n/gm

const FROM = /^(import|export)(?: type)?(?: \{([\s\S]*?)\}| (\*))?(?: from)? ?(?:'([^']+)')?/

/**
 * Resolves exported names to their declarations, which tsc has written without comments. The text is split by its
 * layout, which tsc keeps: a statement begins in the first column.
 */
export class Declarations {
  readonly #modules = new Map<string, Module>()

  /** Returns the exported names of a module and the statements that declare them. Overloads are several. */
  exportsOf(file: string): Map<string, Statement[]> {
    const names = new Map<string, Statement[]>()
    for (const { file: from, name, as } of this.#exported(file)) {
      const statements = this.#find(from, name)
      if (statements.length === 0) throw new Error(`${from} does not declare ${name}, which ${file} exports as ${as}`)
      names.set(as, statements)
    }
    return names
  }

  /**
   * Returns the statements of the types that a statement refers to, directly or through each other.
   *
   * @param isKnown - whether a statement is left out, with those that only it refers to.
   */
  referredTo(statement: Statement, isKnown: (statement: Statement) => boolean = () => false): Set<Statement> {
    const found = new Set<Statement>()
    for (const pending = [statement]; pending.length > 0; ) {
      const { file, names, text } = pending.pop() ?? statement
      for (const name of new Set(text.replaceAll(INTERNAL_MEMBERS, '').match(/\b[A-Z]\w+/g))) {
        if (names.includes(name)) continue
        for (const each of this.#find(file, name)) {
          if (found.has(each) || each === statement || isKnown(each)) continue
          found.add(each)
          pending.push(each)
        }
      }
    }
    return found
  }

  /** Returns the statements that declare a name, in its module or in the one that it is imported from. */
  #find(file: string, name: string): Statement[] {
    const { statements, imports, exports, stars } = this.#module(file)
    const own = statements.filter(({ names }) => names.includes(name))
    if (own.length > 0) return own
    const origin = imports.get(name) ?? exports.get(name)
    if (origin !== undefined) return origin.file === file ? [] : this.#find(origin.file, origin.name)
    return stars.map((star) => this.#find(star, name)).find((found) => found.length > 0) ?? []
  }

  *#exported(file: string): Generator<Origin & { readonly as: string }> {
    const { statements, exports, stars } = this.#module(file)
    for (const [as, origin] of exports) yield { ...origin, as }
    for (const { text, names } of statements) {
      if (text.startsWith('export ')) for (const name of names) yield { file, name, as: name }
    }
    for (const star of stars) {
      for (const each of this.#exported(star)) if (!exports.has(each.as)) yield each
    }
  }

  #module(file: string): Module {
    const known = this.#modules.get(file)
    if (known !== undefined) return known
    const module = parse(file, readFileSync(file, 'utf8'))
    this.#modules.set(file, module)
    return module
  }
}

function parse(file: string, source: string): Module {
  const statements: Statement[] = []
  const imports = new Map<string, Origin>()
  const exports = new Map<string, Origin>()
  const stars: string[] = []
  for (const text of source.trim().split(/\n(?=[^\s}\])])/)) {
    const declared = declaredNames(text)
    const [, keyword, list = '', star, path = file] = declared.length > 0 ? [] : (FROM.exec(text) ?? [])
    const isForeign = path !== file && !path.startsWith('.')
    const listed = [...list.matchAll(/(?:^|,)\s*(?:type )?(\w+)(?: as (\w+))?(?=\s*(?:,|$))/g)]
    // A name that another package declares is declared by its export.
    const names = isForeign && keyword === 'export' ? listed.map(([, name = '', as = name]) => as) : declared
    statements.push({ file, names, text })
    if (isForeign) continue
    const from = path === file ? file : join(dirname(file), path.replace(/\.ts$/, '.d.ts'))
    if (star !== undefined) stars.push(from)
    for (const [, name = '', as = name] of listed) {
      if (keyword === 'import') imports.set(as, { file: from, name })
      else exports.set(as, { file: from, name })
    }
  }
  return { statements, imports, exports, stars }
}

/** Returns the names that a statement declares. */
function declaredNames(text: string): string[] {
  const [, kind, name] =
    /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(class|function|const|let|var|interface|type|namespace|enum) (\w+)/.exec(
      text,
    ) ?? []
  if (name === undefined) return []
  if (kind !== 'const') return [name]
  // The types of several constants in one statement are separated from the next name by a comma.
  return [name, ...[...text.matchAll(/[;,]\s*(\w+): (?=typeof |[A-Z])/g)].map(([, other = '']) => other)]
}

/** Returns the text of each file of `api/` by its name. */
function apiSurface(): Map<string, string> {
  const manifest: { exports: Record<string, string | { 'propylon-source': string }> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const written = mkdtempSync(join(tmpdir(), 'propylon-declarations-'))
  try {
    const words = ['-p', 'tsconfig.build.json', '--removeComments', '--outDir', written]
    const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), words, { cwd: root, stdio: 'inherit' })
    if (status !== 0) throw new Error('tsc failed')
    const sources = Object.entries(manifest.exports).flatMap(([path, target]): [string, string][] => {
      if (typeof target === 'string') return []
      const module = target['propylon-source'].replace(/^\.\/src\/(.*)\.ts$/, '$1.d.ts')
      return [[path.replace('.', 'propylon'), join(written, module)]]
    })
    return surfaceOf(sources)
  } finally {
    rmSync(written, { recursive: true })
  }
}

/** @param modules - the declarations of the entries by the names that applications import. */
function surfaceOf(modules: readonly (readonly [entry: string, file: string])[]): Map<string, string> {
  const declarations = new Declarations()
  const files = new Map<string, string>()
  const places = new Map<Statement, string>()
  const surfaces = modules.map(([entry, file]) => {
    const names = [...declarations.exportsOf(file)].sort(([a], [b]) => compare(a, b))
    for (const statement of names.flatMap(([, statements]) => statements)) {
      if (!places.has(statement)) places.set(statement, entry)
    }
    return { entry, names }
  })
  const isWritten = new Set<Statement>()
  for (const { entry, names } of surfaces) {
    const hidden = new Map<Statement, string>()
    const lines = names.flatMap(([name, statements]) => {
      const [first] = statements
      const place = first && places.get(first)
      if (place !== entry) return [`${name}: see ${place}`]
      for (const statement of statements) {
        for (const each of declarations.referredTo(statement, (each) => places.has(each) || isWritten.has(each))) {
          if (!places.has(each)) hidden.set(each, each.names.join())
        }
      }
      return statements.flatMap(linesOf)
    })
    for (const each of hidden.keys()) isWritten.add(each)
    const others = [...hidden].sort(([, a], [, b]) => compare(a, b)).flatMap(([statement]) => linesOf(statement))
    files.set(
      `${entry.replace('/', '-')}.txt`,
      `${[`# ${entry}`, '', ...lines, ...(others.length > 0 ? ['', '# Types without an export', '', ...others] : [])].join('\n')}\n`,
    )
  }
  return files
}

/** Returns a line for a statement, and one for each member of a class or an interface, in the order of their names. */
function linesOf({ text }: Statement): string[] {
  const plain = text.replaceAll(INTERNAL_MEMBERS, '').replace(/^export (?:declare )?|^declare /, '')
  const [, head, body] = /^((?:abstract )?(?:class|interface) [\s\S]*?) \{\n([\s\S]*)\n\}$/.exec(plain) ?? []
  if (head === undefined || body === undefined) return [oneLine(plain)]
  const members = body
    .split(/\n(?= {4}[^\s})\]])/)
    .map(oneLine)
    .filter((member) => !/^(?:#private|private )/.test(member))
    .sort((a, b) => compare(nameOf(a), nameOf(b)))
  return [oneLine(head), ...members.map((member) => `  ${member}`)]
}

/** Returns the name of a member without its modifiers. */
function nameOf(member: string): string {
  return member.replace(/^(?:static |protected |readonly |abstract |get |set )*/, '').replace(/\W.*$/, '')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replace(/;$/, '').trim()
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Returns the lines of one text that the other lacks. */
function missing(from: string, text: string): string[] {
  const lines = new Set(text.split('\n'))
  return from.split('\n').filter((line) => !lines.has(line))
}

if (import.meta.main) {
  const files = apiSurface()
  const names = new Set([...files.keys(), ...readdirSync(folder).filter((name) => name.endsWith('.txt'))])
  for (const name of names) {
    const path = join(folder, name)
    const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const now = files.get(name) ?? ''
    if (before === now) continue
    if (!process.argv.includes('--check')) {
      if (now === '') rmSync(path)
      else writeFileSync(path, now)
      continue
    }
    process.exitCode = 1
    console.error(`api/${name} differs from the sources. If the change is meant, run node scripts/api-surface.ts.`)
    for (const line of missing(before, now)) console.error(`- ${line}`)
    for (const line of missing(now, before)) console.error(`+ ${line}`)
  }
}
