import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { bareProject, writeTree } from './command-line.ts'
import { createdProject, propylon } from './command-process.ts'

/** Runs a program in a project with exactly these settings. */
function inProject(cwd: string, program: string, settings: Readonly<Record<string, string>>) {
  const { SECRET: _, NODE_ENV: __, NODE_TEST_CONTEXT: ___, ...env } = process.env
  const options = ['--conditions=propylon-source', '--input-type=module', '--eval', program]
  return spawnSync(process.execPath, options, { cwd, encoding: 'utf8', env: { ...env, ...settings } })
}

describe('the settings of a created project', () => {
  let cwd: string
  before(async () => {
    cwd = await createdProject()
    rmSync(join(cwd, '.env'))
  })

  const table: [name: string, settings: Record<string, string>, stderr: RegExp][] = [
    ['production refuses to start without a secret', { NODE_ENV: 'production' }, /Error: SECRET is not set/],
    ['an empty secret is none', { NODE_ENV: 'production', SECRET: '' }, /Error: SECRET is not set/],
    ['a short secret is refused', { NODE_ENV: 'production', SECRET: 'short' }, /32 /],
    ['production takes the secret', { NODE_ENV: 'production', SECRET: 'x'.repeat(32) }, /^$/],
    ['development says when sessions end', { NODE_ENV: 'development' }, /^SECRET is not set: sessions end/],
    ['tests need no secret', {}, /^$/],
  ]
  for (const [name, settings, stderr] of table) {
    test(name, () => assert.match(inProject(cwd, "await import('./app.ts')", settings).stderr, stderr))
  }

  const SERVED = `import { serve } from 'propylon/node'
    const { default: app } = await import('./app.ts')
    const server = await serve(app, { port: 0 })
    await (await fetch(server.url + '/?token=hidden')).text()
    await server.close()`
  const TESTED = `import { TestApp } from 'propylon/testing'
    const { default: app } = await import('./app.ts')
    await new TestApp(app).get('/?token=hidden')`
  const logs: [environment: string, program: string, stdout: RegExp][] = [
    ['development', SERVED, /^200 GET \/ [\d.]+ ms pages\.index\n$/],
    ['production', SERVED, /^\{"time":.*"path":"\/","status":200,.*\}\n$/],
    ['test', TESTED, /^$/],
  ]
  for (const [environment, program, stdout] of logs) {
    test(`the log of requests in ${environment}`, () => {
      const run = inProject(cwd, program, { NODE_ENV: environment, SECRET: 'x'.repeat(32) })
      assert.match(run.stdout, stdout)
    })
  }

  for (const path of ['/', '/nowhere']) {
    test(`the layout of ${path} is right below a prefix`, () => {
      const program = `import { toFetch } from 'propylon/fetch'
        const { default: app } = await import('./app.ts')
        const request = new Request('https://a.example/shop${path}', { headers: { accept: 'text/html' } })
        console.log(await (await toFetch(app, { scriptName: '/shop' })(request)).text())`
      const { stdout } = inProject(cwd, program, { NODE_ENV: 'production', SECRET: 'x'.repeat(32) })
      assert.match(stdout, /href="\/shop\/static\/style\.css\?v=\w+"/)
      assert.match(stdout, /href="\/shop\/"/)
    })
  }
})

describe('.env', () => {
  const program = 'export default { wsgi() {}, mapper: { table: () => [] }, controllers: {} }\n'

  test('is read by commands that import the project, and the environment wins', async () => {
    const cwd = bareProject()
    writeTree(cwd, {
      '.env': 'GREETING="from the file"\nNAME=file\n',
      'app.ts': `console.error(process.env.GREETING, process.env.NAME)\n${program}`,
    })
    const { stderr } = await propylon(['routes'], { cwd: join(cwd, 'controllers'), env: { NAME: 'shell' } })
    assert.match(stderr, /^from the file shell$/m)
  })

  test('of a new project has every name of .env.example that has a value', async () => {
    const cwd = await createdProject()
    const names = (path: string) =>
      [...readFileSync(join(cwd, path), 'utf8').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name)
    assert.deepEqual(names('.env'), names('.env.example'))
  })
})
