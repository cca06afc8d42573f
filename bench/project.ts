/** Creates temporary projects that use the built package from their node_modules, as users do. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('..', import.meta.url))

/** The build output, which is published. */
export const dist = join(checkout, 'dist')

/** Builds the package, so that no older build is measured. */
export function build(): void {
  execFileSync('npm', ['run', 'build'], { cwd: checkout, stdio: 'pipe' })
}

/**
 * Creates a project.
 *
 * @param files - contents of the files, by path.
 * @returns the root of the project.
 */
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
