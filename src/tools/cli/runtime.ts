import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'

/** Returns true if this Node runs TypeScript files. */
export function runsTypeScript(): boolean {
  return Boolean(process.features.typescript)
}

/**
 * Runs the same command line in another Node. Forwards SIGTERM and SIGHUP. A terminal sends SIGINT to both processes.
 *
 * @returns the exit status.
 */
export async function runInNode(node: string): Promise<number> {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => undefined)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    )
  })
}

/** Returns the path of the Node in the nearest `node_modules` of a folder, or undefined if it is the running one. */
export function projectsNode(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const program = process.platform === 'win32' ? 'node.exe' : 'node'
    const node = join(folder, 'node_modules', 'node', 'bin', program)
    if (existsSync(node)) return node === process.execPath ? undefined : node
    if (dirname(folder) === folder) return undefined
  }
}
