/** The modules of `propylon check` for the compiler, and what it makes of the answers. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { shelf } from '../check/declared-programs.ts'
import { check, controller, type Files, project, routing } from '../check/project.ts'
import { typedProject } from '../check/typed-project.ts'
import { PACKAGE, propylonHere } from './command-line.ts'

const FILE = '.propylon/controllers.ts'

/** Returns a controller that declares a result and a page, in a file whose action is several lines long. */
function articles(result: string, template = '<%= it.title %>'): Files {
  return {
    'app.ts': `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
})
`,
    'config/routing.ts': routing("connect('/articles/{id}', { controller: 'articles', action: 'show' })"),
    'controllers/articles.ts': `import { z } from 'zod'
import { BaseController } from '../lib/base.ts'

const Article = z.object({ title: z.string(), slug: z.string(), author: z.object({ name: z.string() }) })

export class ArticlesController extends BaseController {
  static results = { show: Article }
  static pages = { show: 'articles/show' }

  show(id: string) {
    const title = id
    return ${result}
  }
}
`,
    'templates/articles/show.eta': `<h1>\n${template}`,
  }
}

async function linesOf(files: Files): Promise<string[]> {
  const { stdout } = await propylonHere(['check'], typedProject(files))
  return stdout.split('\n').filter((line) => /^\S+:\d+:\d+ /.test(line))
}

const AUTHOR = "author: { name: 'Ann' }"

/** A result, and the only finding. */
const RESULTS: readonly (readonly [result: string, finding: string])[] = [
  [
    `{ title, ${AUTHOR} }`,
    'ArticlesController.show(): the result lacks "slug", which static results requires. Return what the schema takes, or declare another schema. [result-type]',
  ],
  [
    "{ title, slug: 7, author: { name: 'Ann' } }",
    'ArticlesController.show(): "slug" of the result is number, but static results takes string. Return what the schema takes, or declare another schema. [result-type]',
  ],
  [
    "{ title, slug: 'a', author: {} }",
    'ArticlesController.show(): "author" of the result lacks "name", which static results requires. Return what the schema takes, or declare another schema. [result-type]',
  ],
]

describe('check translates the answers of the compiler', () => {
  for (const [result, finding] of RESULTS) {
    it(`about ${result}`, async () => {
      assert.deepEqual(await linesOf(articles(result)), [`controllers/articles.ts:10:3 error: ${finding}`])
    })
  }

  it('about a member of a page that the result lacks, at its place in the template', async () => {
    const result = `{ title, slug: 'a', ${AUTHOR} }`
    assert.deepEqual(await linesOf(articles(result, '<%= it.titel %><%= it.slug %><%= it.c.x %>')), [
      'templates/articles/show.eta:2:8 error: articles/show.eta reads it.titel, which ArticlesController.show() does not return. Its result has author, slug, title. Did you mean "title"? [template-member]',
    ])
  })

  it('about no member that a page looks for, or that another it has', async () => {
    const template = "<% if ('draft' in it) { %><%= it.draft %><% } %><% [].map((it) => it.other) %>"
    assert.deepEqual(await linesOf(articles(`{ title, slug: 'a', ${AUTHOR} }`, template)), [])
  })

  it('about a procedure without a result, as a warning', async () => {
    const files = {
      'config/routing.ts': routing("rpc('stock', '/stock')"),
      'controllers/stock.ts': `import { XMLRPCController } from 'propylon'

export class StockController extends XMLRPCController {
  clear(shelf: string) { this.c.shelf = shelf }
  count(shelf: string) { return shelf.length }
}
`,
    }
    assert.deepEqual(await linesOf(files), [
      'controllers/stock.ts:4:3 warning: StockController.clear() returns nothing, which XML-RPC cannot express. Return a value, such as true, or allow <nil/> by static allowNil = true. [procedure-void]',
    ])
  })

  it('in a project that builds a part of its files', async () => {
    const files = articles(`{ title, ${AUTHOR} }`)
    const built = typedProject({ ...files, 'src/a.ts': 'export const a = 1\n' })
    const path = join(built, 'tsconfig.json')
    const { compilerOptions }: { compilerOptions: object } = JSON.parse(readFileSync(path, 'utf8'))
    const build = {
      composite: true,
      noEmit: false,
      outDir: 'build',
      rootDir: 'src',
      rewriteRelativeImportExtensions: true,
    }
    writeFileSync(path, JSON.stringify({ compilerOptions: { ...compilerOptions, ...build }, include: ['src'] }))
    const { stdout } = await propylonHere(['check'], built)
    assert.match(stdout, /^controllers\/articles\.ts:10:3 error: .*lacks "slug"/m)
    assert.doesNotMatch(stdout, /type-error/)
  })

  it('in the same words when nothing has changed', async () => {
    const folder = typedProject(articles(`{ title, ${AUTHOR} }`))
    const first = await propylonHere(['check'], folder)
    assert.match(first.stdout, /the result lacks "slug"/)
    assert.deepEqual(await propylonHere(['check'], folder), first)
  })

  it('and shows other errors as the compiler words them', async () => {
    const files = {
      ...articles(`{ title, slug: 'a', ${AUTHOR} }`),
      'lib/other.ts': 'export const a: string = 1\n',
    }
    assert.deepEqual(
      await linesOf({
        ...files,
        'lib/base.ts': `import './other.ts'\nexport { WSGIController as BaseController } from 'propylon'\n`,
      }),
      ["lib/other.ts:1:14 error: Type 'number' is not assignable to type 'string'. (TS2322) [type-error]"],
    )
  })
})

