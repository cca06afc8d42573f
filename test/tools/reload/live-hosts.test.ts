import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { reloading } from 'propylon/reload'
import { createEnviron, run } from 'propylon/wsgi'
import { framework, Project } from './project.ts'

const PAGE = '<!doctype html><html><body>page</body></html>'

let project: Project

beforeEach(async () => {
  project = await Project.create()
  await project.write({
    'config/routing.ts': `import { Mapper } from '${framework}'
export const map = new Mapper()
  .connect('/mount/{name}/{path_info:.*}', { controller: 'page' })
  .connect('/fail/{name}/{path_info:.*}', { controller: 'fail' })`,
    'controllers/page.ts': `export default (environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/html']])
  return ['${PAGE}']
}`,
    'controllers/fail.ts': `export default (environ, start_response) => { throw new Error('a secret') }`,
  })
})

afterEach(() => project[Symbol.asyncDispose]())

async function get(path: string, host?: string): Promise<IncomingMessage & { body: string }> {
  const headers = { Accept: 'text/html', ...(host !== undefined && { Host: host }) }
  const [response] = (await once(httpGet(project.url + path, { headers }), 'response')) as [IncomingMessage]
  return Object.assign(response, { body: await text(response) })
}

const SCRIPT = '<script src="/__propylon__/live.js?seen='

describe('the script of a page below a mount point', () => {
  const evil = encodeURIComponent('"><script>alert(1)</script>')

  it('has the address that the server answers, without text from the URL', async () => {
    await project.start({ live: true })
    const { body } = await get(`/mount/${evil}/x`)
    assert.ok(body.includes(SCRIPT), body)
    assert.equal(body.match(/<script/g)?.length, 1)
  })

  it('has that address on the page for an error, and its nonce', async () => {
    await project.start({ live: true })
    const { body, headers } = await get(`/fail/${evil}/x`)
    assert.ok(body.includes(SCRIPT), body)
    assert.equal(body.match(/<script/g)?.length, 1)
    const nonce = /<script [^>]*nonce="([^"]+)"/.exec(body)?.[1] ?? '-'
    assert.ok(headers['content-security-policy']?.includes(`script-src 'nonce-${nonce}'`))
  })
})

describe('a mount point that begins with two slashes', () => {
  it('does not become the host of the script', async () => {
    const app = await reloading(project.path('app.ts'))
    const environ = createEnviron({ url: 'http://localhost/mount/a/x' })
    environ.SCRIPT_NAME = '//evil.example'
    const body = await (await run(app, environ)).text()
    app.close()
    assert.ok(body.includes('<script src="/.//evil.example/__propylon__/live.js?seen='), body)
  })
})

describe('a host that is not trusted', () => {
  it('receives pages without the script, no events, and a line in the log', async () => {
    await project.start({ live: true })
    assert.equal((await get('/mount/a/b', 'evil.com')).body, PAGE)
    for (const path of ['/__propylon__/events', '/__propylon__/live.js']) {
      assert.equal((await get(path, 'evil.com')).statusCode, 404)
    }
    assert.equal(project.log.length, 1)
    assert.match(project.log[0] ?? '', /host "evil\.com".*hosts: \[/)
  })

  it('receives no source of what does not load or fails', async () => {
    await project.write({ 'controllers/page.ts': 'export const secret =' })
    await project.start({ live: true })
    for (const path of ['/mount/a/b', '/fail/a/b']) {
      const { statusCode, body } = await get(path, 'evil.com')
      assert.equal(statusCode, 500)
      assert.doesNotMatch(body, /secret|controllers|live\.js/)
    }
    await project.write({ 'app.ts': 'export default secret(' })
    assert.equal((await get('/fail/a/b', 'evil.com')).body, '500 Internal Server Error\n')
  })

  it('is trusted when the application lists it, also while the application does not load', async () => {
    const app = `import { FrameworkApp } from '${framework}'
import { map } from './config/routing.ts'
const logger = { info() {}, warn() {}, error() {} }
export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url), debug: true, logger, hosts: ['dev.example'] })
`
    await project.write({ 'app.ts': app })
    await project.start({ live: true })
    assert.ok((await get('/mount/a/b', 'dev.example')).body.includes(SCRIPT))
    assert.match((await get('/fail/a/b', 'dev.example')).body, /a secret/)
    await project.write({ 'app.ts': `${app}(` })
    assert.match((await get('/fail/a/b', 'dev.example')).body, /app\.ts:5 does not load/)
  })
})
