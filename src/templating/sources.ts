/**
 * Where the text of templates comes from: a directory, or a record of name to text where there is no file system.
 *
 * @module
 */

/** Reads templates by file name (already checked, relative, parted by `/`). */
export interface TemplateSource {
  /** Where is looked, in words for an error message. */
  readonly place: string
  /** Everything is at hand, so that all templates may be compiled at the start. */
  readonly compileEarly: boolean
  /** The text as it is now; `undefined` when there is no such template. */
  read(file: string): string | undefined
  /** The file as a person would look for it. */
  path(file: string): string
  /** The names of all templates, for a suggestion. */
  names(): string[]
}

/** Templates held in memory: name (with or without `.eta`) to text. */
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
 * Templates in a directory. Needs a runtime with `process.getBuiltinModule` (Node, Bun, Deno), which keeps `node:fs`
 * out of the import graph of runtimes that have no file system.
 *
 * @param directory - a `file:` URL or a path (a relative one starts at the working directory).
 * @throws TypeError when the URL is not a `file:` URL, Error when the runtime has no file system.
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
      'this runtime has no file system to read templates from: give them as a record of name to text',
    )
  }
  return { fs: load('node:fs'), path: load('node:path'), url: load('node:url') }
}
