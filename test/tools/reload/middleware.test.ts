import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { controller, framework, Project } from './project.ts'

/** An application whose middleware sets the header `X-Seen` to the status. */
const application = `import { FrameworkApp, Mapper } from '${framework}'
export default new FrameworkApp({
  map: new Mapper().connect('/{controller}', { action: 'index' }),
  controllers: new URL('./controllers/', import.meta.url),
  debug: true,
  logger: { info() {}, warn() {}, error() {} },
  middleware: [
    (inner) => (environ, start_response) =>
      inner(environ, (status, headers, excInfo) =>
        start_response(status, [...headers, ['X-Seen', status]], excInfo)),
  ],
})
`

/** An application with the middleware that an expression returns. */
const withMiddleware = (expression: string) => `import { FrameworkApp, Mapper } from '${framework}'
import { compress } from '${import.meta.resolve('propylon/middleware')}'
export default new FrameworkApp({
  map: new Mapper().connect('/{controller}', { action: 'index' }),
  controllers: new URL('./controllers/', import.meta.url),
  middleware: [${expression}],
})
`

describe('middleware of a reloaded application', () => {
  it('sees the page of an error', async () => {
    await using project = await Project.create()
    await project.write({
      'app.ts': application,
      'controllers/hello.ts': controller("(() => { throw new Error('broken here') })()"),
    })
    await project.start({ live: true })
    const response = await project.fetch('/hello', { headers: { Accept: 'text/html' } })
    assert.deepEqual([response.status, response.headers.get('x-seen')], [500, '500 Internal Server Error'])
    const page = await response.text()
    assert.match(page, /broken here/)
    assert.doesNotMatch(page, /hello\.ts\?/)
    assert.match(page, /<script src=/)
  })

  it('does not prevent the page of a controller that does not load', async () => {
    await using project = await Project.create()
    await project.write({ 'app.ts': application, 'controllers/hello.ts': 'export const = 1\n' })
    await project.start()
    assert.match(await project.get('/hello'), /^500 .*Unexpected token/s)
    await project.write({ 'controllers/hello.ts': controller("'corrected'") })
    assert.equal(await project.get('/hello'), 'corrected')
  })

  it('does not compress the pages that reload themselves', async () => {
    await using project = await Project.create()
    await project.write({
      'app.ts': withMiddleware('compress({ threshold: 0 })'),
      'controllers/hello.ts': controller("'<!doctype html><p>hello</p>'"),
    })
    await project.start({ live: true })
    const headers = { Accept: 'text/html', 'Accept-Encoding': 'gzip' }
    assert.match(await (await project.fetch('/hello', { headers })).text(), /<script src=/)
    const script = await project.fetch('/hello', { headers: { ...headers, 'Sec-Fetch-Dest': 'script' } })
    assert.equal(script.headers.get('content-encoding'), 'gzip')
  })
})
