import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FrameworkApp, Mapper } from 'propylon'
import { TestApp } from 'propylon/testing'
import { propylon } from '../cli/command-process.ts'
import { controller, type Files, project, routing } from './project.ts'

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

/** Returns a controller whose action takes an argument of a name. */
function users(name: string): string {
  return controller('UsersController', `show(${name}: string) { return ${name} }`)
}

/** An application in debug mode unless NODE_ENV is production. */
const APP = `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

console.log('application')
export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  debug: process.env.NODE_ENV !== 'production',
})
`

/** Serves a project until it listens, and returns what it prints in the meantime. */
async function served(
  cwd: string,
  words: readonly string[],
  until: (printed: string) => boolean,
  mode?: 'development' | 'production',
): Promise<string> {
  const main = new URL('../../../src/tools/cli/main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--conditions=propylon-source', main, 'serve', '--port=0', ...words], {
    cwd,
    env: { ...process.env, NODE_ENV: mode, NODE_TEST_CONTEXT: undefined, NO_COLOR: '1' },
  })
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

describe('a new FrameworkApp in debug mode', () => {
  it('starts no check and answers its first request', async () => {
    const logged: string[] = []
    const log = (message: string) => void logged.push(message)
    const app = new FrameworkApp({
      map: new Mapper().connect('/', { controller: 'pages', action: 'index' }),
      controllers: pathToFileURL(`${join(project(FILES), 'controllers')}/`),
      debug: true,
      logger: { info: log, warn: log, error: log },
    })
    assert.equal((await new TestApp(app).get('/')).text, 'home')
    assert.deepEqual(logged, [])
  })
})

describe('a served application in debug mode', () => {
  it('logs the findings of propylon check as warnings', async () => {
    const folder = project({ ...FILES, 'app.ts': APP })
    const printed = await served(folder, [], (text) => text.includes('__befor__'), 'development')
    assert.match(
      printed,
      /controllers\/users\.ts:4:8 UsersController\.show\(\) takes the argument "idd".*Did you mean "id"\?/,
    )
    assert.match(printed, /controllers\/pages\.ts:5:3 .*__befor__.*Did you mean "__before__"\?/)
  })

  it('says nothing of controllers that have not moved', async () => {
    const route = "connect('/old', { controller: 'old_pages', action: 'index' })"
    const folder = project({
      ...FILES,
      'app.ts': APP,
      'config/routing.ts': routing(route, "connect('/', { controller: 'pages', action: 'index' })"),
      'package.json': '{ "type": "module", "propylon": { "moved": ["pages"] } }',
    })
    const printed = await served(folder, [], (text) => text.includes('__befor__'), 'development')
    assert.doesNotMatch(printed, /old_pages/)
  })

  it('has controllers in a record checked too', async () => {
    const folder = project({
      'app.ts': `import { FrameworkApp, Mapper, WSGIController } from 'propylon'

class UsersController extends WSGIController {
  show(user: string) {
    return user
  }
}
const map = new Mapper().connect('/{id}', { controller: 'users', action: 'show' })
export default new FrameworkApp({ map, controllers: { users: UsersController }, debug: true })
`,
    })
    const printed = await served(folder, [], (text) => text.includes('"user"'))
    assert.match(printed, /app\.ts:4:\d+ UsersController\.show\(\) .*"user"/)
  })

  it('nothing is checked in production', async () => {
    const folder = project({ ...FILES, 'app.ts': APP })
    const printed = await served(folder, [], (text) => text.includes('Serving'), 'production')
    assert.doesNotMatch(printed, /"idd"|__befor__/)
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
        writeFileSync(join(folder, 'lib/base.ts'), `export { WSGIController as BaseController } from 'propylon'\n`)
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

  it('propylon serve --reload prints each finding once, and again when it returns', async () => {
    const folder = project({ ...FILES, 'app.ts': APP, 'controllers/users.ts': users('id') })
    const steps = [
      (text: string) => text.includes('Serving') && text.includes('__befor__'),
      (text: string) => text.includes('"first"'),
      (text: string) => text.includes('"second"'),
      (text: string) => text.split('"first"').length > 2,
    ]
    const names = ['first', 'second', 'first']
    const printed = await served(folder, ['--reload'], (text) => {
      if (steps[0]?.(text) !== true) return false
      steps.shift()
      const name = names.shift()
      if (name !== undefined) writeFileSync(join(folder, 'controllers/users.ts'), users(name))
      return steps.length === 0
    })
    assert.equal(printed.split('__befor__').length, 2, printed)
    assert.equal(printed.split('"second"').length, 2, printed)
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

it('production does not import the checks', async () => {
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
console.log(loaded.filter((url) => /\\/tools\\/(?:check|sources)\\//.test(url)).join())
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
