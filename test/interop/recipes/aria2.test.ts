import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '../../free-port.ts'
import { accepting, stop } from '../server.ts'
import { testRecipe } from './recipe.ts'

testRecipe('aria2', async (directory) => {
  const files = createServer((_request, response) => response.end('hello'))
  files.listen(0, '127.0.0.1')
  await once(files, 'listening')
  const port = await freePort()
  const child = spawn(
    'aria2c',
    ['--no-conf', '--enable-rpc', `--rpc-listen-port=${port}`, '--rpc-secret=secret', `--dir=${directory}`],
    { stdio: 'ignore' },
  )
  await accepting(port, child)
  return {
    replacements: {
      'http://127.0.0.1:6800': `http://127.0.0.1:${port}`,
      'http://downloads.test': `http://127.0.0.1:${(files.address() as AddressInfo).port}`,
    },
    stop: async () => {
      files.close()
      await stop(child)
    },
  }
})
