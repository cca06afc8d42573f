import assert from 'node:assert/strict'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { freePort } from '../../free-port.ts'
import { writeTree } from './command-line.ts'
import { createdProject, propylon, start } from './command-process.ts'

const PID = `import { pid } from 'node:process'
export default (environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [String(pid)]
}
`
const READING = `export default async (environ, start_response) => {
  const body = await environ['wsgi.input'].read()
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [String(body.length)]
}
`
const SLOW = `export default async (environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return (async function* () {
    yield 'begun '
    await new Promise((resolve) => setTimeout(resolve, 400))
    yield 'and done'
  })()
}
`

const FORGOTTEN = `const fail = async () => { throw new Error('nobody awaits this') }
export default (environ, start_response) => {
  fail()
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [String(process.pid)]
}
`
const UNCAUGHT = `export default (environ, start_response) => {
  setImmediate(() => { throw new Error('nobody catches this') })
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['called']
}
`

interface Served {
  readonly url: string
  /** Sends a text to its standard input. */
  tell(text: string): void
  /** Waits until a text has been written to stdout or stderr. */
  written(text: RegExp): Promise<string>
  signal(signal: NodeJS.Signals): void
  /** The exit status. */
  readonly ended: Promise<number | null>
}

/** Serves a project and waits until it says where. */
async function served(cwd: string, ...options: string[]): Promise<Served> {
  return servedAs(start(['serve', '--port', '0', ...options], { cwd }))
}

async function servedAs(child: ReturnType<typeof start>): Promise<Served> {
  const serving = watched(child)
  const url = (await serving.written(/http:\/\/[\d.]*:\d+/)).trim()
  return { ...serving, url }
}

function watched(child: ReturnType<typeof start>): Omit<Served, 'url'> {
  let output = ''
  let listeners: (() => void)[] = []
  const ended = once(child, 'close').then(([status]) => status as number | null)
  let isOver = false
  ended.then(() => {
    isOver = true
    for (const look of listeners) look()
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: string) => {
      output += text
      for (const look of listeners) look()
    })
  }
  after(() => child.kill('SIGKILL'))
  const written = (text: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = text.exec(output)
        if (found !== null) resolve(found[0])
        else if (isOver) reject(new Error(`ended without ${text}:\n${output}`))
      }
      listeners = [...listeners, look]
      look()
    })
  return {
    tell: (text) => void child.stdin.write(text),
    written,
    signal: (signal) => child.kill(signal),
    ended,
  }
}

async function project(): Promise<string> {
  const cwd = await createdProject()
  writeTree(cwd, { 'controllers/pid.js': PID, 'controllers/slow.js': SLOW })
  return cwd
}

/** Asks until the answer is as it shall be: what a signal or a change brings about takes its time. */
async function until(url: string, holds: (status: number, text: string) => boolean): Promise<void> {
  for (;;) {
    const response = await fetch(url)
    if (holds(response.status, await response.text())) return
    await new Promise((resolve) => setTimeout(resolve, 10)) // The processes need the processor.
  }
}

/** Asks a server, whose workers are being killed, for the process that answers. */
async function pidOf(url: string): Promise<number> {
  for (;;) {
    try {
      const response = await fetch(url, { headers: { connection: 'close' } })
      return Number(await response.text())
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5)) // No worker listens at this moment.
    }
  }
}

/** Makes a project's `app.ts` scan for controllers and then wait for a signal. */
function waitWhileLoading(cwd: string): void {
  const text = readFileSync(join(cwd, 'app.ts'), 'utf8').replace('export default ', 'const app = ')
  const waiting = `
import { once } from 'node:events'
app.mapper.resolve('GET', '/late')
console.log('app.ts is loading')
await once(process.stdin, 'data')
console.log('app.ts is still loading') // A signal sent before that data is handled before the next.
await once(process.stdin, 'data')
export default app
`
  writeFileSync(join(cwd, 'app.ts'), text + waiting)
}

