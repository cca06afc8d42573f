/** nginx with TLS, as docs/guides/production.md configures it, in front of a unix socket. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { forInstalledNginx, siteBelowPath } from '../production-guide.ts'
import { accepts, until } from './servers.ts'

/** Path at which nginx serves the wiki. */
export const PREFIX = '/team'

export interface Nginx {
  /** `https://localhost:PORT/team` */
  readonly url: string
  readonly origin: string
  /** The certificate. */
  readonly ca: string
  stop(): Promise<void>
}

/** Starts nginx in a directory. */
export async function startNginx(directory: string, socket: string): Promise<Nginx> {
  const [port, http] = [await freePort(), await freePort()]
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  })

  const file = join(directory, 'nginx.conf')
  writeFileSync(file, configuration(directory, { port, http, socket, key, certificate }))
  const child = spawn('nginx', ['-c', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = once(child, 'exit')
  await once(child, 'spawn')
  await until('nginx listens', () => accepts(port))
  const origin = `https://localhost:${port}`
  return {
    url: origin + PREFIX,
    origin,
    ca: readFileSync(certificate, 'utf8'),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

interface Files {
  readonly port: number
  /** Port of the redirects to https. */
  readonly http: number
  readonly socket: string
  readonly key: string
  readonly certificate: string
}

function configuration(directory: string, { port, http, socket, key, certificate }: Files): string {
  let server = forInstalledNginx(siteBelowPath())
  for (const [from, to] of [
    ['/run/shop/app.sock', socket],
    ['shop.example', 'localhost'],
    ['/etc/letsencrypt/live/localhost/fullchain.pem', certificate],
    ['/etc/letsencrypt/live/localhost/privkey.pem', key],
    ['listen 443', `listen 127.0.0.1:${port}`],
    ['listen [::]:443', `listen [::1]:${port}`],
    ['listen 80;', `listen 127.0.0.1:${http};`],
    ['listen [::]:80;', `listen [::1]:${http};`],
    ['/store', PREFIX],
  ] as const) {
    assert.ok(server.includes(from), `The guide's configuration of nginx has no "${from}".`)
    server = server.replaceAll(from, to)
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/nginx-${name};`)
    .join('\n  ')
  return `daemon off;
user root;
worker_processes 2;
pid ${directory}/nginx.pid;
error_log ${directory}/nginx.log;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000;
  ${temporary}
${server}
}
`
}
