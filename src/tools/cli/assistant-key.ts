/** The key of the tools for assistants. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the key in `.propylon/key` of a project, so that the settings of an assistant stay valid. A new one is written, for
 * its owner only. Without a file it is valid for this process.
 */
export function assistantKey(root: string): string {
  const file = join(root, '.propylon', 'key')
  try {
    const kept = readFileSync(file, 'utf8').trim()
    if (/^[\w-]{43,}$/.test(kept)) return kept
  } catch {
    // There is none yet.
  }
  const key = randomBytes(32).toString('base64url')
  try {
    mkdirSync(join(root, '.propylon'), { recursive: true })
    writeFileSync(file, `${key}\n`, { mode: 0o600 })
  } catch {
    // The folder cannot be written.
  }
  return key
}
