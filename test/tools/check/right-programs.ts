import { controller, DEFAULT_ROUTES, type Files, routing } from './project.ts'

const INDEX = "index() { return 'Hello' }"

/** Programs without a mistake, which the check must not report. */
export const RIGHT: readonly (readonly [title: string, files: Files])[] = [
  [
    'rules of a base class for actions that only some classes have, and tokens of other sites',
    {
      'config/routing.ts': routing(
        "resource('user', 'users', { only: ['index', 'create'] })",
        "connect('/tags', { controller: 'tags', action: 'list' })",
      ),
      'lib/base.ts': `import { WSGIController } from 'propylon'

export class BaseController extends WSGIController {
  static security = { index: [], create: [{ token: [] }] }
}
`,
      'app.ts': `import { FrameworkApp } from 'propylon'
import { cors } from 'propylon/middleware'
import { map } from './config/routing.ts'

export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  middleware: [cors({ origins: '*' })],
  openapi: {
    title: 'Users',
    version: '1',
    securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'Authorization' } },
  },
})
`,
      'controllers/users.ts': controller('UsersController', INDEX, 'create() { return null }'),
      'controllers/tags.ts': controller('TagsController', "list() { return 'x' }"),
    },
  ],
  [
    'the default routes reach every action',
    {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'controllers/pages.ts': controller('PagesController', INDEX, 'show(id?: string) { return id ?? null }'),
    },
  ],
  [
    'security of methods that only some subclasses of its class have',
    {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'lib/base.ts': `import { WSGIController } from 'propylon'

export class BaseController extends WSGIController {
  static security: Readonly<Record<string, readonly object[]>> = { '*': [], create: [{ token: [] }] }
}
`,
      'controllers/pages.ts': controller('PagesController', INDEX),
      'controllers/users.ts': controller('UsersController', INDEX, "create() { return 'Done' }"),
    },
  ],
  [
    'tools, resources, and prompts with and without a method',
    {
      'config/routing.ts': routing("resource('user', 'users', { only: ['index', 'create'] })"),
      'controllers/users.ts': `import { string } from 'propylon/converters'
${controller(
  'UsersController',
  "static tools = ['index', 'create']",
  "static resources = ['index']",
  "static prompts = { review: 'users/review', plain: 'users/plain' }",
  'static args = { plain: { subject: string } }',
  INDEX,
  'create() { return null }',
  'review(id: string) { return { id } }',
)}`,
    },
  ],
  [
    'fields of the query and of a form, and members of other values',
    {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'controllers/pages.ts': controller(
        'PagesController',
        "index() { const { query } = this.request; return query.get('page') ?? this.request.query.size.toString() }",
        "async create() { const form = await this.request.form(); return form.getOne('a') + form.files.length + form.toObject().title }",
        'async update() { const { files, size } = await this.request.form(); return String(files.length + size) }',
        'show() { const form = { title: this.request.query.toString() }; return form.title }',
      ),
    },
  ],
  [
    'static properties of the application',
    {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'controllers/pages.ts': controller(
        'PagesController',
        'static page = 20',
        "static titles = { index: 'Pages' }",
        'static cache = new Map<string, string>()',
        "static images = { logo: '/logo.svg' }",
        'static result() { return null }',
        INDEX,
      ),
    },
  ],
  [
    'a resource with its seven actions',
    {
      'config/routing.ts': routing("resource('user', 'users')"),
      'controllers/users.ts': controller(
        'UsersController',
        "index(format = 'html') { return format }",
        'create() { return null }',
        "new(format: 'html' | 'json' = 'html') { return format }",
        'update(id: string) { return id }',
        'delete(id: string) { return id }',
        "show(id: string, format = 'html') { return id + format }",
        "edit(id: string, format = 'html') { return id + format }",
      ),
    },
  ],
  [
    'a resource of which only some actions are defined',
    {
      'config/routing.ts': routing("resource('user', 'users', { only: ['index', 'show'], member: { mark: 'POST' } })"),
      'controllers/users.ts': controller(
        'UsersController',
        INDEX,
        'show(id: string) { return id }',
        'mark(id: string) { return id }',
      ),
    },
  ],
  [
    'nested resources, whose actions take the parent or not',
    {
      'config/routing.ts': routing(
        "resource('post', 'posts', { only: ['show'] })",
        "resource('comment', 'comments', { parentResource: { memberName: 'post', collectionName: 'posts' }, only: ['index', 'show'] })",
      ),
      'controllers/posts.ts': controller('PostsController', 'show(id: string) { return id }'),
      'controllers/comments.ts': controller(
        'CommentsController',
        'index(post_id: string) { return post_id }',
        'show(id: string) { return id }',
      ),
    },
  ],
  [
    'statements on a RouteMap',
    {
      'config/routing.ts': `import { Mapper, type RouteMap } from 'propylon'

export const map: RouteMap = new Mapper()
map.connect('home', '/', { controller: 'pages', action: 'index' })
map.connect('day', '/{year:\\\\d+}/{day}', { controller: 'pages', action: 'day' })
`,
      'controllers/pages.ts': controller(
        'PagesController',
        INDEX,
        'day(year: string, day: string) { return year + day }',
      ),
    },
  ],
  [
    'sub-mappers and mounts',
    {
      'config/routing.ts': `import { Mapper } from 'propylon'

const shop = new Mapper().connect('cart', '/cart', { controller: 'shop', action: 'cart' })

export const map = new Mapper()
  .submapper({ pathPrefix: '/admin/{site}', namePrefix: 'admin_', controller: 'admin' }, (admin) =>
    admin.connect('log', '/log', { action: 'log' }).connect('/purge', { action: 'purge', conditions: { method: 'POST' } }),
  )
  .mount('/shops/{shop}', shop)
`,
      'controllers/admin.ts': controller(
        'AdminController',
        'log(site: string) { return site }',
        'purge() { return null }',
      ),
      'controllers/shop.ts': controller('ShopController', 'cart(shop: string) { return shop }'),
    },
  ],
  [
    'a WSGI callable mounted with path_info',
    {
      'config/routing.ts': routing("connect('environ', '/environ/{path_info:.*}', { controller: 'environ' })"),
      'controllers/environ.ts': `import type { Environ, StartResponse } from 'propylon/wsgi'

export default function environ(environ: Environ, start_response: StartResponse): string[] {
  start_response('200 OK', [['content-type', 'text/plain']])
  return [environ.PATH_INFO]
}
`,
    },
  ],
  [
    'converters for the path and the query',
    {
      'config/routing.ts': routing("connect('/list/{id}/{day}', { controller: 'pages', action: 'list' })"),
      'controllers/pages.ts': `import { bool, int, isoDate, list, number, optional, slug, string, uuid } from 'propylon/converters'
import { BaseController } from '../lib/base.ts'

type Id = number

export class PagesController extends BaseController {
  static args = {
    list: {
      id: int,
      day: isoDate,
      page: optional(int, 1),
      q: optional(string),
      deep: bool,
      ids: list(int),
      ratio: number,
      key: uuid,
      word: slug,
      tags: optional(list(string)),
    },
  }

  list(
    id: Id,
    day: Date,
    page: number,
    q: string | undefined,
    deep: boolean,
    ids: readonly number[],
    ratio: number,
    key: string,
    word: string,
    tags?: string[],
  ) {
    return { id, day, page, q, deep, ids, ratio, key, word, tags }
  }
}
`,
    },
  ],
  [
    'the converter gives what the default has',
    {
      'config/routing.ts': routing("connect('/', { controller: 'pages', action: 'index' })"),
      'controllers/pages.ts': `import * as c from 'propylon/converters'
import { BaseController } from '../lib/base.ts'

const page = c.optional(c.int)
const common = { page } as const

export class PagesController extends BaseController {
  static override args = { index: { ...common, on: c.bool } } satisfies Record<string, object>

  index(page = 1, on = false) {
    return { page, on }
  }
}
`.replace('static override', 'static'),
    },
  ],
  [
    'a schema of another library, and names for a build that renames parameters',
    {
      'config/routing.ts': routing(
        "connect('/{id}/{name}', { controller: 'pages', action: 'index' })",
        "connect('/{id}', { controller: 'pages', action: 'show' })",
      ),
      'controllers/pages.ts': `import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'

export class PagesController extends BaseController {
  static args = { index: { id: v.pipe(v.string(), v.transform(Number)) }, show: ['id', 'format'] }

  index(id: number, name: string) {
    return { id, name }
  }

  show(a: string, b = 'html') {
    return a + b
  }
}
`,
    },
  ],
  [
    'hooks with arguments',
    {
      'config/routing.ts': routing(
        "connect('/{site}/{id}', { controller: 'pages', action: 'index' })",
        "connect('/', { controller: 'pages', action: 'home' })",
      ),
      'controllers/pages.ts': controller(
        'PagesController',
        '__before__(site?: string, environ?: object) { this.c.site = [site, environ] }',
        '__after__(id: string, error: unknown) { this.c.id = [id, error] }',
        'index(id: string) { return id }',
        "home() { return 'home' }",
      ),
    },
  ],
  [
    'arguments of the framework',
    {
      'config/routing.ts': routing("connect('/{controller}/{action}', { })"),
      'controllers/pages.ts': `import type { Environ, StartResponse } from 'propylon/wsgi'
import { BaseController } from '../lib/base.ts'

export class PagesController extends BaseController {
  index(environ: Environ, start_response: StartResponse) {
    start_response('200 OK', [])
    return [environ.PATH_INFO]
  }

  show({ format = 'html', controller, action }: { format?: string; controller: string; action: string }, ) {
    return format + controller + action
  }

  all({ ...everything }: Record<string, unknown>) {
    return everything
  }
}
`,
    },
  ],
  [
    'a base class of another file, with hooks, actions and arguments',
    {
      'config/routing.ts': routing(
        "connect('/{site}/users', { controller: 'users', action: 'index' })",
        "connect('/{site}/posts', { controller: 'posts', action: 'index' })",
        "connect('/users/{id}', { controller: 'users', action: 'show' })",
      ),
      'lib/base.ts': `import { WSGIController } from 'propylon'
import { int } from 'propylon/converters'

export abstract class BaseController extends WSGIController {
  static args = { show: { id: int } }

  __before__(site: string) {
    this.c.site = site
  }

  show(id: number): unknown {
    return { id }
  }

  override render(template: string, values: Record<string, unknown> = {}) {
    return super.render(template, values)
  }

  abstract index(): unknown
}
`,
      'lib/indexed.ts': `import { BaseController as Base } from './base.ts'

export { Base }
export default class Indexed extends Base {
  index() {
    return 'index'
  }
}
`,
      'controllers/users.ts':
        "import Indexed from '../lib/indexed.ts'\n\nexport class UsersController extends Indexed {}\n",
      'controllers/posts.ts':
        "import { Base } from '../lib/indexed.ts'\n\nexport default class extends Base {\n  index() {\n    return 'posts'\n  }\n}\n",
    },
  ],
  [
    '_get_method_args adds arguments and changes their types',
    {
      'config/routing.ts': routing("connect('/{id}', { controller: 'users', action: 'show' })"),
      'controllers/users.ts': controller(
        'UsersController',
        'override _get_method_args() { return { ...super._get_method_args(), id: 1, user: { name: "Ann" } } }',
        'show(id: number, user: { name: string }) { return { id, user } }',
      ),
    },
  ],
  [
    'decorators with the methods that they name',
    {
      'config/routing.ts': routing("resource('user', 'users', { only: ['create', 'new', 'edit', 'index', 'show'] })"),
      'controllers/users.ts': `import { authenticateForm, cached, decorate, dispatchOn, https, jsonify, restrict, validate } from 'propylon/decorators'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'

const form = v.object({ name: v.string() })
const secured = [https(), authenticateForm]

export class UsersController extends BaseController {
  index() {
    return 42
  }

  new() {
    return this.render('users/new')
  }

  create() {
    return 'created'
  }

  edit(id: string) {
    return id
  }

  _save(id: string) {
    return id
  }

  show(id: string) {
    return id
  }

  static {
    decorate(this, {
      index: [jsonify, cached({ expires: 5, query: ['page'] })],
      create: [validate(form, { form: 'new' })],
      edit: [restrict('GET', 'POST'), dispatchOn({ POST: '_save' })],
      show: secured,
    })
  }
}
`,
    },
  ],
  [
    'decorate() after the class, and a decorator of the application that changes arguments and result',
    {
      'config/routing.ts': routing("connect('/{id}', { controller: 'users', action: 'show' })"),
      'controllers/users.ts': `import { decorate } from 'propylon/decorators'
import { BaseController } from '../lib/base.ts'

function counted(method: (user: { name: string }) => number) {
  return function (this: UsersController, id: string) {
    return String(method.call(this, { name: id })) as never
  } as never
}

export class UsersController extends BaseController {
  show(user: { name: string }) {
    return 42
  }
}

decorate(UsersController, { show: [counted as never] })
`.replace('return 42', 'return user.name.length as number'),
    },
  ],
  [
    'conditions: methods, sub-domains, a function that adds to the match',
    {
      'config/routing.ts': `import { Mapper } from 'propylon'

export const map = new Mapper({ subDomains: true })
  .connect('/', { controller: 'pages', action: 'index', conditions: { method: ['GET', 'POST'], subDomain: true } })
  .connect('/any', { controller: 'pages', action: 'index', conditions: { method: 'any' } })
  .connect('/{id}', {
    controller: 'pages',
    action: 'show',
    conditions: {
      function(context, match) {
        match.host = context.host ?? null
        return match.id !== 'hidden'
      },
    },
  })
`,
      'controllers/pages.ts': controller(
        'PagesController',
        'index(subDomain: string) { return subDomain }',
        'show(id: string, host: string) { return id + host }',
      ),
    },
  ],
  [
    'redirects, static routes, defaults that are arguments',
    {
      'config/routing.ts': routing(
        "redirect('/old', '/new')",
        "connect('cdn', 'https://cdn.example/{file}', { static: true })",
        "connect('/new', { controller: 'pages', action: 'index', lang: 'en', level: 2 })",
        "connect('/{controller}/by/{author}', { action: 'by', lang: 'de' })",
      ),
      'controllers/pages.ts': controller(
        'PagesController',
        'index(lang: string, level: string) { return lang + level }',
        "by(author: string, lang = 'en') { return author + lang }",
      ),
    },
  ],
  [
    'a service has methods instead of actions',
    {
      'config/routing.ts': routing(
        "connect('/demo', { controller: 'demo' })",
        "connect('/rpc', { controller: 'rpc' })",
      ),
      'controllers/demo.ts': `import { XMLRPCController } from 'propylon'
import { decorate, signature } from 'propylon/decorators'

export class DemoController extends XMLRPCController {
  __before__(anything: string) {
    this.c.anything = anything
  }

  math_add(a: number, b: number) {
    return a + b
  }

  static {
    decorate(this, { math_add: [signature('int', 'int', 'int')] })
  }
}
`,
      'controllers/rpc.ts': `import { JSONRPCController } from 'propylon'

export class RpcController extends JSONRPCController {
  add(a: number, b: number): number {
    return a + b
  }
}
`,
    },
  ],
  [
    'an RPC controller takes its arguments from calls and returns any value',
    {
      'config/routing.ts': routing("rpc('stock', '/stock')", "rpc('shop', '/shop/v1', { controller: 'stock' })"),
      'controllers/stock.ts': `import { bool, int } from 'propylon/converters'
import { RPCController } from 'propylon/rpc'

class BaseController extends RPCController {
  __before__(action: string, methodName: string, params: unknown) {
    this.c.call = [action, methodName, params]
  }
}

export class StockController extends BaseController {
  static faces = ['xmlrpc', 'jsonrpc', 'json', 'mcp', 'openapi']
  static crossSite = { index: 'allow', mcp: 'allow', stock_count: 'allow' }
  static args = { stock_sum: { a: int, b: int } }
  static results = { stock_sum: bool }
  static override signatures = { stock_count: [['int', 'string', 'int']] }

  stock_count(article: string, shelf: number): number {
    return article.length * shelf
  }

  stock_sum(a: number, b: number) {
    return new Set([a, b]).size === 1
  }
}
`,
    },
  ],
  [
    'JavaScript controllers',
    {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'controllers/pages.js': `import { WSGIController } from 'propylon'

export class PagesController extends WSGIController {
  index(id = 'x', /* not a type: */ format) {
    return id + format
  }
}
`,
      'controllers/more.mjs': `import { PagesController } from './pages.js'

export default class MoreController extends PagesController {}
`,
    },
  ],
  [
    'controllers in a record: classes, applications, lazy imports',
    {
      'app.ts': `import { FrameworkApp, Mapper } from 'propylon'
import type { Environ, StartResponse } from 'propylon/wsgi'
import { UsersController } from './controllers/users.ts'

const map = new Mapper()
  .connect('/users/{id}', { controller: 'users', action: 'show' })
  .connect('/pages/{id}', { controller: 'pages', action: 'show' })
  .connect('/plain/{path_info:.*}', { controller: 'plain' })

export default new FrameworkApp({
  map,
  controllers: {
    users: UsersController,
    pages: () => import('./controllers/pages.ts'),
    plain: (environ: Environ, start: StartResponse) => {
      start('200 OK', [])
      return [environ.PATH_INFO]
    },
  },
})
`,
      'controllers/users.ts': controller('UsersController', 'show(id: string) { return id }'),
      'controllers/pages.ts': controller('PagesController', 'show(id: string) { return id }'),
    },
  ],
  [
    'private helpers, getters and fields',
    {
      'config/routing.ts': routing("connect('/', { controller: 'pages', action: 'index' })"),
      'controllers/pages.ts': controller(
        'PagesController',
        '#count = 0',
        'readonly limit: number = 10',
        'get total(): number { return this.#count }',
        'index() { return this._text(2) + this.#more(3) }',
        '_text(times: number): string { return "a".repeat(times) }',
        '#more(times: number): string { return "b".repeat(times) }',
        '__call(): void {}',
        'static create(id: number): number { return id }',
      ).replace('  __call(): void {}\n', ''),
    },
  ],
  [
    'overloads, generics, comments and odd syntax',
    {
      'config/routing.ts': routing(
        "connect('/{id}/{other}', { controller: 'pages', action: 'show' })",
        "connect('/', { controller: 'pages', action: 'index' })",
      ),
      'controllers/pages.ts': `import { BaseController } from '../lib/base.ts'

type Format = 'html' | 'json'
type Id = string | undefined
interface Options<T extends object = object> { readonly value: T }

export class PagesController<T extends Format = Format> extends BaseController implements Options {
  declare readonly value: object
  readonly table = new Map<string, (id: number) => boolean>()

  show(id: string): string
  show(id: Id /* , nothing */, other?: \`a\${string}\` | string): string
  // show(nothing)
  show(id: Id, /** the other */ other: string = 'a, b = 1' as string): string {
    const compare = <U,>(a: U, b: U): boolean => a === b
    return [id, other].filter((one): one is string => compare<unknown>(one, id)).join()!
  }

  async index(format: T | Format = 'html' satisfies Format): Promise<string> {
    using _none = null
    return \`\${format as string}\`
  }
}
`.replace('    using _none = null\n', ''),
    },
  ],
  [
    'results of every kind',
    {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'controllers/pages.ts': `import { HTTPNotFound, Response } from 'propylon'
import { BaseController } from '../lib/base.ts'

export class PagesController extends BaseController {
  text() { return 'a' + 1 }
  data() { return { at: new Date(), n: 42 } }
  list() { return [1, 2, 3] }
  nothing() {}
  none() { return null }
  answer(): Response { return new Response('x') }
  missing() { return new HTTPNotFound() }
  async later(): Promise<string | null> { return await this.render('x') }
  *stream() { yield 'a'; return 3 }
  async *slow(): AsyncGenerator<string> { yield 'a' }
  render_all() { return ['a', 'b'].map((name) => { return name.length > 0 }) }
  early(id?: string) { if (id === undefined) return; return this.render('page') }
  written() { this.response.write('a') }
  arrow() { const count = (n: number) => { return n + 1 }; return String(count(1)) }
  page = () => 42
}
`,
    },
  ],
  [
    'a controller with a dash in its URL, another export and a file that is no controller',
    {
      'config/routing.ts': routing("connect('/{controller}/{action}')"),
      'controllers/with_dash.ts': `${controller('Other', 'do_it() { return "done" }')}export const __controller__ = 'Other'\n`,
      'controllers/admin/users.ts': controller('UsersController', INDEX).replace("'../lib", "'../../lib"),
      'controllers/_helper.ts': 'export const helper = 42\n',
    },
  ],
  [
    'a class from a package, and a mixin',
    {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'node_modules/shared/package.json': '{ "name": "shared", "type": "module", "exports": "./index.js" }',
      'node_modules/shared/index.js': `import { WSGIController } from 'propylon'

export class SharedController extends WSGIController {
  index(id) {
    return id
  }
}
`,
      'node_modules/shared/index.d.ts':
        "import { WSGIController } from 'propylon'\nexport class SharedController extends WSGIController { index(id: string): string }\n",
      'lib/mixin.js': `import { WSGIController } from 'propylon'

export function Listed(base) {
  return class extends base {
    list(id) {
      return id ?? null
    }
  }
}
`,
      'controllers/pages.ts':
        "import { SharedController } from 'shared'\n\nexport class PagesController extends SharedController {\n  show(id: string) { return id }\n}\n",
      'controllers/users.js':
        "import { WSGIController } from 'propylon'\nimport { Listed } from '../lib/mixin.js'\n\nexport class UsersController extends Listed(WSGIController) {\n  index() { return 'x' }\n}\n",
    },
  ],
  [
    'requirements that list the actions',
    {
      'config/routing.ts': routing(
        "connect('/pages/{action:index|show}/{id}', { controller: 'pages' })",
        "connect('/{controller:pages}/{action:list}')",
      ),
      'controllers/pages.ts': controller(
        'PagesController',
        INDEX,
        'show(id: string) { return id }',
        'list() { return null }',
      ),
    },
  ],
  [
    'a method that overrides one with converters and decorators, and has neither',
    {
      'config/routing.ts': routing("connect('/{id}', { controller: 'users', action: 'show' })"),
      'lib/base.ts': `import { WSGIController } from 'propylon'
import { int } from 'propylon/converters'
import { decorate, jsonify } from 'propylon/decorators'

export class BaseController extends WSGIController {
  static args: object = { show: { id: int, page: int } }
  show(id: number, page: number): unknown { return id + page }

  static {
    decorate(this, { show: [jsonify as never] })
  }
}
`,
      'controllers/users.ts': controller('UsersController', 'override show(id: number) { return { id } }'),
    },
  ],
  [
    'statics of services and of actions',
    {
      'config/routing.ts': routing(
        "connect('/rpc', { controller: 'rpc' })",
        "connect('/{id}', { controller: 'users', action: 'show' })",
      ),
      'controllers/rpc.ts':
        "import { JSONRPCController } from 'propylon'\n\nexport class RpcController extends JSONRPCController {\n  static allow = ['POST']\n  static crossSite = { index: 'allow' }\n  add(a: number, b: number) { return a + b }\n}\n",
      'controllers/users.ts': controller(
        'UsersController',
        "static allow = ['GET', 'HEAD', 'PURGE'] as const",
        "static crossSite = { show: 'refuse' }",
        'show(id: string) { return id }',
      ),
    },
  ],
  [
    'private and protected methods, and methods that others pass on, need no route',
    {
      'config/routing.ts': routing("connect('/', { controller: 'pages', action: 'index' })"),
      'controllers/pages.ts': controller(
        'PagesController',
        'index() { const { shown } = this; return ["a"].map(this.upper).map(shown) }',
        'upper(text: string) { return text.toUpperCase() }',
        'shown(text: string) { return text }',
        'protected total(numbers: number[]) { return numbers.length }',
        'private unused(depth: number) { return depth }',
      ),
    },
  ],
  [
    'schemas of valibot that fit',
    {
      'config/routing.ts': routing("connect('/{id}', { controller: 'pages', action: 'show' })"),
      'controllers/pages.ts': `import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'

const Id = v.pipe(v.string(), v.transform(Number), v.minValue(1))

export class PagesController extends BaseController {
  static args = {
    show: {
      id: Id,
      day: v.pipe(v.string(), v.isoDate(), v.toDate()),
      tags: v.optional(v.pipe(v.string(), v.transform((text) => text.split(',')))),
      sort: v.picklist(['up', 'down']),
      text: v.optional(v.pipe(v.string(), v.trim(), v.nonEmpty()), 'x'),
      mixed: v.union([v.string(), v.number()]),
    },
  }

  show(id: number, day: Date, tags: string[] | undefined, sort: 'up' | 'down', text: string, mixed: string | number) {
    return { id, day, tags, sort, text, mixed }
  }
}
`,
    },
  ],
  [
    'results that only a condition or another scope makes right',
    {
      'config/routing.ts': routing(
        "connect('/{id}', { controller: 'pages', action: 'narrowed' })",
        "connect('/a/{id}', { controller: 'pages', action: 'assigned' })",
        "connect('/b/{id}', { controller: 'pages', action: 'shadowed' })",
        "connect('/c/{id}', { controller: 'pages', action: 'called' })",
        "connect('/d/{id}', { controller: 'pages', action: 'member' })",
      ),
      'controllers/pages.ts': `import { BaseController } from '../lib/base.ts'

const count = 3
function text(id: string): string | null { return id }
function same<T = number>(value: T): T { return value }

export class PagesController extends BaseController {
  narrowed(id: string) {
    const found: string | number = JSON.parse(id)
    return typeof found === 'string' ? found : null
  }

  assigned(id: string) {
    let total: unknown = 1
    total = id
    return total
  }

  shadowed(id: string) {
    for (const count of id) if (count === 'x') return count
    const more = [1].map((id) => id + 1)
    return more
  }

  called(id: string) {
    const parse = (value: string) => value
    return id === '' ? text(id) : same(parse(id + count))
  }

  member(id: string) {
    const track = { length: '3:45' + id }
    return track.length
  }
}
`,
    },
  ],
  [
    'tools whose routes are behind routes that take other requests',
    {
      'config/routing.ts': routing(
        "connect('/pages/{id:\\\\d+}', { controller: 'pages', action: 'show' })",
        "connect('/pages/{id}/{part}', { controller: 'pages', action: 'show', conditions: { method: 'GET' } })",
        "connect('/pages/all/parts', { controller: 'pages', action: 'join', conditions: { method: ['GET', 'POST'] } })",
        "connect('/pages/list', { controller: 'pages', action: 'list' })",
        "connect('/{controller}/{action}')",
      ),
      'controllers/pages.ts': controller(
        'PagesController',
        "static tools = ['join', 'list', 'show']",
        "static resources = ['list']",
        'show(id: string, part = "") { return id + part }',
        'join() { return "joined" }',
        'list() { return "list" }',
      ),
    },
  ],
  [
    'a method without a route, such as a helper',
    {
      'config/routing.ts': routing("connect('/', { controller: 'pages', action: 'index' })"),
      'controllers/pages.ts': controller(
        'PagesController',
        'index() { return this.menu(1) }',
        'menu(depth: number): string { return "x".repeat(depth) }',
      ),
    },
  ],
]
