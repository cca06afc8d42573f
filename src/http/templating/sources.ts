/**
 * Sources of templates: a directory, or a record of name to text for runtimes without a file system.
 *
 * @module
 */

import { builtin } from '../../base/builtin.ts'
import { fileNames, filePathOf } from '../../base/files.ts'
import { shownPlaces } from '../../base/place.ts'
import { similarPath } from '../../base/suggest.ts'
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

/**
 * Error codes of names without a file. Others, such as ELOOP of a link that leads to itself, are errors of the
 * directory.
 */
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
      const shown = shownPlaces(root)
      return fs.existsSync(root) ? shown : `${shown}, which does not exist`
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
    const message = 'This runtime has no file system to read templates from. Give them as a record of name to text.'
    throw new Error(message, { cause })
  }
}

const MAX_NAME_LENGTH = 200

/** The name is invalid, or no template has it. The engine adds the place. */
export class TemplateNameError extends Error {
  override readonly name = 'TemplateNameError'
}

/**
 * Returns the files to try for a name, in order: with `.eta` appended, then unchanged.
 *
 * A name is relative to the templates' root. Inside a template, one that begins with `./` or `../` is relative to that
 * template's folder.
 *
 * @param from - the file of the template that includes the other one.
 * @throws TemplateNameError - the name is empty, absolute, leads out of the root, or is otherwise unsafe.
 */
export function candidateFiles(name: string, from?: string): string[] {
  const file = from !== undefined && /^\.\.?\//.test(name) ? resolveFrom(from, name) : name
  if (!isName(file)) {
    throw new TemplateNameError(
      `${JSON.stringify(name)} is not a template name. Write a path below the templates' root, such as users/index, of ${MAX_NAME_LENGTH} characters at most`,
    )
  }
  return file.endsWith('.eta') ? [file] : [`${file}.eta`, file]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
const REFUSED = /[\\:\u0000-\u001f\u007f\u2028\u2029]/

function isName(file: string): boolean {
  if (typeof file !== 'string' || file.length > MAX_NAME_LENGTH || REFUSED.test(file)) return false
  return file.isWellFormed() && file.split('/').every((segment) => !/^\.{0,2}$/.test(segment))
}

/** Resolves a relative name. One that leads out of the root keeps its `..`, which validation refuses. */
function resolveFrom(from: string, name: string): string {
  const segments = from.split('/').slice(0, -1)
  for (const segment of name.split('/')) {
    if (segment === '.') continue
    if (segment === '..' && segments.length > 0 && segments.at(-1) !== '..') segments.pop()
    else segments.push(segment)
  }
  return segments.join('/')
}

/** Returns the name of the template that was probably meant. */
export function nearestTemplate(name: string, names: Iterable<string>): string | undefined {
  return similarPath(bareName(name), [...names].map(bareName))
}

function bareName(name: string): string {
  return name.replace(/\.eta$/, '')
}
