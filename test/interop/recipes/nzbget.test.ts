import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { accepting, stop } from '../server.ts'
import { testRecipe } from './recipe.ts'

testRecipe('NZBGet', async (directory) => {
  const port = await freePort()
  const settings = [
    'OutputMode=log',
    'ControlIP=127.0.0.1',
    `ControlPort=${port}`,
    `MainDir=${directory}`,
    `LogFile=${join(directory, 'log')}`,
  ]
  const words = ['-s', '-c', '/etc/nzbget.conf', ...settings.flatMap((each) => ['-o', each])]
  const child = spawn('nzbget', words, { stdio: 'ignore' })
  await accepting(port, child)
  return { replacements: { '127.0.0.1:6789': `127.0.0.1:${port}` }, stop: () => stop(child) }
})
