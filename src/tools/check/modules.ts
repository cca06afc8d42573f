import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isRecord } from '../../base/record.ts'
import { memberOf } from '../../base/thrown.ts'
import { type Declarations, readDeclarations } from './declarations.ts'
import { parseModule } from './parse.ts'
import { remembered } from './remembered.ts'
import type { Of } from './syntax.ts'

/** A parsed module of the project. */
export interface SourceModule {
  /** Absolute path. */
  readonly path: string
  readonly text: string
  readonly tree: Of<'Program'>
  readonly declarations: Declarations
  /** The modules among which its imports are found. */
  readonly project: ProjectModules
}

/** A file that cannot be parsed, with the place of the mistake. Columns are counted from 1. */
export interface UnreadableModule {
  readonly path: string
  readonly line: number
  readonly column: number
}

/** The modules of a project. Each is parsed once, when it is first needed. */
export class ProjectModules {
  /** Returns the text of a file, or undefined if there is no such file. */
  readonly text = remembered((path: string) => (isFile(path) ? readFileSync(path, 'utf8') : undefined))

  /** Returns a module or the reason why it cannot be parsed; undefined if there is no such file. */
  readonly read = remembered((path: string) => {
    const text = this.text(path)
    return text === undefined ? undefined : this.#parse(path, text)
  })

  /** Returns a function that resolves the imports of the module at a path. */
  readonly #resolver = remembered((from: string) =>
    remembered((specifier: string) => resolveFile(specifier, from)),
  )

  /** Returns a module, or undefined if the file cannot be read or parsed. */
  get(path: string): SourceModule | undefined {
    const module = this.read(path)
    return module !== undefined && 'tree' in module ? module : undefined
  }

  /** Returns the path of the module that the one at `from` imports, or undefined for packages and missing files. */
  resolve(specifier: string, from: string): string | undefined {
    return this.#resolver(from)(specifier)
  }

  /** Returns the module that the one at `from` imports, or undefined for packages and files that cannot be read. */
  imported(specifier: string, from: string): SourceModule | undefined {
    const path = this.resolve(specifier, from)
    return path === undefined ? undefined : this.get(path)
  }

  #parse(path: string, text: string): SourceModule | UnreadableModule {
    try {
      const tree = parseModule(path, text)
      return { path, text, tree, declarations: readDeclarations(tree), project: this }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return { path, ...placeOfError(error) }
    }
  }
}

function placeOfError(error: SyntaxError): { line: number; column: number } {
  const loc = memberOf(error, 'loc')
  return isRecord(loc) ? { line: Number(loc.line), column: Number(loc.column) + 1 } : { line: 1, column: 1 }
}

/** Extensions of modules, tried for a specifier without one and for `.js`, as bundlers do. */
const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js']

function resolveFile(specifier: string, from: string): string | undefined {
  const path = specifier.startsWith('#')
    ? internalImport(specifier, from)
    : /^\.{0,2}\//.test(specifier)
      ? join(specifier.startsWith('/') ? '/' : dirname(from), specifier)
      : undefined
  if (path === undefined || /(?:^|[/\\])node_modules[/\\]/.test(path)) return undefined
  const bare = path.replace(/\.m?js$/, '')
  const candidates = [path, ...EXTENSIONS.map((extension) => bare + extension)]
  const found = candidates.find(isFile)
  return found && realpathSync(found)
}

/** Resolves an import of the package itself, as its package.json defines them (`#lib/base`). */
function internalImport(specifier: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(specifier)
  } catch {
    return undefined // Not defined, or only for other conditions. The class is then read at run time.
  }
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}
