import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accepting, stop } from '../server.ts'
import { testRecipe } from './recipe.ts'

testRecipe('docs/recipes/supervisor.md', async (directory) => {
  const socket = join(directory, 'supervisor.sock')
  const settings = `
[supervisord]
nodaemon = true
logfile = ${directory}/supervisord.log
pidfile = ${directory}/supervisord.pid
childlogdir = ${directory}
user = root
[unix_http_server]
file = ${socket}
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[program:worker]
command = /bin/sh -c "printf '\\033[32mready\\033[0m\\n'; exec cat"
startsecs = 0
stdout_logfile = ${directory}/worker.log
`
  const file = join(directory, 'supervisord.conf')
  await writeFile(file, settings)
  const child = spawn('supervisord', ['-c', file], { stdio: 'ignore' })
  await accepting(socket, child)
  return { replacements: { '/run/supervisor.sock': socket }, stop: () => stop(child) }
})
