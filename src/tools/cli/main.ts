#!/usr/bin/env node
import module from 'node:module'
import { holdHangups } from './hangup.ts'

if (process.argv[2] === 'serve') holdHangups() // First, because a signal before would end the process.
module.enableCompileCache?.() // Node 20 has none. Elsewhere it halves the time to start.
const { run } = await import('./run.ts')

// A closed pipe (`propylon serve 2>&1 | head -1`) must not end the process.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
// Neither must a log that cannot be written, for instance on a full disk. The error cannot be reported anywhere else.
process.stderr.on('error', () => {})

process.exitCode = await run(process.argv.slice(2))
// Databases, timers and other handles that the project's files opened must not keep the process running.
process.stdout.write('', () => process.exit())
