import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { createdProject, propylon } from './command-process.ts'
import { checked, RIGHT, tests, types } from './project-checks.ts'

/** Fields of all types, and some whose names templates have. */
const FIELDS = [
  ...['name', 'body:text', 'url:int', 'c:number', 'value:bool', 'label:date', 'type:email'],
  ...['a:string?', 'b:text?', 'session:int?', 'd:number?', 'e:bool?', 'f:date?', 'g:email?'],
]

async function generate(project: string, ...commands: string[][]): Promise<string> {
  let printed = ''
  for (const words of commands) {
    const { status, stdout, stderr } = await propylon(words, { cwd: project })
    assert.deepEqual([status, stderr], [0, ''])
    printed += stdout
  }
  return printed
}

describe('a project as created', () => {
  let project: string
  before(async () => {
    project = await createdProject()
  })
  test('is wired correctly and has right types', async () => assert.deepEqual(await checked(project), RIGHT))
  test('passes its tests', () => {
    const { status, output } = tests(project)
    assert.equal(status, 0, output)
  })
  for (const [NODE_ENV, status] of [
    ['development', 200],
    ['production', 404],
  ] as const) {
    test(`has the OpenAPI document and its page in ${NODE_ENV}: ${status}`, () => {
      const code = `import app from './app.ts'
        for (const path of ['/openapi.json', '/openapi'])
          console.log((await app.fetch(new Request('http://localhost' + path))).status)`
      const words = ['--conditions=propylon-source', '--input-type=module', '--eval', code]
      const env = { ...process.env, NODE_ENV, SECRET: 'x'.repeat(32) }
      const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
      const output = execFileSync(process.execPath, words, { cwd: project, env, stdio, encoding: 'utf8' })
      assert.deepEqual(output.match(/^\d{3}$/gm), [String(status), String(status)])
    })
  }
  const urls: [call: string, error: RegExp | undefined][] = [
    ["this.url('home')", undefined],
    ["this.url('no_such_route')", /controllers\/pages\.ts.*no_such_route/s],
    ["this.url('hme')", /controllers\/pages\.ts.*"home"/s],
  ]
  for (const [call, error] of urls) {
    test(`${call} ${error === undefined ? 'compiles' : 'does not compile'}`, () => {
      const file = join(project, 'controllers/pages.ts')
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, text.replace('return this.render(', `this.c.link = ${call}\n    $&`))
      const printed = types(project)
      writeFileSync(file, text)
      if (error === undefined) assert.equal(printed, '')
      else assert.match(printed, error)
    })
  }
  test('has a route for its home page and the default routes', async () => {
    const { stdout } = await propylon(['routes', '--json'], { cwd: project })
    const paths = JSON.parse(stdout).map(({ path }: { path: string }) => path)
    assert.deepEqual(paths, ['/', '/{controller}', '/{controller}/{action}', '/{controller}/{action}/{id}'])
  })
})

