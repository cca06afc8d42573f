/**
 * Runs test files while a random process among them is stopped for one to two seconds, again and again, as on a
 * machine with too much work. Tests that only pass on a fast machine fail.
 *
 *     node scripts/test-stopped.ts test/tools/cli/serve
 *
 * The arguments are those of `npm test`. Only processes of Node are stopped. Requires `/proc` of Linux.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('test.ts', import.meta.url))
const tests = spawn(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit' })
const ended = once(tests, 'exit')
let isOver = false
let stops = 0
ended.then(() => {
  isOver = true
})
while (!isOver) {
  await delay(100 + 400 * Math.random())
  const running = descendants(tests.pid ?? 0)
  const pid = running[Math.floor(Math.random() * running.length)]
  if (pid === undefined || !signal(pid, 'SIGSTOP')) continue
  stops += 1
  await delay(1000 + 1000 * Math.random())
  signal(pid, 'SIGCONT')
}
const [status] = await ended
console.log(`Processes were stopped ${stops} times.`)
process.exitCode = status ?? 1

/** Returns the processes of Node that a process has started, directly or not. */
function descendants(root: number): number[] {
  const children = new Map<number, number[]>()
  const nodes = new Set<number>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const [, command = '', parent = ''] = /^\d+ \((.*)\) \S (\d+) /s.exec(statOf(name)) ?? []
    children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(name)])
    if (command === 'node' || command === 'MainThread') nodes.add(Number(name))
  }
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)])
  return below(root).filter((pid) => nodes.has(pid))
}

/** Returns an empty text for a process that has ended. */
function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

/** Returns false for a process that has ended. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
