/** What the servers have in common: files, a secret, and the guard. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Text that only guarded responses have. */
export const secret = process.env.GUARDED_SECRET ?? 'secret'

/** Value of the header field X-Token that opens the guards. */
export const token = process.env.GUARDED_TOKEN ?? 'token'

/** Loads a package in the versions that the command line names: `affected` or `fixed`. */
export const load = createRequire(
  join(import.meta.dirname, '../../../packages', `guards-${process.argv[2] ?? 'affected'}`, 'package.json'),
)

/** Returns a directory with a public file and one that is guarded. Its place is removed with the server. */
export function files() {
  const folder = join(process.env.GUARDED_FOLDER ?? '.', 'files')
  mkdirSync(join(folder, 'private'), { recursive: true })
  writeFileSync(join(folder, 'app.css'), 'open')
  writeFileSync(join(folder, 'private/secret.txt'), secret)
  return folder
}

/** Prints the port, for the program that has started the server. */
export function ready(port) {
  console.log(`listening on ${port}`)
}
