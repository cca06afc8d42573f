/**
 * Hashes of the content of files: entity tags, and the fingerprints in the URLs of assets. By these a client
 * recognizes a version on every machine.
 *
 * @module
 */
import { builtin } from '../../base/builtin.ts'
import { fileNames } from '../../base/files.ts'
import { isServedName } from './directory.ts'
import { FINGERPRINT_LENGTH, type FileVersion, type OpenFile, versionOf } from './open-file.ts'

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
      const fingerprint = digestOf(descriptor).slice(0, FINGERPRINT_LENGTH)
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
function digestOf(descriptor: number): string {
  const { readSync } = builtin('node:fs')
  const hash = builtin('node:crypto').createHash('sha256')
  const buffer = new Uint8Array(CHUNK_LENGTH)
  const read = () => readSync(descriptor, buffer, 0, CHUNK_LENGTH, null)
  for (let length = read(); length > 0; length = read()) hash.update(buffer.subarray(0, length))
  return hash.digest('hex')
}

/** Maximum size of a file whose entity tag is a hash, in bytes. A longer one is not read before it is sent. */
const MAX_HASHED = 1024 * 1024

/** Maximum number of hashes that are kept. */
const MAX_KEPT = 10_000

/** Hashes by path. One that is being computed serves all requests for the file. */
const kept = new Map<string, { readonly version: string; readonly hash: Promise<string> }>()

/**
 * Returns the entity tag of a file: a hash of its content, or the size and the times of a long file. The times of a
 * short file would not do: two versions within a tick of the clock would be equal.
 */
export async function entityTagOfFile(file: OpenFile): Promise<string> {
  return file.size <= MAX_HASHED ? `"${(await hashOf(file)).slice(0, 32)}"` : `"${file.version.text}"`
}

/** Returns the fingerprint of the content of a file: the value of `v` in the URL of an asset. */
export async function fingerprintOf(file: OpenFile): Promise<string> {
  return (await hashOf(file)).slice(0, FINGERPRINT_LENGTH)
}

/** Returns the SHA-256 of the content in hexadecimal digits, and leaves the file open. */
function hashOf(file: OpenFile): Promise<string> {
  const { text: version, settled } = file.version
  if (!settled) return computeHash(file)
  const known = kept.get(file.path)
  if (known?.version === version) return known.hash
  const hash = computeHash(file)
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(file.path, { version, hash })
  hash.catch(() => kept.delete(file.path))
  return hash
}

async function computeHash(file: OpenFile): Promise<string> {
  const digest = builtin('node:crypto').createHash('sha256')
  for await (const chunk of file.chunks()) digest.update(chunk)
  return digest.digest('hex')
}
