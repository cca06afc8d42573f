import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE } from '../cli/command-line.ts'
import { type Files, project } from './project.ts'

const CONFIG = JSON.stringify({
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'esnext.iterator'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
})

/** Creates a project with TypeScript: a check of it starts the compiler. Unlike a created one, its configuration allows what is not used. */
export function typedProject(files: Files): string {
  const folder = project({ 'tsconfig.json': CONFIG, ...files })
  mkdirSync(join(folder, 'node_modules', '@types'))
  for (const name of ['typescript', '@types/node', 'undici-types']) {
    symlinkSync(join(PACKAGE, 'node_modules', name), join(folder, 'node_modules', name), 'dir')
  }
  return folder
}
