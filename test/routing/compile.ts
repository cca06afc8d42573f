import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Returns the diagnostics of the compiler for a program, '' if there are none. */
export async function compile(program: string): Promise<string> {
  const directory = await mkdtemp(join(ROOT, 'test/routing/.compile-'))
  try {
    await writeFile(join(directory, 'program.ts'), program)
    const config = { extends: '../../../tsconfig.json', include: ['program.ts'] }
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [compiler, '--noEmit', '-p', directory], { encoding: 'utf8' })
    return ''
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout)
    throw error
  } finally {
    await rm(directory, { recursive: true })
  }
}
