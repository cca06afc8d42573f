import assert from 'node:assert/strict'
import { mkdir, rename, rm, symlink, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { controller, framework, Project } from './project.ts'

let project: Project

beforeEach(async () => {
  project = await Project.create()
})

afterEach(() => project[Symbol.asyncDispose]())

describe('a change takes effect on the next request', () => {
  it('of a controller', async () => {
    await project.start()
    assert.equal(await project.get('/hello'), 'hello')
    await project.write({ 'controllers/hello.ts': controller("'changed'") })
    assert.equal(await project.get('/hello'), 'changed')
  })

  it('of a controller that is as long as before and changed at the same moment', async () => {
    await project.start()
    for (const moment of [new Date(), new Date('2020-01-01')]) {
      for (const word of ['one', 'two', 'six', 'ten', 'one']) {
        await project.write({ 'controllers/hello.ts': controller(`'${word}'`) })
        await utimes(project.path('controllers/hello.ts'), moment, moment)
        assert.equal(await project.get('/hello'), word)
      }
    }
  })

  it('of the procedures of an RPC controller', async () => {
    const service = (method: string) => `import { RPCController } from '${new URL('rpc/index.ts', framework).href}'
export class StockController extends RPCController {
  static override signatures = { ${method}: [['int']] }
  ${method}() {
    return 1
  }
}
`
    await project.write({ 'controllers/stock.ts': service('stock_count') })
    await project.start()
    assert.match(await project.get('/stock'), /stock\.count\(\): int/)
    await project.write({ 'controllers/stock.ts': service('stock_sum') })
    const changed = await project.get('/stock')
    assert.match(changed, /stock\.sum\(\): int/)
    assert.doesNotMatch(changed, /stock\.count/)
  })

  it('of a controller that an editor replaced by renaming', async () => {
    await project.start()
    await project.get('/hello')
    await project.write({ 'hello.tmp': controller("'moved'") })
    await rename(project.path('hello.tmp'), project.path('controllers/hello.ts'))
    assert.equal(await project.get('/hello'), 'moved')
  })

  it('of a new controller', async () => {
    await project.start()
    assert.match(await project.get('/added'), /^404 /)
    await project.write({ 'controllers/added.ts': controller("'added'") })
    assert.equal(await project.get('/added'), 'added')
  })

  it('of a removed and a restored controller', async () => {
    await project.start()
    await project.get('/hello')
    await project.remove('controllers/hello.ts')
    assert.match(await project.get('/hello'), /^404 /)
    await project.write({ 'controllers/hello.ts': controller("'back'") })
    assert.equal(await project.get('/hello'), 'back')
  })

  it('of a model that a controller imports through another module', async () => {
    await project.write({
      'model/word.ts': "export const word = 'old'",
      'lib/base.ts': "export { word } from '../model/word.ts'",
      'controllers/hello.ts': controller('word', "import { word } from '../lib/base.ts'"),
    })
    await project.start()
    assert.equal(await project.get('/hello'), 'old')
    await project.write({ 'model/word.ts': "export const word = 'new'" })
    assert.equal(await project.get('/hello'), 'new')
  })

  it('of modules that import each other', async () => {
    await project.write({
      'model/a.ts': "import { b } from './b.ts'\nexport const a = () => 'a1' + b()",
      'model/b.ts': "import { a } from './a.ts'\nexport const b = () => 'b1' + typeof a",
      'controllers/hello.ts': controller('a()', "import { a } from '../model/a.ts'"),
    })
    await project.start()
    assert.equal(await project.get('/hello'), 'a1b1function')
    await project.write({
      'model/b.ts': "import { a } from './a.ts'\nexport const b = () => 'b2' + typeof a",
    })
    assert.equal(await project.get('/hello'), 'a1b2function')
  })

  it('of a module that an action imports dynamically', async () => {
    await project.write({
      'lib/later.ts': "export const word = 'old'",
      'controllers/hello.ts': controller("import('../lib/later.ts').then(({ word }) => word)"),
    })
    await project.start()
    assert.equal(await project.get('/hello'), 'old')
    await project.write({ 'lib/later.ts': "export const word = 'new'" })
    assert.equal(await project.get('/hello'), 'new')
  })

  it('of the routes', async () => {
    await project.start()
    assert.match(await project.get('/hello/again'), /^404 /)
    await project.write({
      'config/routing.ts': `import { Mapper } from '${framework}'
export const map = new Mapper().connect('/hello/again', { controller: 'hello', action: 'index' })`,
    })
    assert.equal(await project.get('/hello/again'), 'hello')
    assert.match(await project.get('/hello'), /^404 /)
  })

  for (const debug of [true, false]) {
    it(`of a template, with debug ${debug ? 'on' : 'off'}`, async () => {
      await project.write({
        'app.ts': `import { FrameworkApp } from '${framework}'
import { map } from './config/routing.ts'
export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url), debug: ${debug} })`,
        'templates/hello.eta': 'old',
        'controllers/hello.ts': controller("this.render('hello')"),
      })
      await project.start()
      assert.equal(await project.get('/hello'), 'old')
      await project.write({ 'templates/hello.eta': 'new' })
      assert.equal(await project.get('/hello'), 'new')
    })
  }

  it('of a CommonJS module and of JSON', async () => {
    await project.write({
      'lib/common.cjs': 'module.exports = { word: 1 }',
      'lib/data.json': '{ "word": 1 }',
      'controllers/hello.ts': controller(
        "common.word + '' + data.word",
        "import common from '../lib/common.cjs'\nimport data from '../lib/data.json' with { type: 'json' }",
      ),
    })
    await project.start()
    assert.equal(await project.get('/hello'), '11')
    await project.write({ 'lib/common.cjs': 'module.exports = { word: 2 }' })
    assert.equal(await project.get('/hello'), '21')
    await project.write({ 'lib/data.json': '{ "word": 2 }' })
    assert.equal(await project.get('/hello'), '22')
  })

  it('of a controller of a mounted application', async () => {
    await project.write({
      'admin/app.ts': `import { FrameworkApp, Mapper } from '${framework}'
export const admin = new FrameworkApp({
  map: new Mapper().connect('/{controller}', { action: 'index' }),
  controllers: new URL('./controllers/', import.meta.url),
})`,
      'admin/controllers/panel.ts': controller("'old'"),
      'controllers/admin.ts': "import { admin } from '../admin/app.ts'\nexport default admin",
      'config/routing.ts': `import { Mapper } from '${framework}'
export const map = new Mapper().connect('/admin/{path_info:.*}', { controller: 'admin' })`,
    })
    await project.start()
    assert.equal(await project.get('/admin/panel'), 'old')
    await project.write({ 'admin/controllers/panel.ts': controller("'new'") })
    assert.equal(await project.get('/admin/panel'), 'new')
  })
})

describe('an unchanged module keeps its state', () => {
  const counting = {
    'model/counter.ts': 'let count = 0\nexport const next = () => ++count',
    'controllers/counter.ts': controller('String(next())', "import { next } from '../model/counter.ts'"),
  }

  it('a model, when a controller that uses it changes', async () => {
    await project.write(counting)
    await project.start()
    assert.equal(await project.get('/counter'), '1')
    await project.write({ 'controllers/counter.ts': `${counting['controllers/counter.ts']}// changed` })
    assert.equal(await project.get('/counter'), '2')
  })

  it('a model, when a controller that uses it does not load and is corrected', async () => {
    await project.write(counting)
    await project.start()
    assert.equal(await project.get('/counter'), '1')
    await project.write({ 'controllers/counter.ts': 'export const = 1' })
    assert.match(await project.get('/counter'), /^500 /)
    await project.write({ 'controllers/counter.ts': counting['controllers/counter.ts'] })
    assert.equal(await project.get('/counter'), '2')
  })

  it('a controller, when the routes change', async () => {
    await project.write(counting)
    await project.start()
    assert.equal(await project.get('/counter'), '1')
    await project.write({
      'config/routing.ts': `import { Mapper } from '${framework}'
export const map = new Mapper().connect('/c', { controller: 'counter', action: 'index' })`,
    })
    assert.equal(await project.get('/c'), '2')
  })

  it('a value of keep(), when its module changes', async () => {
    const model = (word: string) =>
      `import { keep } from '${framework}'\nconst made = keep('test ${project.root}', () => ({ count: 0 }))\nexport const next = () => '${word}' + ++made.count`
    await project.write({
      'model/counter.ts': model('old'),
      'controllers/counter.ts': controller('next()', "import { next } from '../model/counter.ts'"),
    })
    await project.start()
    assert.equal(await project.get('/counter'), 'old1')
    await project.write({ 'model/counter.ts': model('new') })
    assert.equal(await project.get('/counter'), 'new2')
  })

  it('the framework, so that controllers stay instances of its classes', async () => {
    await project.start()
    await project.get('/hello')
    const head = `import { WSGIController as Base } from '${framework}'\nBase.seen = (Base.seen ?? 0) + 1`
    for (const count of [1, 2]) {
      await project.write({ 'controllers/hello.ts': controller('String(Base.seen)', `${head} // ${count}`) })
      assert.equal(await project.get('/hello'), String(count))
    }
  })

  it('a package in node_modules, even if its files change', async () => {
    await project.write({
      'node_modules/counter/package.json': '{ "name": "counter", "type": "module", "exports": "./index.js" }',
      'node_modules/counter/index.js': 'export const word = "old"',
      'controllers/hello.ts': controller('word', "import { word } from 'counter'"),
    })
    await project.start()
    await project.get('/hello')
    await project.write({
      'node_modules/counter/index.js': 'export const word = "new"',
      'controllers/hello.ts': controller("word + ' word'", "import { word } from 'counter'"),
    })
    assert.equal(await project.get('/hello'), 'old word')
  })
})

describe('links', () => {
  it('the path of the project may contain one', async () => {
    const link = join(project.root, '..', 'lïnk to it')
    await symlink(project.root, link)
    await project.start({}, link)
    assert.equal(await project.get('/hello'), 'hello')
    await project.write({ 'controllers/hello.ts': controller("'changed'") })
    assert.equal(await project.get('/hello'), 'changed')
  })

  it('controllers and models may be outside of the project', async () => {
    const elsewhere = join(project.root, '..', 'elsewhere')
    await mkdir(elsewhere)
    await rename(project.path('controllers'), join(elsewhere, 'controllers'))
    await symlink(join(elsewhere, 'controllers'), project.path('controllers'))
    await project.write({
      '../elsewhere/model/word.ts': "export const word = 'old'",
      'controllers/hello.ts': controller('word', "import { word } from '../model/word.ts'"),
    })
    await project.start()
    assert.equal(await project.get('/hello'), 'old')
    await project.write({ '../elsewhere/model/word.ts': "export const word = 'new'" })
    assert.equal(await project.get('/hello'), 'new')
    await project.write({ 'controllers/hello.ts': controller("'changed'") })
    assert.equal(await project.get('/hello'), 'changed')
    await project.write({ 'controllers/added.ts': controller("'added'") })
    assert.equal(await project.get('/added'), 'added')
  })

  it('a link with a new target counts as a change', async () => {
    await project.write({
      'versions/one.ts': "export const word = 'one'",
      'versions/two.ts': "export const word = 'two'",
      'controllers/hello.ts': controller('word', "import { word } from '../lib/current.ts'"),
    })
    await mkdir(project.path('lib'))
    await symlink('../versions/one.ts', project.path('lib/current.ts'))
    await project.start()
    assert.equal(await project.get('/hello'), 'one')
    await unlink(project.path('lib/current.ts'))
    await symlink('../versions/two.ts', project.path('lib/current.ts'))
    assert.equal(await project.get('/hello'), 'two')
  })
})

describe('the application', () => {
  it('may be a function', async () => {
    const app = (word: string) => `import { word } from './model/word.ts'
export default (environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['${word} ' + word]
}`
    await project.write({ 'app.ts': app('one'), 'model/word.ts': "export const word = 'old'" })
    await project.start()
    assert.equal(await project.get('/'), 'one old')
    await project.write({ 'model/word.ts': "export const word = 'new'" })
    assert.equal(await project.get('/'), 'one new')
  })

  it('may have its controllers in a record of imports', async () => {
    await project.write({
      'app.ts': `import { FrameworkApp } from '${framework}'
import { map } from './config/routing.ts'
export default new FrameworkApp({ map, controllers: { hello: () => import('./controllers/hello.ts') } })`,
    })
    await project.start()
    assert.equal(await project.get('/hello'), 'hello')
    await project.write({ 'controllers/hello.ts': controller("'changed'") })
    assert.equal(await project.get('/hello'), 'changed')
  })

  it('receives SIGHUP', async () => {
    await project.write({
      'app.ts': `let count = 0
export default {
  onHangup() { count++ },
  wsgi(environ, start_response) {
    start_response('200 OK', [['Content-Type', 'text/plain']])
    return [String(count)]
  },
}`,
    })
    await project.start()
    process.emit('SIGHUP')
    assert.equal(await project.get('/'), '1')
  })

  it('is refused when its folder does not exist', async () => {
    await rm(project.root, { recursive: true })
    await assert.rejects(project.start(), /ENOENT/)
  })
})
