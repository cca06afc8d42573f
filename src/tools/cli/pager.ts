import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { formatted, type Line, type Terminal } from '../../base/command-line/terminal.ts'

/** The exit status of a shell that has not found a program. */
const NOT_FOUND = 127

/**
 * Prints lines: in a terminal that is too low for them, through `$PAGER`, or `less` if the variable is not set. An empty variable
 * turns the pager off.
 */
export async function printPaged({ stdout, env }: Terminal, lines: readonly Line[]): Promise<void> {
  const text = formatted(stdout, env, lines)
  const pager = env.PAGER ?? (process.platform === 'win32' ? '' : 'less')
  const isLong = stdout.isTTY === true && lines.length >= (stdout.rows ?? Number.POSITIVE_INFINITY)
  if (isLong && pager.trim() !== '' && (await isShown(pager, text, env))) return
  stdout.write(text)
}

/** Writes text to a pager until the user closes it. Returns false if there is no such program. */
async function isShown(pager: string, text: string, env: Terminal['env']): Promise<boolean> {
  // The pager receives Ctrl-C too, and decides.
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  try {
    // As git: colours are shown, and a text that fits is not held.
    const child = spawn(pager, {
      shell: true,
      // The shell reports a missing program. Only the user's own is worth a report.
      stdio: ['pipe', 'inherit', env.PAGER === undefined ? 'ignore' : 'inherit'],
      env: { LESS: 'FRX', ...env },
    })
    child.stdin.on('error', ignore) // It may be closed before it has read all.
    child.stdin.end(text)
    const [status] = await once(child, 'close')
    return status !== NOT_FOUND
  } finally {
    process.off('SIGINT', ignore)
  }
}
