/** Projects as users have them: a folder of their own, and the built package in its node_modules. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('..', import.meta.url))

/** What is published. */
export const dist = join(checkout, 'dist')

/** Builds the package: an older build would be measured unnoticed. */
export function build(): void {
  execFileSync('npm', ['run', 'build'], { cwd: checkout, stdio: 'pipe' })
}

/** Makes a project of some files, given by their paths in it, and gives its root. */
export function makeProject(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'propylon-bench-'))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(checkout, join(root, 'node_modules/propylon'))
  for (const [path, text] of Object.entries({ 'package.json': '{ "type": "module" }\n', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

export function removeProject(root: string): void {
  rmSync(root, { recursive: true })
}
