import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { accepting, stop } from '../server.ts'
import { testRecipe } from './recipe.ts'

testRecipe('supervisor', async (directory) => {
  const socket = join(directory, 'supervisor.sock')
  const port = await freePort()
  const settings = `
[supervisord]
nodaemon = true
logfile = ${directory}/supervisord.log
pidfile = ${directory}/supervisord.pid
childlogdir = ${directory}
user = root
[unix_http_server]
file = ${socket}
[inet_http_server]
port = 127.0.0.1:${port}
username = user
password = secret
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[program:worker]
command = /bin/cat
startsecs = 0
`
  const file = join(directory, 'supervisord.conf')
  await writeFile(file, settings)
  const child = spawn('supervisord', ['-c', file], { stdio: 'ignore' })
  await accepting(socket, child)
  return {
    replacements: { '/run/supervisor.sock': socket, '127.0.0.1:9001': `127.0.0.1:${port}` },
    stop: () => stop(child),
  }
})
