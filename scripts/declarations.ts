/**
 * Reads declarations that tsc has written, and resolves the names that a module exports. The text is split by its layout,
 * which tsc keeps: a statement begins in the first column, and so does a doc comment.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A statement of a module. */
export interface Statement {
  readonly file: string
  /** The names that it declares. */
  readonly names: readonly string[]
  /** The doc comment above it, or ''. */
  readonly comment: string
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

/** A doc comment and a statement, or a doc comment that belongs to none. */
const PARTS =
  /(?<comment>\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(?<text>[^\s/}\])][\s\S]*?(?:\n(?=[^\s}\])])|\n?$(?![\s\S])))|\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/g

/** Members whose key is a symbol of a module: the framework's own, as are the types that only they refer to. */
export const INTERNAL_MEMBERS = /^[\t ]+(?:static |readonly |get )*\[[A-Z][A-Z_]*\].*;\n/gm

/** Doc comments, whose examples import as well. */
const COMMENTS = /\/\*[\s\S]*?\*\//g

const FROM = /^(import|export)(?: type)?(?: \{([\s\S]*?)\}| (\*))?(?: from)? ?(?:'([^']+)')?/

/** Resolves exported names to their declarations. */
export class Declarations {
  readonly #modules = new Map<string, Module>()

  /** Returns the exported names of a module and the statements that declare them. Overloads are several. */
  exportsOf(file: string): Map<string, Statement[]> {
    const names = new Map<string, Statement[]>()
    for (const { file: from, name, as } of this.#exported(file)) {
      const statements = this.find(from, name)
      if (statements.length === 0)
        throw new Error(`${from} does not declare ${name}, which ${file} exports as ${as}`)
      names.set(as, statements)
    }
    return names
  }

  /** Returns the statements that declare a name, in its module or in the one that it is imported from. */
  find(file: string, name: string): Statement[] {
    const { statements, imports, exports, stars } = this.#module(file)
    const own = statements.filter(({ names }) => names.includes(name))
    if (own.length > 0) return own
    const origin = imports.get(name) ?? exports.get(name)
    if (origin !== undefined) return origin.file === file ? [] : this.find(origin.file, origin.name)
    return stars.map((star) => this.find(star, name)).find((found) => found.length > 0) ?? []
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
      for (const name of new Set(
        text
          .replaceAll(COMMENTS, '')
          .replaceAll(INTERNAL_MEMBERS, '')
          .match(/\b[A-Z]\w+/g),
      )) {
        if (names.includes(name)) continue
        for (const each of this.find(file, name)) {
          if (found.has(each) || each === statement || isKnown(each)) continue
          found.add(each)
          pending.push(each)
        }
      }
    }
    return found
  }

  /** Returns statements and all that they refer to by any name, directly or through each other. */
  needed(statements: Iterable<Statement>): Set<Statement> {
    const found = new Set(statements)
    for (const { file, text } of found) {
      for (const name of wordsOf(text)) for (const each of this.find(file, name)) found.add(each)
    }
    return found
  }

  /** Returns the files that a module needs: those that it imports, directly or not, and itself. */
  reachable(...files: string[]): Set<string> {
    const found = new Set<string>()
    for (const pending = [...files]; pending.length > 0; ) {
      const file = pending.pop()
      if (file === undefined || found.has(file)) continue
      found.add(file)
      for (const [, path = ''] of readFileSync(file, 'utf8')
        .replaceAll(COMMENTS, '')
        .matchAll(/(?:\bfrom |^import |\bimport\()["'](\.[^"']+)/gm)) {
        pending.push(resolved(file, path))
      }
    }
    return found
  }

  /** Returns the statements of a module in their order. */
  statementsOf(file: string): readonly Statement[] {
    return this.#module(file).statements
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

/** Returns the words of declarations, without those of their comments. */
export function wordsOf(text: string): Set<string> {
  return new Set(text.replaceAll(COMMENTS, '').match(/[\w$]+/g))
}

function parse(file: string, source: string): Module {
  const statements: Statement[] = []
  const imports = new Map<string, Origin>()
  const exports = new Map<string, Origin>()
  const stars: string[] = []
  for (const { groups = {} } of source.matchAll(PARTS)) {
    const { comment = '', text = '' } = groups
    const declared = declaredNames(text)
    const [, keyword, list = '', star, path = file] = declared.length > 0 ? [] : (FROM.exec(text) ?? [])
    const isForeign = path !== file && !path.startsWith('.')
    const listed = [...list.matchAll(/(?:^|,)\s*(?:type )?(\w+)(?: as (\w+))?(?=\s*(?:,|$))/g)]
    // A name that another package declares is declared by its export.
    const names = isForeign && keyword === 'export' ? listed.map(([, name = '', as = name]) => as) : declared
    if (text !== '') statements.push({ file, names, comment, text: text.trimEnd() })
    if (isForeign) continue
    const from = path === file ? file : resolved(file, path)
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

/** Returns the declarations of the module that a path names. */
function resolved(file: string, path: string): string {
  return join(dirname(file), path.replace(/(?:\.d)?\.[jt]s$/, '.d.ts'))
}
