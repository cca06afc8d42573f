import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { writeTree } from './command-line.ts'
import { createdProject, start } from './command-process.ts'

const CONTROLLERS = {
  'controllers/readyz.ts': `import { WSGIController } from 'propylon'
export class ReadyzController extends WSGIController {
  index() {
    if (this.request.environ['propylon.connection']?.closing?.aborted) this.response.status = 503
    return 'ready'
  }
}
`,
  'controllers/slow.ts': `import { eventStream, WSGIController } from 'propylon'
export class SlowController extends WSGIController {
  async index() {
    await new Promise((resolve) => setTimeout(resolve, 5500))
    return 'done'
  }
  stuck() {
    return new Promise<string>(() => {})
  }
  events() {
    return eventStream((async function* () {
      yield { data: 'one' }
      await new Promise(() => {})
    })())
  }
}
`,
}

const projects = createdProject().then((cwd) => {
  writeTree(cwd, CONTROLLERS)
  return cwd
})

/** Starts a server of the project. */
async function served(...options: string[]) {
  const child = start(['serve', '--port', '0', ...options], { cwd: await projects })
  after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(([status]) => status)
  let output = ''
  child.stderr.on('data', (text: string) => {
    output += text
  })
  for await (const text of child.stdout) {
    output += text
    const url = /http:\/\/[\d.]*:\d+/.exec(output)?.[0]
    if (url !== undefined) return { url, child, ended, output: () => output }
  }
  throw new Error(`does not serve:\n${output}`)
}

/** Sends requests until ten in a row are 503. Workers begin to end one after the other, and each may accept a connection. */
async function untilClosing(url: string): Promise<void> {
  for (let inRow = 0; inRow < 10; ) {
    const { socket, hears } = sends(url, GET)
    const [text] = await hears()
    socket.destroy()
    inRow = /^HTTP\/1\.1 503 /.test(text) ? inRow + 1 : 0
  }
}

/** Sends requests until the port is closed. */
async function untilRefused(url: string): Promise<void> {
  while (
    await fetch(`${url}/readyz`).then(
      (response) => response.text(),
      () => undefined,
    )
  );
}

/** Connects and sends the beginning of a request, or a whole one. Returns what the server sends. */
function sends(url: string, bytes: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.setEncoding('latin1')
  let heard = ''
  socket.on('data', (text: string) => {
    heard += text
  })
  socket.write(bytes)
  const closed = once(socket, 'close').then(() => heard)
  return { socket, closed, hears: () => once(socket, 'data') }
}

const GET = 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n'

for (const options of [[], ['--workers', '2']]) {
  describe(`SIGTERM to propylon serve ${options.join(' ')}`, () => {
    test('answers 503 for readiness, ends requests and streams, and exits with status 0', async () => {
      // The port is open for long enough to find it so, and the slow request takes longer.
      const { url, child, ended, output } = await served('--shutdown-delay', '5', ...options)
      const events = await fetch(`${url}/slow/events`)
      const slow = fetch(`${url}/slow/index`)
      const idle = sends(url, GET)
      await idle.hears()
      const part = sends(url, GET.slice(0, 20))
      await fetch(`${url}/readyz`)
      child.kill('SIGTERM')
      assert.match(await events.text(), /^data: one\n\n$/)
      await untilClosing(url)
      part.socket.write(GET.slice(20))
      assert.match(await part.closed, /^HTTP\/1\.1 503 /)
      assert.match(await idle.closed, /^HTTP\/1\.1 200 /)
      assert.equal(await (await slow).text(), 'done')
      await untilRefused(url)
      assert.equal(await ended, 0, output())
    })

    test('exits with status 0 although a request is stuck', async () => {
      const limits = ['--shutdown-delay', '0.1', '--drain-timeout', '0.1']
      const { url, child, ended, output } = await served(...limits, ...options)
      const stuck = sends(url, GET.replace('readyz', 'slow/stuck'))
      await fetch(`${url}/readyz`)
      child.kill('SIGTERM')
      assert.equal(await ended, 0, output())
      assert.equal(await stuck.closed, '')
    })
  })
}

test('SIGINT does not keep the port open', async () => {
  const { url, child, ended } = await served()
  const part = sends(url, GET)
  await part.hears()
  child.kill('SIGINT')
  assert.equal(await ended, 0)
})
