import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Client, type Place, serversPlace, skipServers, Wiki } from '../examples/wiki/wiki.ts'
import { freePort } from '../free-port.ts'

/** The file of docs/guides/scaling.md, for processes of one machine. */
function configuration(folder: string, port: number, hosts: readonly string[]): string {
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream wiki {
${hosts.map((host) => `    server ${host} max_fails=1 fail_timeout=2s;`).join('\n')}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      add_header X-Host $upstream_addr always;
      proxy_pass http://wiki;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_next_upstream error timeout;
      proxy_connect_timeout 2s;
    }
  }
}
`
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise((resolve) =>
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false)),
    )
    socket.destroy()
    if (isOpen) return
    await setTimeout(20)
  }
}

describe('two hosts behind nginx', { skip: skipServers }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'propylon-scaling-'))
  let place: Place
  let hosts: Wiki[]
  let variables: Readonly<Record<string, string>>
  let nginx: ChildProcess
  let site: Wiki

  before(async () => {
    place = await serversPlace({ SECRET: 'the secret of the two hosts, which is the same' })
    variables = place.variables
    hosts = await Promise.all([Wiki.start(variables), Wiki.start(variables)])
    const port = await freePort()
    const file = join(folder, 'nginx.conf')
    writeFileSync(
      file,
      configuration(
        folder,
        port,
        hosts.map(({ url }) => new URL(url).host),
      ),
    )
    nginx = spawn('nginx', ['-c', file, '-p', folder, '-e', join(folder, 'error.log')], { stdio: 'ignore' })
    await Promise.race([untilListening(port), once(nginx, 'exit').then(() => assert.fail('nginx has ended'))])
    site = Object.assign(Object.create(Wiki.prototype), { url: `http://127.0.0.1:${port}` })
  })
  after(async () => {
    const ended = nginx?.pid !== undefined && nginx.exitCode === null && once(nginx, 'exit')
    nginx?.kill('SIGTERM')
    await ended
    for (const host of hosts ?? [])
      if (host.process.exitCode === null && host.process.signalCode === null) await host.stop()
    await place?.remove()
    rmSync(folder, { recursive: true })
  })

  it('answer every request while one after the other is restarted', async () => {
    const users = await Promise.all(['kim', 'lea', 'max'].map((name) => Client.user(site, name)))
    let restarting = true
    let written = 0
    const answered = new Map<string, number>()
    /** Writes and reads pages one after another until both hosts have been restarted. */
    const use = async (user: Client, who: number) => {
      while (restarting) {
        written += 1
        const title = `Rolling ${who} ${written}`
        for (const { status, headers } of [
          await user.post('/page', { title, content: 'x' }),
          await user.get(`/page/${encodeURIComponent(title)}`),
        ]) {
          assert.ok([200, 201].includes(status), `${title} was answered with ${status}`)
          // Where the first host did not answer, nginx names both.
          const host = headers.get('X-Host')?.split(', ').at(-1) ?? ''
          answered.set(host, (answered.get(host) ?? 0) + 1)
        }
      }
    }
    const load = Promise.all(users.map(use))
    /** Resolves when a host has answered requests, so that nginx uses it. */
    const used = async ({ url }: Wiki) => {
      const { host } = new URL(url)
      const enough = (answered.get(host) ?? 0) + 10
      while ((answered.get(host) ?? 0) < enough) await Promise.race([load, setTimeout(5)])
    }
    for (const [place, host] of hosts.entries()) {
      for (const other of hosts) await used(other)
      await host.stop()
      const restarted = await Wiki.start({ ...variables, PORT: new URL(host.url).port })
      hosts[place] = restarted
      await used(restarted)
    }
    restarting = false
    await load
  })

  it('lose no acknowledged write and no session when one is killed under load', async () => {
    const [doomed] = hosts
    assert.ok(doomed)
    const users = await Promise.all(['ann', 'joe', 'eve'].map((name) => Client.user(site, name)))
    const acknowledged: string[] = []
    let attempts = 0
    let wasKilled = false
    /** Writes pages one after another. A write without an answer is unknown, and the next one goes on. */
    const write = async (user: Client, who: number) => {
      for (let number = 0; number < 60; number++) {
        const title = `Page ${who} ${number}`
        attempts += 1
        const { status } = await user.post('/page', { title, content: 'x' }).catch(() => ({ status: 0 }))
        if (status === 201 || status === 303) acknowledged.push(title)
        else assert.ok([0, 502, 504].includes(status), `${title} was answered with ${status}`)
        if (acknowledged.length >= 30 && !wasKilled) {
          wasKilled = true
          doomed.process.kill('SIGKILL')
        }
      }
    }
    await Promise.all(users.map(write))
    assert.ok(wasKilled)
    // Only the requests that the host was serving when it was killed had no answer.
    assert.ok(acknowledged.length >= attempts - 10, `${acknowledged.length} of ${attempts}`)
    const visitor = new Client(site)
    for (const title of acknowledged) {
      assert.equal((await visitor.get(`/page/${encodeURIComponent(title)}`)).status, 200, title)
    }
    for (const user of users)
      assert.equal(
        (
          await user.post('/page', {
            title: `After ${user.cookies.size} ${users.indexOf(user)}`,
            content: '',
          })
        ).status,
        201,
      )
  })
})
