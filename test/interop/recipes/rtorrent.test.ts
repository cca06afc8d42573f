import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pageAt } from '../../docs/blocks.ts'
import { freePort } from '../../free-port.ts'
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

const PAGE = 'docs/recipes/rtorrent.md'

/** Starts nginx with the block of the page, on a free port. */
async function startNginx(directory: string, socket: string) {
  const location = pageAt(PAGE).blocks.find(({ language }) => language === 'nginx')?.code ?? ''
  const passwords = join(directory, 'htpasswd')
  await writeFile(passwords, 'joe:{PLAIN}secret\n')
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  )
  const settings = `daemon off;
user root;
pid ${directory}/nginx.pid;
error_log ${directory}/nginx.log;
events {}
http {
  access_log off;
  ${temporary.join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    ${location.replace('/run/rtorrent/rpc.sock', socket).replace('/etc/nginx/rtorrent.htpasswd', passwords).replace('scgi_params', '/etc/nginx/scgi_params')}
  }
}
`
  const file = join(directory, 'nginx.conf')
  await writeFile(file, settings)
  const child = spawn('nginx', ['-c', file], { stdio: 'ignore' })
  await accepting(port, child)
  return { port, stop: () => stop(child) }
}

testRecipe(PAGE, async (directory) => {
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
  const nginx = await startNginx(directory, socket)
  return {
    replacements: { '/run/rtorrent/rpc.sock': socket, 'rtorrent.test': `127.0.0.1:${nginx.port}` },
    stop: async () => {
      await nginx.stop()
      await stop(child)
    },
  }
})
