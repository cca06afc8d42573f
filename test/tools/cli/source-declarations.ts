/** Declarations of the sources as they are now. A project compiles against them six times as fast as against the sources. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE } from './command-line.ts'

/** The compiler, to be run by Node. */
export const TSC = join(PACKAGE, 'node_modules/.bin/tsc')

let folder: string | undefined

/** Returns the compiler option `paths` by which modules of a project find the declarations, which a process writes once. */
export function pathsOfDeclarations(): Readonly<Record<string, readonly string[]>> {
  folder ??= emitted()
  const { exports }: { exports: Record<string, string | { readonly types: string }> } = JSON.parse(
    readFileSync(join(PACKAGE, 'package.json'), 'utf8'),
  )
  const paths: Record<string, string[]> = {}
  for (const [entry, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue
    paths[entry.replace('.', 'propylon')] = [target.types.replace('./dist', folder)]
  }
  return paths
}

function emitted(): string {
  // Within the package, so that declarations find its dependencies.
  const out = mkdtempSync(join(PACKAGE, 'node_modules/.propylon-declarations-'))
  process.on('exit', () => rmSync(out, { recursive: true, force: true }))
  const words = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', out]
  const { status, stdout } = spawnSync(process.execPath, [TSC, ...words], { cwd: PACKAGE, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
  return out
}
