/**
 * Sources of templates: a directory, or a record of name to text for runtimes without a file system.
 *
 * @module
 */

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

const MAX_LISTED_FILES = 5000

/**
 * Templates in a directory. Requires `process.getBuiltinModule` (Node, Bun, Deno), so that runtimes without a file
 * system need not resolve `node:fs`.
 *
 * @param directory - a `file:` URL, or a path, relative to the working directory.
 * @throws TypeError - the URL is not a `file:` URL.
 * @throws Error - the runtime has no file system.
 */
export function directorySource(directory: URL | string): TemplateSource {
  const { fs, path, url } = fileSystem()
  const root = path.resolve(typeof directory === 'string' ? directory : url.fileURLToPath(directory))
  return {
    compileEarly: false,
    get place() {
      return fs.existsSync(root) ? root : `${root}, which does not exist`
    },
    read(file) {
      try {
        return fs.readFileSync(path.join(root, file), 'utf8').replace(/^\uFEFF/, '')
      } catch (error) {
        if (isAbsence(error)) return undefined
        throw error
      }
    },
    path: (file) => path.join(root, file),
    names() {
      const names: string[] = []
      const folders = ['']
      for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
        if (names.length > MAX_LISTED_FILES || !fs.existsSync(path.join(root, folder))) break
        for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
          if (entry.isDirectory()) folders.push(`${folder}${entry.name}/`)
          else names.push(folder + entry.name)
        }
      }
      return names
    },
  }
}

function isAbsence(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR'
}

function fileSystem() {
  const load = typeof process === 'undefined' ? undefined : process.getBuiltinModule
  if (load === undefined) {
    throw new Error(
      'This runtime has no file system to read templates from. Give them as a record of name to text.',
    )
  }
  return { fs: load('node:fs'), path: load('node:path'), url: load('node:url') }
}
