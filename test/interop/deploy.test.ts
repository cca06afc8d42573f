import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { request } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../free-port.ts'
import { temporaryFolder, writeTree } from '../tools/cli/command-line.ts'
import { createdProject } from '../tools/cli/command-process.ts'
import * as guide from './production-guide.ts'

const NAME = `shop-test-${process.pid}`
/** Sets the socket of this process in a file. */
const withOwnSocket = (text: string) => text.replaceAll('/run/shop/', `/run/${NAME}/`)

const fileOfGuide = (file: string) => withOwnSocket(guide.fileOfGuide(file))

const ECHO = `import { eventStream, WSGIController } from 'propylon'

export class EchoController extends WSGIController {
  index() {
    const { REMOTE_ADDR, SCRIPT_NAME, HTTP_HOST, REQUEST_URI } = this.request.environ
    return { REMOTE_ADDR, SCRIPT_NAME, HTTP_HOST, REQUEST_URI, url: this.request.url, home: this.url('home') }
  }

  show(id: string) {
    return id
  }

  async size() {
    return String((await this.request.bytes(10_000_000)).length)
  }

  async begin() {
    for await (const chunk of this.request.body ?? []) return chunk
  }

  events(signal: AbortSignal) {
    async function* first() {
      yield { data: 'first' }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    return eventStream(first())
  }
}
`

/** Returns the command of a line of a unit, without /usr/bin/env. */
function commandOf(unit: string, key: string): string[] {
  const line = new RegExp(`^${key}=/usr/bin/env node (.*)$`, 'm').exec(unit)?.[1]
  assert.ok(line)
  return line.split(' ')
}

/** Resolves to the first chunk of a stream. */
async function firstOf(stream: NodeJS.ReadableStream): Promise<string> {
  const [chunk] = await once(stream, 'data')
  return String(chunk)
}

