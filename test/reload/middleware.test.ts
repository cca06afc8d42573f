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
})
