import { builtin } from '../../base/builtin.ts'
import { fileNames } from '../../base/files.ts'
import { isServedName } from './file-name.ts'
import { FINGERPRINT_LENGTH, type FileVersion, versionOf } from './file-version.ts'

/** Number of bytes that are hashed at a time. */
const CHUNK_LENGTH = 1024 * 1024

interface Kept {
  readonly version: FileVersion
  readonly fingerprint: string
}

/**
 * Fingerprints of the files of a directory, by name. Synchronous, because templates are. The names come from the
 * application, so their number is bounded.
 */
export class AssetFingerprints {
  /** Absolute path of the directory. */
  readonly directory: string
  readonly #follows: boolean
  readonly #kept = new Map<string, Kept>()

  /**
   * @param directory - absolute path.
   * @param options.follows - whether to look at a file each time, so that its fingerprint follows a change at once.
   */
  constructor(directory: string, options: { readonly follows: boolean }) {
    this.directory = directory
    this.#follows = options.follows
  }

  /** Returns the fingerprint of a file, or `undefined` if there is none that is served. */
  of(name: string): string | undefined {
    const kept = this.#kept.get(name)
    if (kept !== undefined && !this.#follows) return kept.fingerprint
    if (!isServedName(name)) return undefined
    const { closeSync, fstatSync, openSync, statSync } = builtin('node:fs')
    const path = builtin('node:path').join(this.directory, name)
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!stats?.isFile()) return undefined
    if (kept?.version.settled && kept.version.text === versionOf(stats).text) return kept.fingerprint
    const descriptor = openSync(path, 'r')
    try {
      const version = versionOf(fstatSync(descriptor, { bigint: true }))
      const fingerprint = hashOf(descriptor).slice(0, FINGERPRINT_LENGTH)
      this.#kept.set(name, { version, fingerprint })
      return fingerprint
    } finally {
      closeSync(descriptor)
    }
  }

  /** Returns the names of the files that are served, for suggestions. */
  names(): string[] {
    return fileNames(this.directory, isServedName)
  }
}

/** Returns the SHA-256 of a file in hexadecimal digits. Reads it in chunks, because an asset may be large. */
function hashOf(descriptor: number): string {
  const { readSync } = builtin('node:fs')
  const hash = builtin('node:crypto').createHash('sha256')
  const buffer = new Uint8Array(CHUNK_LENGTH)
  const read = () => readSync(descriptor, buffer, 0, CHUNK_LENGTH, null)
  for (let length = read(); length > 0; length = read()) hash.update(buffer.subarray(0, length))
  return hash.digest('hex')
}