describe('serve', () => {
  test('serves, completes requests at SIGTERM and ends with status 0', async () => {
    const server = await served(await project())
    assert.equal((await fetch(`${server.url}/pid`)).status, 200)
    const slow = await fetch(`${server.url}/slow`) // The head has arrived, the body is on its way.
    server.signal('SIGTERM')
    assert.equal(await slow.text(), 'begun and done')
    assert.equal(await server.ended, 0)
  })

  test('is in production: an unknown action is 404, an error reveals nothing', async () => {
    const cwd = await project()
    writeTree(cwd, { 'controllers/broken.js': "export default () => { throw new Error('secret') }" })
    const server = await served(cwd)
    assert.equal((await fetch(`${server.url}/pages/nothing`)).status, 404)
    const response = await fetch(`${server.url}/broken`)
    assert.equal(response.status, 500)
    assert.doesNotMatch(await response.text(), /secret/)
    await server.written(/secret/)
  })

  const skip = !existsSync('/dev/full') && 'the system has no /dev/full'
  test('serves on when its log cannot be written, as on a full disk', { skip }, async () => {
    const cwd = await project()
    writeTree(cwd, { 'controllers/broken.js': "export default () => { throw new Error('logged') }" })
    const server = await servedAs(start(['serve', '--port', '0'], { cwd, redirection: '2>/dev/full' }))
    for (const path of ['/broken', '/broken', '/pid']) {
      const { status } = await fetch(server.url + path)
      assert.equal(status, path === '/pid' ? 200 : 500)
    }
  })

  test('writes no control characters of a request to the log', async () => {
    const cwd = await project()
    writeTree(cwd, {
      'controllers/broken.js': `export default (environ) => {
  environ['wsgi.errors'].write('path ' + environ.PATH_INFO + '\\n')
  throw new Error(environ.QUERY_STRING + environ.PATH_INFO)
}`,
    })
    writeTree(cwd, {
      'config/routing.ts':
        "import { Mapper } from 'propylon'\nexport const map = new Mapper().connect('/broken/{path_info:.*}', { controller: 'broken' })\n",
    })
    const server = await served(cwd)
    const { status } = await fetch(`${server.url}/broken/%1b%5d0;title%07%c2%9b2J%e2%80%ae`)
    assert.equal(status, 500)
    const shown = /\\u001b\]0;title\\u0007\\u009b2J\\u202e/.source
    await server.written(new RegExp(`path /${shown}\n`))
    await server.written(new RegExp(`Error: /${shown}\n`))
    server.signal('SIGTERM')
    await server.ended
    await assert.rejects(server.written(/(?!\n)[\p{Cc}\p{Cf}]/u), /ended without/)
  })

  test('finds new controllers at SIGHUP', async () => {
    const cwd = await project()
    const server = await served(cwd)
    assert.equal((await fetch(`${server.url}/late`)).status, 404)
    writeTree(cwd, { 'controllers/late.js': PID })
    server.signal('SIGHUP')
    await until(`${server.url}/late`, (status) => status === 200)
  })

  test('survives a SIGHUP before it listens, and finds new controllers then', async () => {
    const cwd = await project()
    waitWhileLoading(cwd)
    const server = watched(start(['serve', '--port', '0'], { cwd }))
    await server.written(/app\.ts is loading/)
    writeTree(cwd, { 'controllers/late.js': PID })
    server.signal('SIGHUP')
    server.tell('go on\n')
    await server.written(/app\.ts is still loading/)
    server.tell('go on\n')
    const url = await server.written(/http:\/\/[\d.]*:\d+/)
    assert.equal((await fetch(`${url}/late`)).status, 200)
  })

  test('answers 503 to a body beyond --max-buffered-bytes', async () => {
    const cwd = await project()
    writeTree(cwd, { 'controllers/reading.js': READING })
    const server = await served(cwd, '--max-buffered-bytes', '2000')
    for (const [length, status] of [
      [1000, 200],
      [2000, 503],
    ] as const) {
      const response = await fetch(`${server.url}/reading`, { method: 'POST', body: 'x'.repeat(length) })
      assert.equal(response.status, status)
    }
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('answers 503 to a request beyond --max-requests', async () => {
    const cwd = await project()
    writeTree(cwd, { 'controllers/reading.js': READING })
    const server = await served(cwd, '--max-requests', '0', '--body-timeout', '0.5', '--drain-timeout', '1')
    assert.equal((await fetch(`${server.url}/reading`, { method: 'POST', body: 'x' })).status, 503)
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('--eager names every controller that does not load, and does not start', async () => {
    const cwd = await project()
    writeTree(cwd, { 'controllers/broken.js': 'export const x = (' })
    const { status, stdout, stderr } = await propylon(['serve', '--port', '0', '--eager'], { cwd })
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /broken/)
  })

  test("reads the project's .env, which does not replace variables", async () => {
    const cwd = await project()
    const shows = `export default (environ, start_response) => {
  start_response('200 OK', [])
  return [process.env.A_SETTING + ' ' + process.env.ANOTHER]
}`
    writeTree(cwd, { 'controllers/shows.js': shows })
    appendFileSync(join(cwd, '.env'), 'A_SETTING=file # comment\nANOTHER="of .env"\n')
    const server = await servedAs(start(['serve', '--port', '0'], { cwd, env: { A_SETTING: 'own' } }))
    assert.equal(await (await fetch(`${server.url}/shows`)).text(), 'own of .env')
  })

  test('--proxy-headers names the family that --trust-proxy reads', async () => {
    const cwd = await project()
    const shows = `export default (environ, start_response) => {
  start_response('200 OK', [])
  return [environ.REMOTE_ADDR]
}`
    writeTree(cwd, { 'controllers/shows.js': shows })
    const headers = { forwarded: 'for=203.0.113.8', 'x-forwarded-for': '203.0.113.9' }
    for (const [options, expected] of [
      [[], '127.0.0.1'],
      [['--trust-proxy', '127.0.0.1'], '203.0.113.9'],
      [['--trust-proxy', '127.0.0.1', '--proxy-headers', 'x-forwarded'], '203.0.113.9'],
      [['--trust-proxy', '127.0.0.1', '--proxy-headers', 'forwarded'], '203.0.113.8'],
    ] as const) {
      const server = await served(cwd, ...options, '--shutdown-delay', '0')
      assert.equal(await (await fetch(`${server.url}/shows`, { headers })).text(), expected)
      server.signal('SIGTERM')
      assert.equal(await server.ended, 0)
    }
  })

  test('a missing --env-file is refused', async () => {
    const { status, stderr } = await propylon(['serve', '--env-file', 'none.env'], { cwd: await project() })
    // Some versions of Node read the option of a program too, and end with status 9.
    assert.ok(status === 2 || status === 9)
    assert.match(stderr, /none\.env/)
  })

  test('an empty HOST counts as unset, and opens no other interface', async () => {
    const server = await servedAs(start(['serve', '--port', '0'], { cwd: await project(), env: { HOST: '' } }))
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:/)
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('an empty PORT counts as unset', async () => {
    const words = ['serve', '--reload', '--eager'] // Refused once the port has been read.
    const { stderr } = await propylon(words, { cwd: await project(), env: { PORT: '' } })
    assert.match(stderr, /exclude each other/)
  })

  test('a port in use is one line on stderr with status 1', async () => {
    const cwd = await project()
    const { url } = await served(cwd)
    const { status, stderr } = await propylon(['serve', '--port', new URL(url).port], { cwd })
    assert.equal(status, 1)
    assert.match(
      stderr,
      /^propylon: [^\n]* in use[^\n]* For instance: PORT=\d+ before the command, or --port \d+ behind it\.\n$/,
    )
  })
})

test('serve ends with status 1 before it listens if clients refuse the name of a tool', async () => {
  const cwd = await createdProject()
  writeTree(cwd, {
    'config/routing.ts': `import { Mapper } from 'propylon'
export const map = new Mapper().rpc('stock', '/stock')
`,
    'controllers/stock.ts': `import { RPCController } from 'propylon/rpc'
export class StockController extends RPCController {
  static faces = ['json', 'mcp']
  größe() { return 1 }
}
`,
  })
  const { status, stdout, stderr } = await propylon(['serve', '--port', '0'], { cwd })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^propylon: [^\n]*"größe" of größe\(\), which clients of language models refuse[^\n]*\n$/)
})

describe('serve --workers', () => {
  test('serves from several processes, replaces one that dies, and drains all at SIGTERM', async () => {
    const server = await served(await project(), '--workers', '2')
    await server.written(/with 2 workers/)
    const pid = Number(await (await fetch(`${server.url}/pid`)).text())
    process.kill(pid, 'SIGKILL')
    await server.written(new RegExp(`worker ${pid} died \\(SIGKILL\\)`))
    await until(`${server.url}/pid`, (status, text) => status === 200 && Number(text) !== pid)
    const slow = await fetch(`${server.url}/slow`)
    server.signal('SIGTERM')
    assert.equal(await slow.text(), 'begun and done')
    assert.equal(await server.ended, 0)
  })

  test('replaces killed workers at once', async () => {
    const port = String(await freePort()) // The workers share it even when none of them is left in between.
    const server = await servedAs(start(['serve', '--port', port, '--workers', '2'], { cwd: await project() }))
    await server.written(/with 2 workers/)
    for (let killed = 0; killed < 8; killed++) {
      const pid = await pidOf(`${server.url}/pid`)
      process.kill(pid, 'SIGKILL')
      await server.written(new RegExp(`worker ${pid} died \\(SIGKILL\\)\n`))
    }
    assert.ok((await pidOf(`${server.url}/pid`)) > 0)
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('passes on a connection that a worker dies with before it has accepted it', async () => {
    const server = await served(await project(), '--workers', '2')
    await server.written(/with 2 workers/)
    const pid = await pidOf(`${server.url}/pid`)
    process.kill(pid, 'SIGSTOP')
    const requests = [1, 2, 3].map(() => fetch(`${server.url}/pid`)) // One of them reaches the stopped worker.
    await Promise.any(requests)
    process.kill(pid, 'SIGKILL')
    for (const response of await Promise.all(requests)) assert.notEqual(Number(await response.text()), pid)
  })

  test('closes such a connection where no other worker is left', async () => {
    const server = await served(await project(), '--workers', '1')
    await server.written(/with 1 worker/)
    const pid = await pidOf(`${server.url}/pid`)
    process.kill(pid, 'SIGSTOP')
    const client = connect(Number(new URL(server.url).port), '127.0.0.1')
    client.on('error', () => undefined) // ECONNRESET
    await once(client, 'connect')
    process.kill(pid, 'SIGKILL')
    await new Promise((resolve) => client.resume().on('close', resolve))
  })

  test('keeps starting workers that die before they listen', async () => {
    const cwd = await project()
    const server = await served(cwd, '--workers', '2')
    await server.written(/with 2 workers/)
    const text = readFileSync(join(cwd, 'app.ts'), 'utf8')
    writeFileSync(join(cwd, 'app.ts'), 'export default (')
    const pid = await pidOf(`${server.url}/pid`)
    process.kill(pid, 'SIGKILL')
    for (let died = 0; died < 2; died++) await server.written(/died \(1\) before it listened/)
    writeFileSync(join(cwd, 'app.ts'), text)
    const pids = new Set<number>()
    while (pids.size < 2) pids.add(await pidOf(`${server.url}/pid`))
    assert.ok(!pids.has(pid))
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('restarts them one by one at SIGHUP, without a failed request', async () => {
    const cwd = await project()
    const server = await served(cwd, '--workers', '2')
    await server.written(/with 2 workers/)
    writeTree(cwd, { 'controllers/pid.js': PID.replace('String(pid)', "'new ' + pid") })
    const texts: string[] = []
    let isOver = false
    let answered = performance.now()
    let wasSuspended = false
    const ask = async () => {
      while (!isOver) {
        const failure = await fetch(`${server.url}/pid`)
          .then(async (response) => void texts.push(await response.text()))
          .catch((error: unknown) => error)
        wasSuspended ||= performance.now() - answered >= 500
        answered = performance.now()
        // A worker that is replaced closes connections that are idle for a second.
        if (failure !== undefined && !wasSuspended) throw failure
      }
    }
    const clients = [ask(), ask(), ask()]
    server.signal('SIGHUP')
    await server.written(/Restarted 2 workers/)
    isOver = true
    await Promise.all(clients)
    const pids = new Set<string>()
    while (pids.size < 2)
      pids.add(await (await fetch(`${server.url}/pid`, { headers: { connection: 'close' } })).text())
    for (const pid of pids) assert.match(pid, /^new \d+$/)
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('keeps the old ones at SIGHUP if the new files do not load', async () => {
    const cwd = await project()
    const server = await served(cwd, '--workers', '2')
    await server.written(/with 2 workers/)
    const text = readFileSync(join(cwd, 'app.ts'), 'utf8')
    writeFileSync(join(cwd, 'app.ts'), 'export default (')
    server.signal('SIGHUP')
    await server.written(/The restart ends/)
    assert.equal((await fetch(`${server.url}/pid`)).status, 200)
    writeFileSync(join(cwd, 'app.ts'), text)
    server.signal('SIGHUP')
    await server.written(/Restarted 2 workers/)
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('serves from a unix socket', async () => {
    const cwd = await project()
    const path = join(cwd, 'app.sock')
    const server = watched(start(['serve', '--listen', `unix:${path}`, '--workers', '2'], { cwd }))
    await server.written(/Serving at unix:.*app\.sock with 2 workers/)
    const [response] = await once(get({ socketPath: path, path: '/pid' }), 'response')
    assert.equal(response.statusCode, 200)
    response.resume()
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
    assert.ok(!existsSync(path))
  })

  test('ends if the application never starts', async () => {
    const cwd = await project()
    writeFileSync(join(cwd, 'app.ts'), 'export default (')
    const { status, stderr } = await propylon(['serve', '--port', '0', '--workers', '2'], { cwd })
    assert.equal(status, 1)
    assert.match(stderr, /app\.ts does not load/)
  })
})

describe('serve --reload', () => {
  test('serves changed files on the next request, in the same process', async () => {
    const cwd = await project()
    const routing = (path: string) =>
      `import { Mapper } from 'propylon'\nexport const map = new Mapper().connect('${path}', { action: 'index' })\n`
    const server = await served(cwd, '--reload')
    const text = async (path: string) => (await fetch(server.url + path)).text()
    const before = await text('/pid')
    writeTree(cwd, { 'controllers/pid.js': PID.replace('String(pid)', "'changed ' + pid") })
    assert.equal(await text('/pid'), `changed ${before}`)
    writeTree(cwd, { 'config/routing.ts': routing('/at/{controller}'), 'controllers/fresh.js': PID })
    assert.equal(await text('/at/fresh'), before)
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('shows a file that does not compile on the page and the terminal, and serves again once corrected', async () => {
    const cwd = await project()
    const server = await served(cwd, '--reload')
    writeTree(cwd, { 'app.ts': 'export default (' })
    const response = await fetch(`${server.url}/pid`)
    assert.equal(response.status, 500)
    assert.match(await response.text(), /^app\.ts:1: Expression expected/)
    await server.written(/^app\.ts:1: Expression expected/m)
    writeTree(cwd, {
      'app.ts':
        "export default (e, start) => { start('200 OK', [['Content-Type', 'text/plain']]); return ['corrected'] }",
    })
    assert.equal(await (await fetch(`${server.url}/pid`)).text(), 'corrected')
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('ends while a page waits for changes', async () => {
    const server = await served(await project(), '--reload')
    const events = await fetch(`${server.url}/__propylon__/events`)
    assert.equal(events.headers.get('Content-Type'), 'text/event-stream')
    server.signal('SIGTERM')
    assert.match(await events.text(), /^data: /m)
    assert.equal(await server.ended, 0)
  })

  test('leaves pages unchanged with --no-live', async () => {
    const server = await served(await project(), '--reload', '--no-live')
    assert.equal((await fetch(`${server.url}/__propylon__/events`)).status, 404)
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('leaves pages unchanged with several workers', async () => {
    const server = await served(await project(), '--reload', '--workers', '2')
    assert.doesNotMatch(await (await fetch(server.url)).text(), /__propylon__/)
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('lets pages reload themselves with one worker', async () => {
    const server = await served(await project(), '--reload', '--workers', '1')
    assert.match(await (await fetch(server.url)).text(), /__propylon__/)
    server.signal('SIGTERM')
    assert.equal(await server.ended, 0)
  })

  test('is refused together with --eager', async () => {
    const { status, stderr } = await propylon(['serve', '--reload', '--eager'], { cwd: await project() })
    assert.equal(status, 2)
    assert.match(stderr, /--eager and --reload exclude each other/)
  })
})

describe('an unhandled rejection in a controller', () => {
  async function forgetful(): Promise<string> {
    const cwd = await project()
    writeTree(cwd, { 'controllers/forgotten.js': FORGOTTEN, 'controllers/uncaught.js': UNCAUGHT })
    return cwd
  }

  for (const options of [[], ['--reload'], ['--workers', '1'], ['--unhandled-rejections', 'log']]) {
    test(`is logged with its stack, and the process continues: serve ${options.join(' ')}`, async () => {
      const server = await served(await forgetful(), ...options)
      const pid = await (await fetch(`${server.url}/forgotten`)).text()
      await server.written(/Unhandled rejection[^\n]*\nError: nobody awaits this\n +at fail .*forgotten\.js/)
      assert.equal(await (await fetch(`${server.url}/pid`)).text(), pid)
      server.signal('SIGTERM')
      assert.equal(await server.ended, 0)
    })
  }

  test('ends the process with --unhandled-rejections throw', async () => {
    const server = await served(await forgetful(), '--unhandled-rejections', 'throw')
    await fetch(`${server.url}/forgotten`).catch(() => {})
    await server.written(/nobody awaits this/)
    assert.equal(await server.ended, 1)
  })

  test('does not make the process survive an uncaught exception', async () => {
    const server = await served(await forgetful())
    await fetch(`${server.url}/uncaught`).catch(() => {})
    await server.written(/nobody catches this/)
    assert.notEqual(await server.ended, 0)
  })

  test('has two modes', async () => {
    const words = ['serve', '--unhandled-rejections', 'ignore']
    const { status, stderr } = await propylon(words, { cwd: await project() })
    assert.equal(status, 2)
    assert.match(stderr, /--unhandled-rejections is 'ignore'; write 'log' or 'throw'/)
  })
})

describe('serve whose output is closed', () => {
  async function unread(...options: string[]) {
    const cwd = await project()
    writeTree(cwd, { 'controllers/broken.js': "export default () => { throw new Error('broken') }" })
    const child = start(['serve', '--port', '0', ...options], { cwd })
    const ended = once(child, 'exit').then(([status]) => status as number | null)
    const { url } = await servedAs(child)
    child.stdout.destroy()
    child.stderr.destroy()
    return { url, child, ended }
  }

  test('continues after errors that it cannot log', async () => {
    const { url, child, ended } = await unread()
    for (let count = 0; count < 3; count++) assert.equal((await fetch(`${url}/broken`)).status, 500)
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  })

  test('replaces a worker that dies', async () => {
    const { url, child, ended } = await unread('--workers', '2')
    const pidOf = async () => (await fetch(`${url}/pid`, { headers: { connection: 'close' } })).text()
    const first = await pidOf()
    process.kill(Number(first), 'SIGKILL')
    const others = new Set<string>()
    while (others.size < 2 && child.exitCode === null && child.signalCode === null) {
      const pid = await pidOf().catch(() => first)
      if (pid !== first) others.add(pid)
    }
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  })
})