async function firstLine(child: ChildProcess): Promise<void> {
  assert.ok(child.stdout)
  const { done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  assert.notEqual(done, true, 'the server ended')
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode
  const exit = once(child, 'exit')
  child.kill(signal)
  return (await exit)[0]
}

describe('the files of the guide In production', () => {
  let project: string
  before(async () => {
    project = await createdProject()
    writeFileSync(join(project, 'controllers/echo.ts'), ECHO)
    const app = readFileSync(join(project, 'app.ts'), 'utf8')
    const sockets = "sockets: { '/live': { open: (peer) => peer.send(peer.context.request.url) } },"
    writeFileSync(
      join(project, 'app.ts'),
      app.replace(/ {2}session,\n/, (line) => `${line}  ${sockets}\n`),
    )
    writeTree(project, { 'propylon.service': fileOfGuide('deploy/propylon.service') })
  })

  it('are a unit in which systemd finds no fault', () => {
    const unit = join(project, 'propylon.service')
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
      encoding: 'utf8',
    })
    assert.deepEqual([status, stderr], [0, ''])
  })

  it('are a site in which nginx finds no fault', () => {
    checkedSite(temporaryFolder(), fileOfGuide('deploy/nginx.conf'), { port: 443, http: 80 })
  })

  describe('behind nginx', () => {
    const folder = temporaryFolder()
    const run = `/run/${NAME}`
    let port: number
    let http: number
    let server: ChildProcess
    let nginx: ChildProcess
    before(async () => {
      mkdirSync(run, { mode: 0o750 })
      const unit = readFileSync(join(project, 'propylon.service'), 'utf8')
      const serve = spawn(
        'sh',
        ['-c', 'umask "$1"; shift; exec "$@"', 'sh', '0007', process.execPath, ...commandOf(unit, 'ExecStart')],
        {
          cwd: project,
          env: { ...process.env, NODE_ENV: 'production', NODE_TEST_CONTEXT: undefined },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      server = serve
      await firstLine(serve)
      ;[port, http] = [await freePort(), await freePort()]
      nginx = await startNginx(checkedSite(folder, withOwnSocket(guide.siteBelowPath()), { port, http }))
    })
    after(async () => {
      if (nginx !== undefined) await ended(nginx, 'SIGQUIT')
      if (server !== undefined) await ended(server, 'SIGTERM')
      rmSync(run, { recursive: true, force: true })
    })

    const address = () => ({
      host: '127.0.0.1',
      port,
      servername: 'shop.example',
      ca: readFileSync(join(folder, 'cert.pem')),
      agent: false as const,
    })

    async function ask(
      path: string,
      options: { method?: string; headers?: Record<string, string>; body?: Uint8Array } = {},
    ) {
      const { body, headers, ...rest } = options
      const outgoing = request({
        ...address(),
        path,
        headers: { host: 'shop.example', ...headers },
        ...rest,
      })
      outgoing.end(body)
      const [response] = await once(outgoing, 'response')
      return response
    }
    const textOf = async (path: string) => text(await ask(path))

    it('serve the application below the prefix over TLS', async () => {
      const page = await textOf('/store/')
      assert.match(page, /<h1>Welcome<\/h1>/)
      const style = /href="(\/store\/static\/[^"]+\.css\?v=\w+)"/.exec(page)?.[1] ?? ''
      assert.match((await ask(style)).headers['content-type'] ?? '', /^text\/css/)
    })

    it('pass address, scheme, host and prefix on, and replace those that a client claims', async () => {
      const headers = {
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-proto': 'http',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-prefix': '/evil',
        forwarded: 'for=203.0.113.9;host=evil.example',
      }
      assert.deepEqual(JSON.parse(await text(await ask('/store/echo?a=1', { headers }))), {
        REMOTE_ADDR: '127.0.0.1',
        SCRIPT_NAME: '/store',
        HTTP_HOST: 'shop.example',
        REQUEST_URI: '/store/echo?a=1',
        url: 'https://shop.example/store/echo?a=1',
        home: '/store/',
      })
    })

    it('keep the port of the host, so that forms are of this site', async () => {
      const host = `shop.example:${port}`
      const { HTTP_HOST, url } = JSON.parse(await text(await ask('/store/echo', { headers: { host } })))
      assert.deepEqual([HTTP_HOST, url], [host, `https://${host}/store/echo`])
      for (const [origin, status] of [
        [`https://${host}`, 200],
        ['https://shop.example', 403],
      ] as const) {
        const form = { method: 'POST', headers: { host, origin }, body: new Uint8Array(5) }
        assert.equal((await ask('/store/echo/size', form)).statusCode, status, origin)
      }
    })

    it('pass an upload of any size on as it arrives', async () => {
      const outgoing = request({
        ...address(),
        method: 'POST',
        path: '/store/echo/begin',
        headers: { host: 'shop.example', 'content-length': '100000000' },
      })
      outgoing.on('error', () => {}) // It is never completed.
      outgoing.write('the beginning')
      const [response] = await once(outgoing, 'response')
      assert.deepEqual([response.statusCode, await firstOf(response)], [200, 'the beginning'])
      outgoing.destroy()
    })

    it('speak HTTP/2', async () => {
      const { port, servername, ca } = address()
      const session = connect(`https://127.0.0.1:${port}`, { servername, ca })
      const stream = session.request({ ':path': '/store/echo/show/two', ':authority': 'shop.example' })
      assert.equal(await text(stream), 'two')
      session.close()
    })

    it('pass WebSockets on, and no other protocol', async () => {
      const headers = {
        host: `shop.example:${port}`,
        origin: `https://shop.example:${port}`,
        connection: 'Upgrade',
        upgrade: 'WebSocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      }
      const outgoing = request({ ...address(), path: '/store/live', headers })
      outgoing.end()
      const [response, socket, head] = await once(outgoing, 'upgrade')
      assert.equal(response.statusCode, 101)
      const frame = head.length > 0 ? head : (await once(socket, 'data'))[0]
      assert.equal(frame.subarray(2).toString(), `https://shop.example:${port}/store/live`)
      socket.destroy()
      const other = await ask('/store/echo/show/h2c', {
        headers: { connection: 'Upgrade', upgrade: 'h2c' },
      })
      assert.equal(await text(other), 'h2c')
    })

    it('keep percent-encoded slashes', async () => {
      assert.equal(await textOf('/store/echo/show/a%2Fb%20%C3%BC'), 'a/b ü')
    })

    it('lead from the prefix to its slash, and from http to https', async () => {
      const response = await ask('/store?a=1&b=2')
      const { pathname, search } = new URL(response.headers.location ?? '')
      assert.deepEqual([response.statusCode, pathname, search], [301, '/store/', '?a=1&b=2'])
      const plain = await fetch(`http://127.0.0.1:${http}/store/echo?a=1`, { redirect: 'manual' })
      assert.deepEqual([plain.status, plain.headers.get('location')], [301, 'https://127.0.0.1/store/echo?a=1'])
    })

    it('do not serve other paths', async () => {
      for (const path of ['/', '/echo', '/storeroom', '/x/../store/']) {
        assert.equal((await ask(path)).statusCode, 404, path)
      }
    })

    it('accept large bodies, and pass events on at once', async () => {
      const headers = { 'content-length': '5000000' }
      const sent = await ask('/store/echo/size', {
        method: 'POST',
        headers,
        body: new Uint8Array(5_000_000),
      })
      assert.equal(await text(sent), '5000000')
      const events = await ask('/store/echo/events')
      const [chunk] = await once(events, 'data')
      assert.match(String(chunk), /data: first/)
      events.destroy()
    })

    it('let only the group of the service connect to the socket', () => {
      assert.equal(statSync(join(run, 'app.sock')).mode & 0o777, 0o770)
    })
  })

  it('are an image whose commands run, report health and end on SIGTERM', async () => {
    const file = fileOfGuide('Dockerfile')
    const words = (instruction: RegExp): string[] => JSON.parse(instruction.exec(file)?.[1] ?? '')
    const [, ...serve] = words(/^CMD (\[.*\])$/m)
    const [, ...health] = words(/^HEALTHCHECK .* CMD (\[.*\])$/m)
    assert.match(file, /^USER node$/m)
    const PORT = String(await freePort())
    const env = {
      ...process.env,
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT,
      NODE_TEST_CONTEXT: undefined,
    }
    const healthy = () => spawnSync(process.execPath, health, { env }).status
    assert.equal(healthy(), 1)
    const server = spawn(process.execPath, serve, { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] })
    await firstLine(server)
    assert.equal(healthy(), 0)
    assert.equal(await ended(server, 'SIGTERM'), 0)
    assert.equal(healthy(), 1)
  })
})

