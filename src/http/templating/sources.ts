/**
 * Sources of templates: a directory, or a record of name to text for runtimes without a file system.
 *
 * @module
 */

import { builtin } from '../../base/builtin.ts'
import { fileNames, filePathOf } from '../../base/files.ts'
import { memberOf } from '../../base/thrown.ts'

/** Reads templates by file name, which is validated, relative, and separated by `/`. */
export interface TemplateSource {
  /** Human-readable location, for error messages. */
  readonly place: string
  /** Whether to compile all templates when the engine is created. */
  readonly compileEarly: boolean
  /** Returns the current text, or `undefined` if the template does not exist. */
  read(file: string): string | undefined
  /** Returns the path of a file, for error messages. */
  path(file: string): string
  /** Returns the names of all templates, for suggestions. */
  names(): string[]
}

/** Templates in memory: name, with or without `.eta`, to text. */
export function recordSource(record: Readonly<Record<string, string>>): TemplateSource {
  return {
    place: 'the templates given as a record',
    compileEarly: true,
    read: (file) => (Object.hasOwn(record, file) ? record[file] : undefined),
    path: (file) => file,
    names: () => Object.keys(record),
  }
}

/** Error codes of names without a file. Others, such as ELOOP of a link that leads to itself, are errors of the directory. */
const ABSENT: ReadonlySet<unknown> = new Set(['EISDIR', 'ENOENT', 'ENOTDIR'])

/**
 * Templates in a directory. Requires `process.getBuiltinModule` (Node, Bun, Deno), so that runtimes without a file
 * system need not resolve `node:fs`.
 *
 * @param directory - a `file:` URL, or a path, relative to the working directory.
 * @throws TypeError - the URL is not a `file:` URL.
 * @throws Error - the runtime has no file system.
 */
export function directorySource(directory: URL | string): TemplateSource {
  const { fs, path } = fileSystem()
  const root = path.resolve(filePathOf(directory))
  return {
    compileEarly: false,
    get place() {
      return fs.existsSync(root) ? root : `${root}, which does not exist`
    },
    read(file) {
      try {
        return fs.readFileSync(path.join(root, file), 'utf8').replace(/^\uFEFF/, '')
      } catch (error) {
        if (ABSENT.has(memberOf(error, 'code'))) return undefined
        throw error
      }
    },
    path: (file) => path.join(root, file),
    names: () => (fs.existsSync(root) ? fileNames(root, () => true) : []),
  }
}

function fileSystem() {
  try {
    return { fs: builtin('node:fs'), path: builtin('node:path') }
  } catch (cause) {
    throw new Error(
      'This runtime has no file system to read templates from. Give them as a record of name to text.',
      { cause },
    )
  }
}
