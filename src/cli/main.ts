#!/usr/bin/env node
import module from 'node:module'
import { holdHangups } from './hangup.ts'

if (process.argv[2] === 'serve') holdHangups() // Before anything that takes time.
module.enableCompileCache?.() // Node 20 has none. Elsewhere it halves the time to start.
const { run } = await import('./run.ts')

// A reader that has gone (`propylon serve 2>&1 | head -1`) must not end the process.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

process.exitCode = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
})
// What the project's own files opened (a database, a timer) must not keep the command line from ending.
process.stdout.write('', () => process.exit())
