/**
 * Checks a project in the background while it is served.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { FRAMEWORK_FOLDER } from '../../base/framework-folder.ts'
import type { FindingData } from '../check/finding.ts'

/** Findings that the application logs itself, as soon as it is created or does not load. */
const LOGGED: ReadonlySet<string> = new Set(['application-unloadable', 'route-duplicate-name', 'route-unreachable'])

/**
 * Returns a function that runs `propylon check` in a process of its own, and one that ends it. A new run ends the one
 * before. Each finding is logged once, and again if it returns after a run without it.
 *
 * @param root - path of the project.
 * @param log - receives one line for each finding.
 */
export function backgroundCheck(root: string, log: (line: string) => void) {
  let known: ReadonlySet<string> = new Set()
  let child: ChildProcess | undefined
  const main = new URL(import.meta.url.endsWith('.ts') ? 'tools/cli/main.ts' : 'cli/main.js', FRAMEWORK_FOLDER)
  const close = (): void => {
    child?.removeAllListeners()
    child?.kill()
  }
  process.once('exit', close)
  return {
    run(): void {
      close()
      const options = process.execArgv.filter((option) => !option.startsWith('--inspect'))
      const words = [...options, fileURLToPath(main), 'check', '--json']
      const started = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
      child = started
      let output = ''
      started.stdout.setEncoding('utf8').on('data', (text) => {
        output += text
      })
      started.on('error', () => undefined)
      started.on('close', () => {
        const lines = linesOf(output)
        for (const line of lines) if (!known.has(line)) log(line)
        known = new Set(lines)
      })
    },
    close,
  }
}

/**
 * Returns a line for each finding. The application may have printed something before; a check that was ended has
 * none.
 */
function linesOf(output: string): string[] {
  const json = /(?:^|\n)(\[(?:\n[\s\S]*)?\])\s*$/.exec(output)?.[1] ?? '[]'
  const findings: readonly FindingData[] = JSON.parse(json)
  return findings
    .filter(({ code }) => !LOGGED.has(code))
    .map(({ file, line, column, message, fix }) =>
      `${file === null ? '' : `${file}:${line}:${column} `}${message} ${fix}`.trimEnd(),
    )
}
