/**
 * Hashes of the content of files, by which a client recognizes a version on every machine.
 *
 * @module
 */
import { builtin } from '../../base/builtin.ts'
import { FINGERPRINT_LENGTH } from './file-version.ts'
import type { OpenFile } from './open-file.ts'

/** Maximum size of a file whose entity tag is a hash, in bytes. A longer one is not read before it is sent. */
const MAX_HASHED = 1024 * 1024

/** Maximum number of hashes that are kept. */
const MAX_KEPT = 10_000

/** Hashes by path. One that is being computed serves all requests for the file. */
const kept = new Map<string, { readonly version: string; readonly hash: Promise<string> }>()

/**
 * Returns the entity tag of a file: a hash of its content, or the size and the times of a long file. The times of a short
 * file would not do: two versions within a tick of the clock would be equal.
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
