import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { controller, framework, Project } from './project.ts'

let project: Project

beforeEach(async () => {
  project = await Project.create()
  await project.write({ 'controllers/other.ts': controller("'other'") })
})

afterEach(() => project[Symbol.asyncDispose]())

const corrected = controller("'corrected'")

/** Faults of `controllers/hello.ts`, and the place and reason that the page must have. */
const broken: readonly [what: string, text: string, line: RegExp, reason: RegExp][] = [
  ['TypeScript that does not parse', 'export const a = 1\nexport const = 2\n', /:2:\d+/, /Unexpected token/],
  [
    'a bracket that is not closed',
    "export default class {\n  index() {\n    return ('a'\n  }\n}\n",
    /:4:\d+/,
    /Expected/,
  ],
  ['an enum', 'const a = 1\nenum B { C }\n', /:2:1/, /enum is not supported .* "as const" for an enum/],
  [
    'decorator syntax',
    'export default class {\n  @jsonify\n  index() {}\n}\n',
    /:2:3/,
    /Unexpected character '@'. Node does not run decorator syntax: apply decorators by decorate\(\)/,
  ],
  [
    'a name declared twice',
    'export const a: number = 1\n\nexport const a: number = 2\n',
    /:3:14/,
    /'a' has already been declared/,
  ],
  [
    'a module that is not there',
    "\nimport { a } from '../model/absent.ts'\n",
    /:2:20/,
    /Cannot find module '.*absent\.ts'/,
  ],
  [
    'an import without the extension of its file',
    "\nimport '../controllers/other'\n",
    /:2:9/,
    /Cannot find module '.*other' imported from .*hello\.ts \(did you mean 'other\.ts'\? Node requires the file extension/,
  ],
  [
    'a package that is not there',
    "import 'node:fs'\nimport a from 'absent-package'\n",
    /:2:16/,
    /Cannot find package 'absent-package'/,
  ],
  ['an export that is not there', "import { a } from './other.ts'\n", /:1:10/, /does not provide an export named 'a'/],
  [
    'code that throws when it is loaded',
    'const a: unknown = null\nconst b: string = a.b\n',
    /:2:\d+/,
    /Cannot read properties of null/,
  ],
]

describe('a controller that does not load', () => {
  for (const [what, text, line, reason] of broken) {
    it(`shows file, line and reason, leaves other controllers working, and serves again once corrected: ${what}`, async () => {
      await project.start()
      assert.equal(await project.get('/hello'), 'hello')
      await project.write({ 'controllers/hello.ts': text })
      const page = await project.get('/hello')
      assert.match(page, /^500 controllers\/hello\.ts:/)
      assert.match(page, line)
      assert.match(page, reason)
      assert.doesNotMatch(page, /reload=/)
      assert.equal(await project.get('/other'), 'other')
      await project.write({ 'controllers/hello.ts': corrected })
      assert.equal(await project.get('/hello'), 'corrected')
    })
  }

  it('shows the failure to every request, repeatedly', async () => {
    await project.write({ 'controllers/hello.ts': 'export const = 1' })
    await project.start()
    for (let count = 0; count < 3; count++) assert.match(await project.get('/hello'), /^500 controllers\/hello\.ts:1:/)
  })

  it('shows browsers a page with an escaped excerpt', async () => {
    await project.write({ 'controllers/hello.ts': "const a = '<b>'\nexport const = '<i>'\n" })
    await project.start()
    const response = await project.fetch('/hello', { headers: { Accept: 'text/html' } })
    const page = await response.text()
    assert.equal(response.status, 500)
    assert.equal(response.headers.get('Content-Type'), 'text/html; charset=utf-8')
    assert.match(page, /<h1>controllers\/hello\.ts:2:14 does not load<\/h1>/)
    assert.match(page, /<mark>&gt; 2 \| export const = &#39;&lt;i&gt;&#39;\n<\/mark>/)
    assert.doesNotMatch(page, /<[bi]>/)
  })

  it('is an error in the form of the application for programs', async () => {
    const text = `import { FrameworkApp } from '${framework}'
import { map } from './config/routing.ts'
export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  problems: { body: ({ detail }) => ({ own: detail }) },
})
`
    await project.write({ 'app.ts': text, 'controllers/hello.ts': 'nonsense(' })
    await project.start()
    const { own } = JSON.parse(await (await project.fetch('/hello')).text())
    assert.match(own, /^controllers\/hello\.ts:1: Expression expected/)
  })

  it('shows the page without debug mode too', async () => {
    await project.write({
      'app.ts': `import { FrameworkApp } from '${framework}'
import { map } from './config/routing.ts'
export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url), logger: { info() {}, warn() {}, error() {} } })`,
      'controllers/hello.ts': 'export const = 1',
    })
    await project.start()
    assert.match(await project.get('/hello'), /^500 controllers\/hello\.ts:1:14: /)
  })
})

describe('a model that does not load', () => {
  it('fails the controllers that import it, names its own file, and is loaded again once corrected', async () => {
    await project.write({
      'model/word.ts': "export const word = 'old'",
      'controllers/hello.ts': controller('word', "import { word } from '../model/word.ts'"),
    })
    await project.start()
    assert.equal(await project.get('/hello'), 'old')
    await project.write({ 'model/word.ts': 'export const word = 1\nexport const word = 2' })
    assert.match(await project.get('/hello'), /^500 model\/word\.ts:2:14: /)
    assert.equal(await project.get('/other'), 'other')
    await project.write({ 'model/word.ts': "export const word = 'new'" })
    assert.equal(await project.get('/hello'), 'new')
  })

  it('is loaded when the missing file is created', async () => {
    await project.write({
      'controllers/hello.ts': controller('word', "import { word } from '../model/word.ts'"),
    })
    await project.start()
    assert.match(await project.get('/hello'), /^500 controllers\/hello\.ts:2:23: Cannot find module/)
    await project.write({ 'model/word.ts': "export const word = 'there'" })
    assert.equal(await project.get('/hello'), 'there')
  })

  it('is loaded again after it was removed and restored', async () => {
    await project.write({
      'model/word.ts': "export const word = 'old'",
      'controllers/hello.ts': controller('word', "import { word } from '../model/word.ts'"),
    })
    await project.start()
    await project.get('/hello')
    await project.remove('model/word.ts')
    assert.match(await project.get('/hello'), /^500 controllers\/hello\.ts:2:23: Cannot find module/)
    await project.write({ 'model/word.ts': "export const word = 'back'" })
    assert.equal(await project.get('/hello'), 'back')
  })

  it('is loaded when the missing package is installed', async () => {
    await project.write({ 'controllers/hello.ts': controller('word', "import { word } from '@scope/later'") })
    await project.start()
    assert.match(await project.get('/hello'), /^500 controllers\/hello\.ts:2:23: Cannot find package/)
    await project.write({
      'node_modules/@scope/later/package.json': '{ "name": "@scope/later", "type": "module", "exports": "./index.js" }',
      'node_modules/@scope/later/index.js': "export const word = 'installed'",
    })
    assert.equal(await project.get('/hello'), 'installed')
  })
})

describe('routes or an application that do not load', () => {
  it('are shown on every page and in the log, and are loaded again once corrected', async () => {
    await project.start()
    await project.get('/hello')
    await project.write({ 'config/routing.ts': 'export const map = \n\n' })
    assert.match(await project.get('/hello'), /^500 config\/routing\.ts:\d+: Expression expected/)
    assert.match(await project.get('/other'), /^500 config\/routing\.ts:/)
    assert.equal(project.log.length, 1)
    assert.match(project.log[0] ?? '', /^config\/routing\.ts:\d+: Expression expected/)
    await project.write({
      'config/routing.ts': `import { Mapper } from '${framework}'
export const map = new Mapper().connect('/{controller}', { action: 'index' })`,
    })
    assert.equal(await project.get('/hello'), 'hello')
  })

  it('do not prevent the start', async () => {
    const text = `import './config/routing.ts'\nthrow new Error('no database')\n`
    await project.write({ 'app.ts': text })
    await project.start()
    assert.match(await project.get('/hello'), /^500 app\.ts:2:7: no database/)
    await project.write({ 'app.ts': 'export default () => []' })
    assert.match(await project.get('/hello'), /^500 500 Internal Server Error/)
  })

  it('may be missing', async () => {
    const text = "export default (environ, start_response) => { start_response('200 OK', []); return ['there'] }"
    await project.remove('app.ts')
    await project.start()
    assert.match(await project.get('/'), /^500 .*app\.ts/)
    await project.write({ 'app.ts': text })
    assert.equal(await project.get('/'), 'there')
  })

  it('are a failure if they export no application', async () => {
    await project.write({ 'app.ts': 'export const app = 1' })
    await project.start()
    assert.match(await project.get('/'), /^500 app\.ts:1: it exports no application/)
  })

  it('keep the old application for requests in flight', async () => {
    await project.write({
      'controllers/slow.ts': controller(
        '(async function* () { yield "a"; await gate.opened; yield "b" })()',
        "import { gate } from '../lib/gate.ts'",
      ),
      'lib/gate.ts':
        'const { promise, resolve } = Promise.withResolvers()\nglobalThis.openGate = resolve\nexport const gate = { opened: promise }',
    })
    await project.start()
    const response = await project.fetch('/slow')
    await project.write({ 'app.ts': 'nonsense(' })
    assert.match(await project.get('/hello'), /^500 app\.ts:1:/)
    const open: unknown = Reflect.get(globalThis, 'openGate')
    if (typeof open === 'function') open()
    assert.equal(await response.text(), 'ab')
  })
})

describe('an error while a request is served', () => {
  it('is shown by the application, with file names that have no version query', async () => {
    await project.start()
    await project.get('/hello')
    await project.write({ 'controllers/hello.ts': controller('this.nothing.there') })
    const page = await project.get('/hello')
    assert.match(page, /^500 TypeError: Cannot read properties of undefined/)
    assert.match(page, /controllers\/hello\.ts:5:\d+/)
    assert.doesNotMatch(page, /reload=/)
  })

  it('in a template shows the template’s line', async () => {
    await project.write({
      'templates/hello.eta': 'a\n<%= it.( %>',
      'controllers/hello.ts': controller("this.render('hello')"),
    })
    await project.start()
    assert.match(await project.get('/hello'), /^500 [\s\S]*hello\.eta[\s\S]*2/)
    await project.write({ 'templates/hello.eta': 'corrected' })
    assert.equal(await project.get('/hello'), 'corrected')
  })
})
