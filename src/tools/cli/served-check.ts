/**
 * The findings of `propylon check` while `propylon serve --reload` runs.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { setPriority } from 'node:os'
import { complain, styled, type Terminal } from '../../base/command-line/terminal.ts'
import { errorMessage, memberOf } from '../../base/thrown.ts'
import type { FindingData } from '../check/finding.ts'
import { poll } from '../reload/poll.ts'
import type { ProjectFiles } from '../reload/project-files.ts'
import type { Project } from './project.ts'

/** Priority of the checks, below the server's. */
const NICENESS = 10

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

/**
 * Runs `propylon check` in a process of its own, now and after each change of the files, and prints each finding that the run before
 * did not have. A change ends the run in progress.
 *
 * @returns a function that ends this.
 */
export function showFindings({ root }: Project, files: ProjectFiles, terminal: Terminal): () => void {
  let run = new AbortController()
  let known: ReadonlySet<string> = new Set()
  const check = () => {
    run.abort()
    run = new AbortController()
    const { signal } = run
    const words = [...process.execArgv, process.argv[1] ?? '', 'check', '--json']
    const options = { cwd: root, signal, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const
    const child = execFile(process.execPath, words, options, (error, stdout, stderr) => {
      // Ctrl+C ends both processes.
      if (signal.aborted || child.signalCode === 'SIGINT') return
      const findings = findingsIn(stdout) ?? [failure(stderr || errorMessage(error))]
      const found = numbered(findings)
      for (const [key, finding] of found) if (!known.has(key)) complain(terminal, lineOf(finding))
      known = new Set(found.keys())
    })
    child.stdin?.end()
    try {
      if (child.pid !== undefined) setPriority(child.pid, NICENESS)
    } catch {
      // The process has ended, or the system has no priorities.
    }
  }
  files.haveChanged() // Changes from now on count.
  check()
  const stop = poll(() => (files.haveChanged() ? check() : undefined))
  return () => {
    stop()
    run.abort()
  }
}

type Shown = Pick<FindingData, 'code' | 'severity' | 'file' | 'line' | 'column' | 'message' | 'fix'>

/** Returns the findings of a run. Undefined if it did not print them. */
function findingsIn(output: string): Shown[] | undefined {
  try {
    // The application may have printed lines before.
    const findings: unknown = JSON.parse(output.slice(output.lastIndexOf('\n[') + 1))
    return Array.isArray(findings) ? findings.filter(isShown) : undefined
  } catch {
    return undefined
  }
}

function isShown(value: unknown): value is Shown {
  return typeof memberOf(value, 'message') === 'string' && typeof memberOf(value, 'fix') === 'string'
}

function failure(reason: string): Shown {
  const message = `propylon check failed: ${reason.trim()}`
  return {
    code: 'application-unloadable',
    severity: 'error',
    file: null,
    line: null,
    column: null,
    message,
    fix: '',
  }
}

/** Returns findings by texts that stay the same when lines above them are added: without the line, with a number for equal ones. */
function numbered(findings: readonly Shown[]): Map<string, Shown> {
  const found = new Map<string, Shown>()
  for (const finding of findings) {
    const text = `${finding.file} ${finding.code} ${finding.message}`
    let number = 0
    while (found.has(`${text} ${number}`)) number += 1
    found.set(`${text} ${number}`, finding)
  }
  return found
}

function lineOf({ code, severity, file, line, column, message, fix }: Shown) {
  const place = file === null ? '' : `${file}:${line}:${column} `
  const style = severity === 'error' ? 'red' : 'yellow'
  return [styled('cyan', place), styled(style, `${severity}:`), ` ${message} ${fix} [${code}]`]
}
