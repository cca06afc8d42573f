import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { controller, Project } from './project.ts'

const PAGE = '<!doctype html><html><body><p>é</p></body></html>'
const SCRIPT = /<script src="(\/__propylon__\/live\.js\?seen=([a-z0-9]+-\d+))" defer><\/script>\n<\/body><\/html>$/

let project: Project

beforeEach(async () => {
  project = await Project.create()
  await project.write({ 'controllers/page.ts': controller(`'${PAGE}'`) })
})

afterEach(() => project[Symbol.asyncDispose]())

/** The state in which a page was made. */
async function seenBy(path: string): Promise<string> {
  return SCRIPT.exec(await project.get(path))?.[2] ?? ''
}

/** Listens as the script in a page does. */
async function listen(): Promise<{ next(): Promise<string>; close(): Promise<void> }> {
  const response = await project.fetch('/__propylon__/events')
  assert.equal(response.headers.get('Content-Type'), 'text/event-stream')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  return {
    async next() {
      const event = await reader?.read()
      return /^data: (.+)$/m.exec(event?.value ?? '')?.[1] ?? ''
    },
    close: async () => reader?.cancel(),
  }
}

describe('an HTML page', () => {
  it('receives the script and a matching Content-Length', async () => {
    await project.start({ live: true })
    const response = await project.fetch('/page')
    const bytes = await response.bytes()
    assert.equal(response.headers.get('Content-Length'), String(bytes.length))
    assert.match(new TextDecoder().decode(bytes), SCRIPT)
    assert.match(new TextDecoder().decode(bytes), /<p>é<\/p>/)
  })

  it('links to a script that the server sends', async () => {
    await project.start({ live: true })
    const [, address = ''] = SCRIPT.exec(await project.get('/page')) ?? []
    const response = await project.fetch(address)
    assert.equal(response.headers.get('Content-Type'), 'text/javascript; charset=utf-8')
    assert.match(await response.text(), /new EventSource\(/)
  })

  it('is unchanged with live: false', async () => {
    await project.start({ live: false })
    assert.equal(await project.get('/page'), PAGE)
    assert.match(await project.get('/__propylon__/events'), /^404 /)
  })

  it('with a load failure has the script too', async () => {
    await project.write({ 'controllers/page.ts': 'export const = 1' })
    await project.start({ live: true })
    const response = await project.fetch('/page', { headers: { Accept: 'text/html' } })
    assert.equal(response.status, 500)
    assert.match(await response.text(), /does not load[\s\S]*live\.js\?seen=/)
  })

  it('is unchanged for HEAD, POST and requests by scripts', async () => {
    await project.start({ live: true })
    const head = await project.fetch('/page', { method: 'HEAD' })
    assert.equal(head.headers.get('Content-Length'), String(Buffer.byteLength(PAGE)))
    assert.equal(await (await project.fetch('/page', { method: 'POST' })).text(), PAGE)
    const fetched = await project.fetch('/page', { headers: { 'Sec-Fetch-Dest': 'empty' } })
    assert.equal(await fetched.text(), PAGE)
  })
})

describe('an open page', () => {
  it('receives the state of the files at once', async () => {
    await project.start({ live: true })
    const events = await listen()
    assert.equal(await events.next(), await seenBy('/page'))
    await events.close()
  })

  for (const [what, file, text] of [
    ['controller', 'controllers/page.ts', controller("'<!doctype html><p>changed</p>'")],
    ['new controller', 'controllers/added.ts', controller("'added'")],
    ['template', 'templates/page.eta', 'changed'],
    ['stylesheet', 'public/style.css', 'p { color: red }'],
    ['broken routing file', 'config/routing.ts', 'export const map ='],
  ] as const) {
    it(`receives an event when a ${what} changes, without any request`, async () => {
      await project.start({ live: true })
      const seen = await seenBy('/page')
      const events = await listen()
      assert.equal(await events.next(), seen)
      await project.write({ [file]: text })
      assert.notEqual(await events.next(), seen)
      await events.close()
    })
  }

  it('receives an event on connecting if a file changed after the page was sent', async () => {
    await project.start({ live: true })
    const seen = await seenBy('/page')
    await project.write({ 'templates/page.eta': 'changed' })
    const events = await listen()
    assert.notEqual(await events.next(), seen)
    await events.close()
  })

  it('receives an event when a module of another file type or outside of the project changes', async () => {
    await project.write({
      '../outside.ts': 'export const word = 1',
      'lib/data.json': '{ "word": 1 }',
      'controllers/data.ts': controller(
        "data.word + '' + word",
        "import data from '../lib/data.json' with { type: 'json' }\nimport { word } from '../../outside.ts'",
      ),
    })
    await project.start({ live: true })
    const seen = await seenBy('/page')
    assert.equal(await project.get('/data'), '11')
    assert.equal(await seenBy('/page'), seen)
    await project.write({ 'lib/data.json': '{ "word": 22 }' })
    assert.equal(await project.get('/data'), '221')
    const then = await seenBy('/page')
    assert.notEqual(then, seen)
    await project.write({ '../outside.ts': 'export const word = 22' })
    assert.notEqual(await seenBy('/page'), then)
  })

  it('receives no event for data that the application writes', async () => {
    await project.start({ live: true })
    const seen = await seenBy('/page')
    await project.write({
      'var/users.db': 'data',
      'users.db-wal': 'data',
      'app.log': 'line',
      '.cache/x.ts': '',
    })
    assert.equal(await seenBy('/page'), seen)
  })

  it('does not keep the server from closing', async () => {
    await project.start({ live: true })
    const events = await listen()
    await events.next()
    await project.stop()
    assert.equal(await events.next(), '')
  })
})

it('the script’s paths answer HEAD, and no method that changes something', async () => {
  await project.start({ live: true })
  for (const path of ['/__propylon__/live.js', '/__propylon__/events']) {
    assert.equal((await project.fetch(path, { method: 'HEAD' })).status, 200)
    const refused = await project.fetch(path, { method: 'POST' })
    assert.equal(refused.status, 405)
    assert.equal(refused.headers.get('Allow'), 'GET, HEAD')
  }
})
