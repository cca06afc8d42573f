/**
 * Ends the processes that a test file has started when the file ends. One that is left would keep the output open, for
 * whose end the runner waits.
 *
 *     node --import ./scripts/testing/end-children.ts --test --test-force-exit …
 */
import { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'

const children = new Set<ChildProcess>()

subscribe('child_process', (message) => {
  if (typeof message !== 'object' || message === null || !('process' in message)) return
  const { process: child } = message
  if (!(child instanceof ChildProcess)) return
  children.add(child)
  child.once('exit', () => children.delete(child))
})

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
