import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { TestApp } from 'propylon/testing'
import { propylon } from '../cli/command-line.ts'
import { controller, type Files, project, routing } from '../wiring/project.ts'

const FILES: Files = {
  'config/routing.ts': routing(
    "connect('/users/{id}', { controller: 'users', action: 'show' })",
    "connect('/', { controller: 'pages', action: 'index' })",
  ),
  'controllers/users.ts': controller(
    'UsersController',
    'show(idd: string) { return idd }',
    'static { console.log("loaded") }',
  ),
  'controllers/pages.ts': controller('PagesController', "index() { return 'home' }", '__befor__() {}'),
}

/** Returns an application over a project's controllers, and what it logs. */
function appOf(folder: string, debug: boolean) {
  const logged: string[] = []
  const log = (message: string) => void logged.push(message)
  const map = new Mapper()
    .connect('/users/{id}', { controller: 'users', action: 'show' })
    .connect('/', { controller: 'pages', action: 'index' })
  const controllers = pathToFileURL(`${join(folder, 'controllers')}/`)
  return {
    app: new FrameworkApp({ map, controllers, debug, logger: { info: log, warn: log, error: log } }),
    logged,
  }
}

/** Serves a project until it listens, and returns what it prints in the meantime. */
async function served(
  cwd: string,
  words: readonly string[],
  until: (printed: string) => boolean,
): Promise<string> {
  const main = new URL('../../src/cli/main.ts', import.meta.url).pathname
  const child = spawn(
    process.execPath,
    ['--conditions=propylon-source', main, 'serve', '--port=0', ...words],
    {
      cwd,
      env: { ...process.env, NODE_ENV: undefined, NODE_TEST_CONTEXT: undefined, NO_COLOR: '1' },
    },
  )
  let printed = ''
  return new Promise((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      printed += chunk
      if (until(printed)) child.kill()
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.on('error', reject)
    child.on('close', () => resolve(printed))
  })
}

describe('at start, in debug mode', () => {
  it('the findings of propylon check are warnings', async () => {
    const { app, logged } = appOf(project(FILES), true)
    assert.equal((await new TestApp(app).get('/')).text, 'home')
    const text = logged.join('\n')
    assert.match(
      text,
      /controllers\/users\.ts:4:8 UsersController\.show\(\) takes the argument "idd".*Did you mean "id"\?/,
    )
    assert.match(text, /controllers\/pages\.ts:5:3 .*__befor__.*Did you mean "__before__"\?/)
    assert.equal(logged.length, 2)
  })

  it('controllers in a record are checked too', async () => {
    class UsersController extends WSGIController {
      show(user: string) {
        return user
      }
    }
    const logged: string[] = []
    const log = (message: string) => void logged.push(message)
    const app = new FrameworkApp({
      map: new Mapper().connect('/{id}', { controller: 'users', action: 'show' }),
      controllers: { users: UsersController },
      debug: true,
      logger: { info: log, warn: log, error: log },
    })
    await new TestApp(app).get('/1')
    assert.match(
      logged.join('\n'),
      /test\/app\/start-check\.test\.ts:\d+:\d+ UsersController\.show\(\) .*"user"/,
    )
  })

  it('nothing is checked in production', async () => {
    const { app, logged } = appOf(project(FILES), false)
    await new TestApp(app).get('/')
    assert.deepEqual(logged, [])
  })

  it('propylon serve --reload prints them once, and loads no controller for it', async () => {
    const folder = project({
      ...FILES,
      'app.ts': `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

console.log('application')
export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url), debug: true })
`,
    })
    let isChanged = false
    const printed = await served(folder, ['--reload'], (text) => {
      const url = /at (http:\S+)/.exec(text)?.[1]
      if (url !== undefined && text.includes('__befor__') && !isChanged) {
        isChanged = true
        writeFileSync(
          join(folder, 'lib/base.ts'),
          `export { WSGIController as BaseController } from 'propylon'\n`,
        )
        writeFileSync(join(folder, 'config/routing.ts'), `${FILES['config/routing.ts']}// changed\n`)
        // The process may end before it has answered both.
        fetch(url)
          .then(() => fetch(url))
          .catch(() => undefined)
      }
      return text.split('application').length > 2
    })
    assert.equal(printed.split('"idd"').length, 2, printed)
    assert.equal(printed.split('__befor__').length, 2, printed)
    assert.doesNotMatch(printed, /loaded/)
  })

  it('tests of the application itself print none', async () => {
    const folder = project({
      ...FILES,
      'app.ts': `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url), debug: true })
`,
      'tests/test_pages.ts': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from '../app.ts'

test('the page', async () => assert.equal((await new TestApp(app).get('/')).text, 'home'))
`,
    })
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--conditions=propylon-source', '--test', 'tests/test_pages.ts'],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, NODE_ENV: undefined, NODE_TEST_CONTEXT: undefined },
      },
    )
    assert.equal(status, 0, stdout)
    assert.doesNotMatch(stdout + stderr, /__before__/)
  })

  it('commands that do not serve the application print none', async () => {
    const folder = project({
      ...FILES,
      'app.ts': `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url), debug: true })
`,
    })
    for (const words of [['routes'], ['check', '--json']]) {
      const { stderr } = await propylon(words, { cwd: folder })
      assert.equal(stderr, '')
    }
  })
})

it('production imports neither the checks nor their parser', async () => {
  const folder = project({
    ...FILES,
    'main.ts': `import module from 'node:module'

const loaded: string[] = []
module.registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
const { default: app } = await import('./app.ts')
await (await app.fetch(new Request('http://localhost/'))).text()
console.log(loaded.filter((url) => /acorn-typescript|\\/wiring\\//.test(url)).join())
`,
  })
  const child = spawn(process.execPath, ['--conditions=propylon-source', 'main.ts'], { cwd: folder })
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  await new Promise((resolve) => child.on('close', resolve))
  assert.equal(printed, '\n')
})
