/** Servers continue and return 500 when the hooks of an application, or wsgi.errors, fail while they report an error. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it, mock } from 'node:test'
import { toFetch } from 'propylon/fetch'
import { serve } from 'propylon/node'
import type { Body, ErrorStream, ServerHooks, WSGIApplication } from 'propylon/wsgi'

const fail = (): never => {
  throw new Error('the hook failed')
}
const failLater = async (): Promise<never> => fail()

const start: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['fine']
}

const apps: Readonly<Record<string, WSGIApplication>> = {
  'a throw': () => {
    throw new Error('the application failed')
  },
  'a rejection': async () => {
    throw new Error('the application failed')
  },
}

const closing: WSGIApplication = (environ, start_response) =>
  Object.assign(start(environ, start_response), {
    close() {
      throw new Error('the application failed')
    },
  }) as Body

const brokenErrors: Readonly<Record<string, ErrorStream>> = {
  'whose write throws': { write: fail, flush() {} },
  'whose write rejects': { write: failLater, flush() {} },
  'whose flush throws': { write() {}, flush: fail },
  'whose flush rejects': { write() {}, flush: failLater },
}

const brokenHooks: Readonly<Record<string, Partial<ServerHooks>>> = {
  'a handleError that throws': { handleError: fail },
  'a handleError that rejects': { handleError: failLater },
  'a reportError that throws': { reportError: fail },
  'a reportError that rejects': { reportError: failLater },
  'both that throw': { handleError: fail, reportError: fail },
  'a page that throws': { handleError: () => fail, reportError: fail },
}

/** Sends requests to an application over one of the faces, with `wsgi.errors` replaced. */
type Run = (
  hooks: ServerHooks,
  errors: ErrorStream,
  use: (ask: (path?: string) => Promise<Response>) => Promise<void>,
) => Promise<void>

const faces: Readonly<Record<string, Run>> = {
  async node(app, errors, use) {
    const server = await serve(app, { errors })
    try {
      await use((path = '/') => fetch(server.url + path, { headers: { connection: 'close' } }))
    } finally {
      await server.close()
    }
  },
  async fetch({ wsgi, ...hooks }, errors, use) {
    const withErrors: WSGIApplication = (environ, start_response) => {
      environ['wsgi.errors'] = errors
      return wsgi(environ, start_response)
    }
    const handler = toFetch({ wsgi: withErrors, ...hooks })
    await use((path = '/') => handler(new Request(`http://localhost${path}`)))
  },
}

/** Returns an application that calls `app`, except for `/fine`. */
function hooked(app: WSGIApplication, hooks: Partial<ServerHooks> = {}): ServerHooks {
  return { wsgi: (environ, begin) => (environ.PATH_INFO === '/fine' ? start : app)(environ, begin), ...hooks }
}

class Written implements ErrorStream {
  text = ''
  write(text: string): void {
    this.text += text
  }
  flush(): void {}
}

for (const [faceName, run] of Object.entries(faces)) {
  describe(`error reporting on the ${faceName} face`, () => {
    for (const [kind, app] of Object.entries(apps)) {
      for (const [hooksName, hooks] of Object.entries(brokenHooks)) {
        it(`returns 500 and writes both errors to wsgi.errors: ${kind}, ${hooksName}`, async () => {
          const errors = new Written()
          await run(hooked(app, hooks), errors, async (ask) => {
            const response = await ask()
            assert.equal(response.status, 500)
            assert.equal(await response.text(), '500 Internal Server Error\n')
            assert.equal((await ask('/fine')).status, 200)
          })
          if (hooksName !== 'a page that throws') assert.match(errors.text, /the application failed/)
          assert.match(errors.text, /the hook failed/)
        })
      }

      for (const [errorsName, errors] of Object.entries(brokenErrors)) {
        it(`returns 500 and writes to the console: ${kind}, a wsgi.errors ${errorsName}`, async () => {
          const written = mock.method(console, 'error', () => {})
          try {
            await run(hooked(app), errors, async (ask) => {
              assert.equal((await ask()).status, 500)
              assert.equal((await ask('/fine')).status, 200)
            })
            assert.match(String(written.mock.calls[0]?.arguments[0]), /the application failed[\s\S]*the hook failed/)
          } finally {
            written.mock.restore()
          }
        })
      }
    }

    it('completes the response when close() and everything that reports it fail', async () => {
      const written = mock.method(console, 'error', fail)
      try {
        await run(hooked(closing, { reportError: fail }), { write: fail, flush: fail }, async (ask) => {
          assert.equal(await (await ask()).text(), 'fine')
          assert.equal(await (await ask()).text(), 'fine')
        })
        assert.equal(written.mock.callCount(), 2)
      } finally {
        written.mock.restore()
      }
    })
  })
}

const FAILING_SERVER = `
import { serve } from 'propylon/node'
const server = await serve((environ, start_response) => {
  environ['wsgi.errors'].write('called\\n')
  if (environ.PATH_INFO === '/stream') {
    start_response('200 OK', [['Content-Type', 'text/plain']])
    return (async function* () { yield 'begun'; throw new Error('failed') })()
  }
  throw new Error('failed')
})
console.log(server.url)
`

describe('a standard error output that cannot be written to', () => {
  const outputs: Readonly<Record<string, string>> = {
    'whose reader has gone': 'pipe',
    'on a full device': '/dev/full',
  }
  for (const [name, target] of Object.entries(outputs)) {
    const skip = target === '/dev/full' && process.platform !== 'linux'
    it(`does not end the process: one ${name}`, { skip }, async () => {
      const code = ['--conditions=propylon-source', '--input-type=module', '-e', FAILING_SERVER]
      const child =
        target === 'pipe'
          ? spawn(process.execPath, code, { stdio: ['ignore', 'pipe', 'pipe'] })
          : spawn('sh', ['-c', `exec "$@" 2>${target}`, 'sh', process.execPath, ...code], {
              stdio: ['ignore', 'pipe', 'ignore'],
            })
      try {
        child.stderr?.destroy()
        const [line] = await once(child.stdout ?? child, 'data')
        const url = String(line).trim()
        for (let count = 0; count < 3; count++) {
          assert.equal((await fetch(url)).status, 500)
          await assert.rejects(async () => (await fetch(`${url}/stream`)).text())
        }
        assert.equal(child.exitCode, null)
      } finally {
        child.kill('SIGKILL')
      }
    })
  }
})
