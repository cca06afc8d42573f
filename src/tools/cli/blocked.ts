/**
 * The worker that ends `propylon check` if the application blocks the thread that loads it. `blockedAfter()` starts it.
 *
 * @module
 */
import { readFileSync, writeSync } from 'node:fs'
import { type Debugger, Session } from 'node:inspector'
import { fileURLToPath } from 'node:url'
import { workerData } from 'node:worker_threads'
import { type Finding, findingData, formatPlace } from '../check/finding.ts'
import type { Place } from '../sources/sources.ts'

/** Data of the worker. */
export interface BlockedOptions {
  readonly root: string
  readonly seconds: number
  readonly json: boolean
}

/** Time after which the thread would have said by itself that it waits, in milliseconds. */
const GRACE = 1000

/**
 * Time for the thread to stop. It does not stop in a call such as `execFileSync()`, which has no place then. In
 * milliseconds.
 */
const STOP = 2500

/** URLs of modules by the id of the debugger. */
const scripts = new Map<string, string>()

const { root, seconds, json }: BlockedOptions = workerData
setTimeout(
  () => {
    const session = new Session()
    session.connectToMainThread()
    session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url))
    session.on('Debugger.paused', ({ params }) => end(placeOf(params.callFrames)))
    session.post('Debugger.enable')
    session.post('Debugger.pause')
    setTimeout(end, STOP)
  },
  seconds * 1000 + GRACE,
)

/** Returns the place of the innermost frame in a file of the project. */
function placeOf(frames: readonly Debugger.CallFrame[]): Place | undefined {
  for (const { location } of frames) {
    const url = scripts.get(location.scriptId) ?? ''
    if (!url.startsWith('file:') || url.includes('/node_modules/')) continue
    const file = fileURLToPath(url)
    if (file.startsWith(root))
      return { file, line: location.lineNumber + 1, column: (location.columnNumber ?? 0) + 1 }
  }
  return undefined
}

/** Prints the finding and ends the process, whose thread can do neither. */
function end(place?: Place): void {
  const commands = childCommands()
  const open = commands.length === 0 ? '' : ` Running: ${commands.join(', ')}.`
  const finding: Finding = {
    code: 'application-unloadable',
    place,
    message: `The application has not finished loading after ${seconds} s: a loop or a call such as execFileSync() or Atomics.wait() does not return.${open}`,
    fix: 'Do not wait for other processes or servers at the top level of a module. If loading takes long, use --timeout SECONDS.',
  }
  const text = json
    ? JSON.stringify([findingData(finding, root)], null, 2)
    : `${place === undefined ? '' : `${formatPlace(place, root)} `}error: ${finding.message} ${finding.fix} [${finding.code}]\n1 error`
  writeSync(1, `${text}\n`)
  process.kill(process.pid, 'SIGKILL')
}

/** Returns the command lines of the child processes, where the system lists them in files. */
function childCommands(): string[] {
  try {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    return Array.from(children.matchAll(/\d+/g), ([id]) =>
      readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
    )
  } catch {
    return []
  }
}
