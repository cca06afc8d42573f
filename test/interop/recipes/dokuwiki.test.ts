import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { accepting, stop } from '../server.ts'
import { testRecipe } from './recipe.ts'

const FOLDERS = [
  'pages',
  'attic',
  'media',
  'media_attic',
  'media_meta',
  'meta',
  'cache',
  'index',
  'locks',
  'tmp',
  'log',
]

testRecipe('DokuWiki', async (directory) => {
  const conf = join(directory, 'conf')
  const data = join(directory, 'data')
  await mkdir(conf)
  for (const folder of FOLDERS) await mkdir(join(data, folder), { recursive: true })
  await writeFile(
    join(conf, 'local.php'),
    `<?php
$conf['savedir'] = '${data}';
$conf['useacl'] = 1;
$conf['superuser'] = '@admin';
$conf['remote'] = 1;
$conf['remoteuser'] = '@user';
`,
  )
  const password = createHash('md5').update('secret').digest('hex')
  await writeFile(join(conf, 'users.auth.php'), `joe:${password}:Joe:joe@x.test:admin,user\n`)
  await writeFile(join(conf, 'acl.auth.php'), '*\t@ALL\t0\n*\t@user\t8\n')
  const prepended = join(directory, 'prepend.php')
  await writeFile(prepended, `<?php define('DOKU_CONF', '${conf}/');`)
  const port = await freePort()
  const settings = [`auto_prepend_file=${prepended}`, 'display_errors=0'].flatMap((each) => ['-d', each])
  const child = spawn('php', [...settings, '-S', `127.0.0.1:${port}`, '-t', '/usr/share/dokuwiki'], {
    stdio: 'ignore',
  })
  await accepting(port, child)
  return {
    replacements: { 'wiki.test': `127.0.0.1:${port}` },
    env: { PROPYLON_RPC_PASSWORD: 'secret' },
    stop: () => stop(child),
  }
})