/** Writes a configuration for nginx at other ports and with a certificate of its own, checks it, and returns its path. */
function checkedSite(
  folder: string,
  text: string,
  { port, http }: { readonly port: number; readonly http: number },
): string {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=shop.example', '-addext', 'subjectAltName=DNS:shop.example']
  const certificate = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
  execFileSync('openssl', [...certificate, ...subject, '-keyout', key, '-out', cert], { stdio: 'pipe' })
  const site = guide
    .forInstalledNginx(text)
    .replaceAll(/listen (\[::\]:)?443/g, `listen $1${port}`)
    .replaceAll(/listen (\[::\]:)?80/g, `listen $1${http}`)
    .replace('/etc/letsencrypt/live/shop.example/fullchain.pem', `"${cert}"`)
    .replace('/etc/letsencrypt/live/shop.example/privkey.pem', `"${key}"`)
  writeFileSync(join(folder, 'site.conf'), site)
  const conf = join(folder, 'nginx.conf')
  writeFileSync(
    conf,
    `user root;
daemon off;
pid "${join(folder, 'nginx.pid')}";
error_log stderr notice;
events {}
http {
  access_log off;
  client_body_temp_path "${join(folder, 'body')}";
  proxy_temp_path "${join(folder, 'proxy')}";
  include "${join(folder, 'site.conf')}";
}
`,
  )
  const check = spawnSync('nginx', ['-t', '-q', '-c', conf], { encoding: 'utf8' })
  assert.deepEqual([check.status, check.stderr], [0, ''])
  return conf
}

async function startNginx(conf: string): Promise<ChildProcess> {
  const nginx = spawn('nginx', ['-c', conf], { stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const line of createInterface({ input: nginx.stderr })) {
    if (line.includes('start worker process')) break
  }
  nginx.stderr.resume()
  return nginx
}
