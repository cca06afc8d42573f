/** Places in logs and pages are relative to the project, and have no queries of live reload. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { controller, framework, Project } from './project.ts'

const APP = `import { FrameworkApp } from '${framework}'
import { map } from './config/routing.ts'

const write = (message) => globalThis.places.push(message)
export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
  public: new URL('./public/', import.meta.url),
  debug: true,
  logger: { info: write, warn: write, error: write },
})
`
const ROUTING = `import { Mapper } from '${framework}'
export const map = new Mapper()
  .connect('twice', '/{controller}', { action: 'index' })
  .connect('twice', '/hidden', { controller: 'hello', action: 'index' })
  .connect('/unused/{unused}', { controller: 'hello', action: 'index' })
`

/** Mistakes of a controller, and the place that the log or the page has. */
const MISTAKES: readonly (readonly [title: string, text: string, place: RegExp])[] = [
  ['a template that throws', controller("this.render('broken')"), /(?<!\/)templates\/broken\.eta:1/],
  [
    'a template that reads what does not exist',
    controller("this.render('missing')"),
    /templates\/missing\.eta:1: it\.x/,
  ],
  ['a missing template', controller("this.render('none')"), /no template "none" in templates[;<\n&]|in templates/],
  ['a missing file', controller("this.app.asset('none.css')"), /"none\.css" in public/],
  ['an error', controller('none.member'), /controllers\/hello\.ts:5/],
  [
    'a missing module',
    controller("''", "import '../lib/none.ts'"),
    /'lib\/none\.ts' imported from controllers\/hello\.ts/,
  ],
  ['a mistake of syntax', 'export const = 1', /(?<!\/)controllers\/hello\.ts:1/],
  ['no controller', 'export const a = 1', /controllers\/hello\.ts|Controller "hello"/],
]

/** Frames of stacks have absolute paths. */
const FRAME = /^\s*at .*$/gm

let project: Project
const places: string[] = []
Object.assign(globalThis, { places })

beforeEach(async () => {
  places.length = 0
  project = await Project.create()
  await project.write({
    'app.ts': APP,
    'config/routing.ts': ROUTING,
    'templates/broken.eta': '<%= it.url.none.none %>',
    'templates/missing.eta': '<%= it.x %>',
    'public/a.css': '',
  })
  await project.start()
})

afterEach(() => project[Symbol.asyncDispose]())

/** Asserts that a text has no path of the project and no query, except in frames the path. */
function assertShort(text: string): void {
  assert.doesNotMatch(text, /reload=|attempt=/)
  const rest = text.replace(FRAME, '').replaceAll(/" {4}at [^"]*"/g, '')
  for (const root of [project.root, encodeURI(project.root)]) assert.ok(!rest.includes(root), rest)
}

describe('places', () => {
  for (const [title, text, place] of MISTAKES) {
    it(`are relative to the project: ${title}`, async () => {
      await project.get('/hello')
      await project.write({ 'config/routing.ts': `${ROUTING}\n`, 'controllers/hello.ts': text })
      for (const accept of ['text/html', 'text/plain', 'application/json']) {
        const page = await (await project.fetch('/hello', { headers: { accept } })).text()
        assertShort(page.replaceAll('&#39;', "'"))
      }
      const plain = await (await project.fetch('/hello', { headers: { accept: 'text/plain' } })).text()
      const logged = [...places, ...project.log].join('\n')
      assertShort(logged)
      assert.match(`${plain}\n${logged}`, place)
    })
  }

  it('of routes are relative to the project', async () => {
    await project.get('/hello')
    await project.write({ 'config/routing.ts': `\n${ROUTING}`, 'controllers/hello.ts': controller('none.x') })
    const page = await (await project.fetch('/hello', { headers: { accept: 'text/html' } })).text()
    assert.match(page, /Defined at[\s\S]*?[> ]config\/routing\.ts:4:4/)
    const logged = places.join('\n')
    assertShort(logged)
    assert.match(logged, /"twice".*\(config\/routing\.ts:5:4\)/)
    assert.match(logged, /unused.*\(config\/routing\.ts:6:4\)/)
  })
})