describe('check writes a module for the compiler', () => {
  it('with a line for each question, which names class and action', async () => {
    const folder = typedProject(shelf('zod'))
    assert.equal((await propylonHere(['check'], folder)).status, 0)
    const lines = readFileSync(join(folder, FILE), 'utf8').split('\n')
    assert.ok(lines.includes('type C0 = typeof import("../controllers/books.ts")[\'BooksController\']'))
    assert.ok(
      lines.includes(
        "  Fits<ParameterOf<C0, 'show', '0'>, ConvertedBy<C0, 'show', 'id'>>, // BooksController.show(): argument id",
      ),
    )
    assert.ok(
      lines.includes("  Fits<DeclaredResultOf<C0, 'show'>, ResultOf<C0, 'show'>>, // BooksController.show(): result"),
    )
  })

  it('and ignores it for git', async () => {
    const folder = typedProject(shelf('zod'))
    await propylonHere(['check'], folder)
    assert.equal(readFileSync(join(folder, '.propylon/.gitignore'), 'utf8'), '*\n')
  })

  it('only if it changes', async () => {
    const folder = typedProject(shelf('zod'))
    await propylonHere(['check'], folder)
    const { mtimeMs } = statSync(join(folder, FILE))
    await propylonHere(['check'], folder)
    assert.equal(statSync(join(folder, FILE)).mtimeMs, mtimeMs)
  })

  it('but not into a project without tsconfig.json', async () => {
    const folder = project(shelf('zod'))
    await propylonHere(['check'], folder)
    assert.equal(existsSync(join(folder, '.propylon')), false)
  })

  it('or says that it cannot', async () => {
    const { status, stdout } = await propylonHere(['check'], typedProject({ ...shelf('zod'), '.propylon': 'a file' }))
    assert.equal(status, 0)
    assert.match(stdout, /^Types were not checked: \.propylon cannot be written: /m)
  })
})

it('check writes the keys and values of messages, which the compiler then checks', async () => {
  const files = (call: string): Files => ({
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
    'controllers/pages.ts': controller('PagesController', `index() { return ${call} }`),
    'messages/en.json': '{ "home": "Home", "loan.done": "Lent to {name} on {day, date}", "a \\"b\\"": "" }',
    'messages/de.json': '{ "loan.done": "{n, plural, other {{name}}}" }',
  })
  const checked = async (call: string) => {
    const folder = typedProject(files(call))
    const path = join(PACKAGE, 'node_modules/intl-messageformat')
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    symlinkSync(path, join(folder, 'node_modules/intl-messageformat'), 'dir')
    return { folder, ...(await check(folder)) }
  }
  const { folder, findings } = await checked(
    "this.t('loan.done', { name: 'Ann', day: new Date(), n: 1 }) + this.t('home')",
  )
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['message-values'],
  )
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
  const [finding] = (await checked("this.t('hoem')")).findings.filter(({ code }) => code === 'type-error')
  assert.match(finding?.message ?? '', /^Argument of type '"hoem"' is not assignable to parameter of type 'MessageKey'/)
})
