import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accepting, stop } from '../server.ts'
import { testRecipe } from './recipe.ts'

/** A torrent of a file with five bytes (BEP 3). */
const TORRENT = Buffer.concat([
  Buffer.from(
    'd8:announce22:http://tracker.test/an4:infod6:lengthi5e4:name11:example.txt12:piece lengthi16384e6:pieces20:',
  ),
  Buffer.alloc(20, 'x'),
  Buffer.from('ee'),
])

testRecipe('docs/recipes/rtorrent.md', async (directory) => {
  const socket = join(directory, 'rpc.sock')
  await mkdir(join(directory, 'session'))
  await writeFile(join(directory, 'example.torrent'), TORRENT)
  const settings = [
    'system.daemon.set=true',
    `network.scgi.open_local=${socket}`,
    `session.path.set=${join(directory, 'session')}`,
    `directory.default.set=${directory}`,
  ]
  const child = spawn('rtorrent', ['-n', ...settings.flatMap((each) => ['-o', each])], { stdio: 'ignore' })
  await accepting(socket, child)
  return { replacements: { '/run/rtorrent/rpc.sock': socket }, stop: () => stop(child) }
})