describe('a project with generated controllers', () => {
  let project: string
  before(async () => {
    project = await createdProject()
    const printed = await generate(
      project,
      ['controller', 'hello'],
      ['controller', 'admin/panel'],
      ['controller', 'with-dash'],
      ['restcontroller', 'comment', 'comments'],
      ['restcontroller', 'admin/trackback', 'admin/trackbacks'],
      ['restcontroller', 'blog-post', 'a/b/blog-posts', ...FIELDS, '--route'],
    )
    const lines = printed.split('\n').filter((line) => line.startsWith('map.') && !line.includes('blog'))
    assert.equal(lines.length, 2)
    const routing = join(project, 'config/routing.ts')
    const text = readFileSync(routing, 'utf8')
    writeFileSync(routing, text.replace(/^.*New routes go.*$/m, `${lines.join('\n')}\n$&`))
  })
  test('is wired correctly and has right types', async () => assert.deepEqual(await checked(project), RIGHT))
  test('passes its tests', () => {
    const { status, output } = tests(project)
    assert.equal(status, 0, output)
    assert.match(output, /skipped 0/)
  })
  test('has the routes of the pasted lines', () => {
    const file = join(project, 'controllers/hello.ts')
    const text = readFileSync(file, 'utf8')
    const call = "this.c.links = [this.url('comments'), this.url('admin_trackback', { id: 1 }), this.url('comment')]"
    writeFileSync(file, text.replace(/^ +return/m, `    ${call}\n$&`))
    const printed = types(project)
    writeFileSync(file, text)
    assert.match(printed, /controllers\/hello\.ts\(\d+,\d+\).*"comment"/s)
    assert.doesNotMatch(printed, /"comments"' is not|"admin_trackback"' is not/)
  })
  test('a date that is wrong has one message', () => {
    const dates = ['2024-2-3', '2024-02-30', '2024-13-01', 'x', '2024-02-29']
    const code = `import * as v from 'valibot'
      import { Fields } from './model/a/b/blog_posts.ts'
      for (const label of ${JSON.stringify(dates)})
        console.log(v.safeParse(v.pick(Fields, ['label']), { label }).issues?.map(({ message }) => message).join() ?? 'right')`
    const words = ['--conditions=propylon-source', '--input-type=module', '--eval', code]
    const output = execFileSync(process.execPath, words, { cwd: project, encoding: 'utf8' })
    const form = 'must be a date: YYYY-MM-DD'
    assert.deepEqual(output.trim().split('\n'), [form, 'is not in the calendar', form, form, 'right'])
  })
  test('--route has added the line once, and would not add it again', async () => {
    const line = "map.resource('blog_post', 'blog_posts', {"
    assert.equal(readFileSync(join(project, 'config/routing.ts'), 'utf8').split(line).length, 2)
  })

  test('passes its tests without the default routes, and commands go on', async () => {
    const routing = join(project, 'config/routing.ts')
    const text = readFileSync(routing, 'utf8')
    const pages = "map.connect('hello', '/hello', { controller: 'hello', action: 'index' })"
    writeFileSync(routing, text.replace(/^.*(?:New routes go|\{controller\}).*\n/gm, ''))
    const printed = await generate(
      project,
      ['controller', 'admin/desk'],
      ['restcontroller', 'reply', 'replies', '--route'],
      ['restcontroller', 'card', 'cards', '--dry-run'],
    )
    assert.ok(printed.includes("Add this line to config/routing.ts:\nmap.resource('card', 'cards')\n"))
    const line = "map.connect('admin_desk', '/admin/desk', { controller: 'admin/desk', action: 'index' })"
    assert.ok(printed.includes(`Add this line to config/routing.ts:\n${line}\n`))
    const panels = ['admin/panel', 'with_dash'].map(
      (name) => `map.connect('/${name}', { controller: '${name}', action: 'index' })`,
    )
    const resources = readFileSync(routing, 'utf8')
    assert.match(resources, /\nmap\.resource\('reply', 'replies'\)\n/)
    writeFileSync(
      routing,
      resources.replace(/^map\.resource\('reply'.*$/m, `$&\n${[line, pages, ...panels].join('\n')}`),
    )
    const { status, output } = tests(project)
    writeFileSync(routing, text)
    for (const path of [
      'controllers/replies.ts',
      'tests/functional/test_replies.ts',
      'controllers/admin/desk.ts',
      'tests/functional/test_admin_desk.ts',
    ])
      rmSync(join(project, path))
    assert.equal(status, 0, output)
  })

  const clashes: [words: string[], because: RegExp][] = [
    [['restcontroller', 'comment', 'remarks'], /route name '\w*comment' is already used for '\/comments/],
    [['restcontroller', 'home', 'homes', '--route'], /route name 'home' is already used for '\/'/],
  ]
  for (const [words, because] of clashes) {
    test(`${words.join(' ')} is refused, because a name is in use`, async () => {
      const { status, stderr } = await propylon(words, { cwd: project })
      assert.equal(status, 2)
      assert.match(stderr, because)
      assert.ok(!existsSync(join(project, 'controllers', `${words[2]}.ts`)))
    })
  }

  test('a controller whose path matches another route is refused', async () => {
    const routing = join(project, 'config/routing.ts')
    const text = readFileSync(routing, 'utf8')
    writeFileSync(
      routing,
      text.replace(/^map\.connect\('home'.*$/m, "$&\nmap.connect('/about', { controller: 'pages', action: 'index' })"),
    )
    const { status, stderr } = await propylon(['controller', 'about'], { cwd: project })
    writeFileSync(routing, text)
    assert.equal(status, 2)
    assert.match(stderr, /maps \/about to the controller 'pages' already/)
  })

  test('a resource that is mapped already is not mapped twice', async () => {
    const routing = join(project, 'config/routing.ts')
    const line = "map.resource('item', 'items')"
    writeFileSync(routing, readFileSync(routing, 'utf8').replace(/^.*New routes go.*$/m, `${line}\n$&`))
    const { status, stdout } = await propylon(['restcontroller', 'item', 'items', '--route'], {
      cwd: project,
    })
    assert.equal(status, 0)
    assert.match(stdout, /maps the resource already/)
    assert.equal(readFileSync(routing, 'utf8').split(line).length, 2)
  })

  test('a routing file that does not load is named, and the controller is created', async () => {
    const routing = join(project, 'config/routing.ts')
    const text = readFileSync(routing, 'utf8')
    writeFileSync(routing, `${text}\n(`)
    const { status, stderr } = await propylon(['controller', 'later'], { cwd: project })
    writeFileSync(routing, text)
    assert.equal(status, 0)
    assert.match(stderr, /config\/routing\.ts does not load/)
  })
})
