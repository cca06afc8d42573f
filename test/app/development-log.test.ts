import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { requestLog } from 'propylon/middleware'
import { serve } from 'propylon/node'

class UsersController extends WSGIController {
  __before__() {}

  show(id: string) {
    return this.render('user', { id })
  }

  fail() {
    throw new Error('boom')
  }
}

function loggedApp(debug: boolean, options: { log?: boolean } = {}) {
  const lines: string[] = []
  const app = new FrameworkApp({
    map: new Mapper()
      .connect('/users/{id}', { controller: 'users', action: 'show' })
      .connect('/fail', { controller: 'users', action: 'fail' })
      .connect('/gone', { controller: 'users', action: 'gone' }),
    controllers: { users: UsersController },
    templates: { user: 'User <%= it.id %>' },
    logger: { info: (line) => lines.push(line), warn() {}, error() {} },
    debug,
    ...(options.log ? { middleware: [requestLog({ write() {} })] } : {}),
  })
  return { app, lines }
}

/** Sends a request to a server and returns what the application has logged. */
async function linesOf(
  debug: boolean,
  options: { log?: boolean } = {},
  path = '/users/42?token=secret',
): Promise<string[]> {
  const { app, lines } = loggedApp(debug, options)
  const server = await serve(app)
  await (await fetch(new URL(path, server.url))).text()
  await server.close()
  return lines
}

describe('debug mode', () => {
  it('logs a line for each request, without the query', async () => {
    const lines = await linesOf(true)
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /^200 GET \/users\/42 \d+\.\d ms users\.show$/)
  })

  it('logs the status of the page of an error', async () => {
    assert.match((await linesOf(true, {}, '/fail'))[0] ?? '', /^500 GET \/fail \d+\.\d ms users\.fail$/)
    assert.match((await linesOf(true, {}, '/gone'))[0] ?? '', /^404 GET \/gone \d+\.\d ms users\.gone$/)
  })

  it('leaves the line to requestLog()', async () => {
    assert.deepEqual(await linesOf(true, { log: true }), [])
  })
})

describe('production', () => {
  it('logs no line', async () => {
    assert.deepEqual(await linesOf(false), [])
  })
})
