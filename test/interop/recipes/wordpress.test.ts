import { spawn } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { execute } from '../harness.ts'
import { accepting, stop } from '../server.ts'
import { testRecipe } from './recipe.ts'

/** Starts a database in a directory, at the socket `db.sock`. */
async function startDatabase(directory: string) {
  const options = ['--no-defaults', '--user=root', `--datadir=${join(directory, 'db')}`]
  const install = ['--auth-root-authentication-method=normal', '--skip-test-db']
  await execute(['mariadb-install-db', ...options, ...install], directory)
  const socket = join(directory, 'db.sock')
  const child = spawn('mariadbd', [...options, `--socket=${socket}`, '--skip-networking'], {
    stdio: 'ignore',
  })
  await accepting(socket, child)
  return child
}

/** Settings of WordPress, which sends no requests itself. */
function settings(directory: string, url: string): string {
  return `<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:${directory}/db.sock');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('WP_SITEURL', '${url}');
define('WP_HOME', '${url}');
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`
}

function installation(directory: string): string {
  return `<?php
$_SERVER['HTTP_HOST'] = '127.0.0.1';
(new mysqli('localhost', 'root', '', '', 0, '${directory}/db.sock'))->query('CREATE DATABASE wordpress');
define('WP_INSTALLING', true);
require '${directory}/www/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
function wp_new_blog_notification() {}
wp_install('Test', 'joe', 'joe@x.test', false, '', 'secret');
`
}

testRecipe('WordPress', async (directory) => {
  const root = join(directory, 'www')
  // A copy, because Debian's has its settings in /etc and its content elsewhere.
  await cp('/usr/share/wordpress', root, { recursive: true, dereference: true })
  await mkdir(join(root, 'wp-content/uploads'), { recursive: true })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await writeFile(join(root, 'wp-config.php'), settings(directory, url))
  await writeFile(join(directory, 'install.php'), installation(directory))
  const database = await startDatabase(directory)
  await execute(['php', join(directory, 'install.php')], directory)
  const server = spawn('php', ['-d', 'display_errors=0', '-S', `127.0.0.1:${port}`, '-t', root], {
    stdio: 'ignore',
  })
  await accepting(port, server)
  return {
    replacements: { 'https://blog.test': url },
    stop: async () => {
      await stop(server)
      await stop(database)
    },
  }
})
