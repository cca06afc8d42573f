/** The file of `propylon check` from which the compiler checks the controllers of a directory. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { shelf } from '../check/declared-programs.ts'
import { controller, type Files, project, routing } from '../check/project.ts'
import { PACKAGE, propylonHere, writeTree } from './command-line.ts'
import { types } from './project-checks.ts'

const CONFIG = readFileSync(join(PACKAGE, 'src/tools/cli/templates/project/_tsconfig.json'), 'utf8')

/** Returns a project that the compiler checks. */
function typed(files: Files): string {
  const folder = project({ ...files, 'tsconfig.json': CONFIG })
  mkdirSync(join(folder, 'node_modules', '@types'))
  symlinkSync(join(PACKAGE, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'), 'dir')
  return folder
}

const FILE = '.propylon/controllers.ts'

describe('check in a project whose tsconfig.json includes .propylon', () => {
  it('writes the controllers that declare something, with the names of their parameters', async () => {
    const folder = typed({
      ...shelf('zod'),
      'config/routing.ts': routing(
        "resource('book', 'books')",
        "connect('/plain', { controller: 'plain' })",
        "connect('/admin/log/{id}', { controller: 'admin/log', action: 'show' })",
      ),
      'controllers/plain.ts': controller('PlainController', "index() { return 'x' }"),
      'controllers/admin/log.ts': `import { WSGIController } from 'propylon'
import { int } from 'propylon/converters'
export default class extends WSGIController {
  static args = { show: { id: int } }
  show({ id }: { id: number }) { return { id } }
}
`,
    })
    assert.deepEqual(await propylonHere(['check'], folder), {
      status: 0,
      stdout: 'Routes, controllers, actions and arguments fit together.\n',
      stderr: '',
    })
    const text = readFileSync(join(folder, FILE), 'utf8')
    assert.deepEqual(text.split('\n').slice(1), [
      "import type { CheckedController } from 'propylon'",
      '',
      'export type Controllers = [',
      "  CheckedController<typeof import('../controllers/admin/log.ts')['default']>,",
      "  CheckedController<typeof import('../controllers/books.ts')['BooksController'], { 'index': ['page']; 'show': ['id']; 'create': ['book']; 'edit': ['id']; 'update': ['id', 'book']; 'delete': ['id'] }>,",
      ']',
      '',
    ])
    assert.equal(types(folder), '')
  })

  it('lets the compiler refuse what the source does not show', async () => {
    const folder = typed(
      shelf(
        'zod',
        ['list(page) }', 'find(page) }'],
        ['find, list, remove', 'find, remove'],
        ['update(id: number, book: NewBook)', 'update(id: number, book: { name: string })'],
        ['change(id, book)', 'change(id, { title: book.name, tags: [] })'],
      ),
    )
    const { status } = await propylonHere(['check'], folder)
    assert.equal(status, 0)
    assert.equal(
      types(folder),
      `${FILE}(5,21): TS2344: Type 'typeof BooksController' does not satisfy the constraint '"index() returns a value that its schema in static results does not take" | "update() cannot take the value that static args has for 'book'"'.`,
    )
  })

  it('lets the compiler compare each parameter with converters that the source does not write out', async () => {
    const folder = typed({
      'config/routing.ts': routing("connect('/users/{id}/{page}', { controller: 'users', action: 'show' })"),
      'controllers/users.ts': `import { WSGIController } from 'propylon'
import { int } from 'propylon/converters'
const shared = () => ({ id: int })
export class UsersController extends WSGIController {
  static args = { show: { ...shared() } }
  show(id: string, page: number) { return { id, page } }
}
`,
    })
    assert.equal((await propylonHere(['check'], folder)).status, 0)
    assert.match(types(folder), /"show\(\) cannot take the value that static args has for 'id'"/)
  })

  it('writes the file only if it changes, and empties it without declarations', async () => {
    const folder = typed(shelf('zod'))
    const path = join(folder, FILE)
    await propylonHere(['check'], folder)
    const { mtimeMs } = statSync(path)
    await propylonHere(['check'], folder)
    assert.equal(statSync(path).mtimeMs, mtimeMs)
    writeTree(folder, {
      'config/routing.ts': routing("connect('/', { controller: 'books' })"),
      'controllers/books.ts': controller('BooksController', "index() { return 'x' }"),
    })
    await propylonHere(['check'], folder)
    assert.equal(readFileSync(path, 'utf8'), 'export {}\n')
  })
})

it('check writes the keys and values of messages, which the compiler then checks', async () => {
  const index =
    "index() { return this.t('loan.done', { name: 'Ann', day: new Date(), n: 1 }) + this.t('home') }"
  const folder = typed({
    'app.ts': `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'
export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  messages: new URL('./messages/', import.meta.url),
  languages: ['en', 'de'],
})
`,
    'config/routing.ts': routing("connect('/', { controller: 'pages' })"),
    'controllers/pages.ts': controller('PagesController', index),
    'messages/en.json': '{ "home": "Home", "loan.done": "Lent to {name} on {day, date}", "a \\"b\\"": "" }',
    'messages/de.json': '{ "loan.done": "{n, plural, other {{name}}}" }',
  })
  const path = join(PACKAGE, 'node_modules/intl-messageformat')
  symlinkSync(path, join(folder, 'node_modules/intl-messageformat'), 'dir')
  await propylonHere(['check'], folder)
  assert.deepEqual(readFileSync(join(folder, '.propylon/messages.ts'), 'utf8').split('\n').slice(1), [
    "import type {} from 'propylon'",
    '',
    "declare module 'propylon' {",
    '  interface Register {',
    '    messageValues: {',
    '      "home": Record<string, never>',
    '      "loan.done": { "name": string | number | bigint | boolean; "day": Date | number; "n": number | bigint }',
    '      "a \\"b\\"": Record<string, never>',
    '    }',
    '  }',
    '}',
    '',
  ])
  assert.equal(types(folder), '')
  writeTree(folder, {
    'controllers/pages.ts': controller('PagesController', "index() { return this.t('hoem') }"),
  })
  assert.match(
    types(folder),
    /TS2345: Argument of type '"hoem"' is not assignable to parameter of type 'MessageKey'/,
  )
})

it('check writes nothing into other projects', async () => {
  const folder = project({ ...shelf('zod'), 'tsconfig.json': '{ "include": ["**/*.ts"] }' })
  await propylonHere(['check'], folder)
  assert.equal(existsSync(join(folder, '.propylon')), false)
})

it('check says on stderr that it cannot write the file', async () => {
  const folder = project({ ...shelf('zod'), 'tsconfig.json': CONFIG, '.propylon': 'a file' })
  const { status, stderr } = await propylonHere(['check'], folder)
  assert.equal(status, 0)
  assert.match(stderr, /^.*\.propylon.controllers\.ts cannot be written, so tsc does not check/)
})
