import { controller, DEFAULT_ROUTES, type Files, routing } from './project.ts'

/** A program with a mistake. */
export interface WrongProgram {
  readonly title: string
  readonly files: Files
  readonly code: string
  readonly severity?: 'warning'
  /** `file:line:column` of the finding. */
  readonly at: string
  /** Words of the message and of the fix. */
  readonly says: readonly string[]
}

/** Name of a controller with which names of tools are too long. */
const LONG = 'x'.repeat(60)

const INDEX = "index() { return 'Hello' }"
const ROUTE = "connect('/users/{id}', { controller: 'users', action: 'show' })"

/** Returns a program with one route to `UsersController.show`, whose line 4 is the first member. */
function users(...members: string[]): Files {
  return {
    'config/routing.ts': routing(ROUTE),
    'controllers/users.ts': controller('UsersController', ...members),
  }
}

/** Returns a program with calls for the routes and one action `show(id)`. */
function routes(...calls: string[]): Files {
  return {
    'config/routing.ts': routing(...calls),
    'controllers/users.ts': controller('UsersController', 'show(id: string) { return id }'),
  }
}

/** Returns a controller with converters or decorators. */
function importing(imports: string, ...members: string[]): Files {
  return {
    'config/routing.ts': routing(ROUTE),
    'controllers/users.ts': `${imports}\n${controller('UsersController', ...members)}`,
  }
}

/** Returns the module of an application with more options. */
function application(options: string): string {
  return `import { FrameworkApp } from 'propylon'
import { cors } from 'propylon/middleware'
import { map } from './config/routing.ts'

export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url), ${options} })
`
}

const CONVERTERS = "import { bool, int, isoDate, list, optional, string } from 'propylon/converters'"
const DECORATORS = "import { decorate, dispatchOn, jsonify, restrict, validate } from 'propylon/decorators'"
const SCHEMA =
  "const form = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } } as const"

/** Programs that the check refuses. */
export const WRONG: readonly WrongProgram[] = [
  // Arguments that no route supplies
  {
    title: 'an argument that no route supplies',
    files: users('show(id: string, nothing: string) { return id + nothing }'),
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:4:20',
    says: ['UsersController.show()', '"nothing"', 'static args = { show: { nothing: … } }'],
  },
  {
    title: 'a misspelt argument',
    files: users('show(idd: string) { return idd }'),
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:4:8',
    says: ['UsersController.show()', '"idd"', 'Did you mean "id"?'],
  },
  {
    title: 'an argument with a default that no route supplies',
    files: users("show(id: string, page = '1') { return id + page }"),
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:4:20',
    says: ['"page"'],
  },
  {
    title: 'an optional argument that no route supplies',
    files: users('show(id: string, page?: string) { return id + page }'),
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:4:20',
    says: ['"page"'],
  },
  {
    title: 'a destructured argument that no route supplies',
    files: users("show({ id, nme = 'x' }: { id: string; nme?: string }) { return id + nme }"),
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:4:14',
    says: ['"nme"'],
  },
  {
    title: 'an argument of a resource that its path does not have',
    files: {
      'config/routing.ts': routing("resource('user', 'users', { only: ['show'] })"),
      'controllers/users.ts': controller('UsersController', 'show(user_id: string) { return user_id }'),
    },
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:4:8',
    says: ['"user_id"', 'UsersController.show()'],
  },
  {
    title: 'an argument of a nested resource under the name of the child',
    files: {
      'config/routing.ts': routing(
        "resource('comment', 'comments', { parentResource: { memberName: 'post', collectionName: 'posts' }, only: ['index'] })",
      ),
      'controllers/comments.ts': controller('CommentsController', 'index(post: string) { return post }'),
    },
    code: 'argument-not-supplied',
    at: 'controllers/comments.ts:4:9',
    says: ['"post"', 'Did you mean "post_id"?'],
  },
  {
    title: 'an argument that the default routes do not supply',
    files: {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'controllers/users.ts': controller('UsersController', 'show(name: string) { return name }'),
    },
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:4:8',
    says: ['"name"'],
  },
  {
    title: 'an argument in the names for a build that renames parameters',
    files: users("static args = { show: ['nam'] }", 'show(a: string) { return a }'),
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:4:26',
    says: ['"nam"'],
  },
  {
    title: 'a misspelt argument of a method that dispatchOn calls',
    files: importing(
      DECORATORS,
      'show(id: string) { return id }',
      '_save(ids: string) { return ids }',
      "static { decorate(this, { show: [dispatchOn({ POST: '_save' })] }) }",
    ),
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:6:9',
    says: ['UsersController._save()', '"ids"', 'Did you mean "id"?'],
  },
  {
    title: 'a misspelt argument of __before__',
    files: users('__before__(envrion: object) { this.c.e = envrion }', 'show(id: string) { return id }'),
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:4:14',
    says: ['UsersController.__before__()', '"envrion"', 'Did you mean "environ"?'],
  },
  {
    title: 'the argument error, which only __after__ has',
    files: users('show(id: string, error: unknown) { return [id, error] }'),
    code: 'argument-not-supplied',
    at: 'controllers/users.ts:4:20',
    says: ['"error"'],
  },
  {
    title: 'an argument of an inherited action',
    files: {
      'config/routing.ts': routing(ROUTE),
      'lib/base.ts':
        "import { WSGIController } from 'propylon'\n\nexport class BaseController extends WSGIController {\n  show(idx: string) { return idx }\n}\n",
      'controllers/users.ts': controller('UsersController'),
    },
    code: 'argument-not-supplied',
    at: 'lib/base.ts:4:8',
    says: ['UsersController.show()', '"idx"'],
  },
  {
    title: 'an argument of a JavaScript controller',
    files: {
      'config/routing.ts': routing(ROUTE),
      'controllers/users.js':
        "import { WSGIController } from 'propylon'\n\nexport class UsersController extends WSGIController {\n  show(id, nmae) { return id + nmae }\n}\n",
    },
    code: 'argument-not-supplied',
    at: 'controllers/users.js:4:12',
    says: ['"nmae"'],
  },
  {
    title: 'an argument of a controller in a record',
    files: {
      'app.ts': `import { FrameworkApp, Mapper } from 'propylon'
import { UsersController } from './lib/users.ts'

const map = new Mapper().connect('/{id}', { controller: 'users', action: 'show' })
export default new FrameworkApp({ map, controllers: { users: UsersController } })
`,
      'lib/users.ts': controller('UsersController', 'show(di: string) { return di }').replace('../lib', '.'),
    },
    code: 'argument-not-supplied',
    at: 'lib/users.ts:4:8',
    says: ['UsersController.show()', '"di"'],
  },
  {
    title: 'an argument of a lazily imported controller',
    files: {
      'app.ts': `import { FrameworkApp, Mapper } from 'propylon'

const map = new Mapper().connect('/{id}', { controller: 'users', action: 'show' })
export default new FrameworkApp({ map, controllers: { users: () => import('./lib/users.ts') } })
`,
      'lib/users.ts': controller('UsersController', 'show(di: string) { return di }').replace('../lib', '.'),
    },
    code: 'argument-not-supplied',
    at: 'lib/users.ts:4:8',
    says: ['UsersController.show()', '"di"'],
  },
  // Types
  {
    title: 'id: number without a converter',
    files: users('show(id: number) { return { id } }'),
    code: 'argument-type',
    at: 'controllers/users.ts:4:8',
    says: ['UsersController.show()', '"id"', 'number', 'string', '{ show: { id: int } }'],
  },
  {
    title: 'a type that is inferred from the default',
    files: users('show(id = 0) { return { id } }'),
    code: 'argument-type',
    at: 'controllers/users.ts:4:8',
    says: ['"id"', 'number'],
  },
  {
    title: 'a type that is inferred from a constant',
    files: {
      'config/routing.ts': routing(ROUTE),
      'controllers/users.ts': `const FIRST = 1\n${controller('UsersController', 'show(id = FIRST) { return { id } }')}`,
    },
    code: 'argument-type',
    at: 'controllers/users.ts:5:8',
    says: ['"id"', 'number'],
  },
  {
    title: 'a boolean',
    files: users('show(id: boolean | undefined) { return { id } }'),
    code: 'argument-type',
    at: 'controllers/users.ts:4:8',
    says: ['boolean', 'bool'],
  },
  {
    title: 'a Date',
    files: users('show(id: Date) { return { id } }'),
    code: 'argument-type',
    at: 'controllers/users.ts:4:8',
    says: ['Date', 'isoDate'],
  },
  {
    title: 'an array',
    files: users('show(id: readonly string[]) { return { id } }'),
    code: 'argument-type',
    at: 'controllers/users.ts:4:8',
    says: ['string[]', 'list'],
  },
  {
    title: 'an object',
    files: users('show(id: { name: string }) { return id.name }'),
    code: 'argument-type',
    at: 'controllers/users.ts:4:8',
    says: ['{ name: string; }', 'string'],
  },
  {
    title: 'an alias of another file',
    files: {
      'config/routing.ts': routing(ROUTE),
      'lib/types.ts': 'export type Id = number\n',
      'controllers/users.ts': `import type { Id } from '../lib/types.ts'\n${controller('UsersController', 'show(id: Id) { return { id } }')}`,
    },
    code: 'argument-type',
    at: 'controllers/users.ts:5:8',
    says: ['"id"', 'number'],
  },
  {
    title: 'a number in a destructured parameter',
    files: users('show({ id }: { id: number }) { return { id } }'),
    code: 'argument-type',
    at: 'controllers/users.ts:4:10',
    says: ['"id"', 'number'],
  },
  {
    title: 'format as a number',
    files: users('show(id: string, format = 1) { return { id, format } }'),
    code: 'argument-type',
    at: 'controllers/users.ts:4:20',
    says: ['"format"', 'number'],
  },
  {
    title: 'environ as text',
    files: users('show(id: string, environ: string) { return id + environ }'),
    code: 'argument-type',
    at: 'controllers/users.ts:4:20',
    says: ['"environ"', 'string'],
  },
  {
    title: 'int as a string',
    files: importing(CONVERTERS, 'static args = { show: { id: int } }', 'show(id: string) { return id }'),
    code: 'argument-type',
    at: 'controllers/users.ts:6:8',
    says: ['"id"', 'string', 'its converter gives number'],
  },
  {
    title: 'bool as a number',
    files: importing(CONVERTERS, 'static args = { show: { id: bool } }', 'show(id = 0) { return { id } }'),
    code: 'argument-type',
    at: 'controllers/users.ts:6:8',
    says: ['boolean', 'number'],
  },
  {
    title: 'isoDate as a string',
    files: importing(CONVERTERS, 'static args = { show: { id: isoDate } }', 'show(id: string) { return id }'),
    code: 'argument-type',
    at: 'controllers/users.ts:6:8',
    says: ['Date'],
  },
  {
    title: 'a list of numbers as strings',
    files: importing(CONVERTERS, 'static args = { show: { id: list(int) } }', 'show(id: string[]) { return id }'),
    code: 'argument-type',
    at: 'controllers/users.ts:6:8',
    says: ['string[]', 'number[]'],
  },
  {
    title: 'an optional converter without a default, for a parameter that is never undefined',
    files: importing(CONVERTERS, 'static args = { show: { id: optional(int) } }', 'show(id: number) { return { id } }'),
    code: 'argument-type',
    at: 'controllers/users.ts:6:8',
    says: ['number | undefined'],
  },
  ...(
    [
      ['v.string()', 'id: number', 'string'],
      ['v.pipe(v.string(), v.toNumber(), v.integer())', 'id: string', 'number'],
    ] as const
  ).map(
    ([schema, parameter, given]): WrongProgram => ({
      title: `${schema} for ${parameter}`,
      files: importing(
        "import * as v from 'valibot'",
        `static args = { show: { id: ${schema} } }`,
        `show(${parameter}) { return { id } }`,
      ),
      code: 'argument-type',
      at: 'controllers/users.ts:6:8',
      says: ['"id"', `its converter gives ${given}`],
    }),
  ),
  // static args
  ...(
    [
      ["'int'", '"int"'],
      ['Number', 'the function Number'],
      ['optional', 'the function optional'],
      ['(text: string) => Number(text)', 'the function id'],
    ] as const
  ).map(
    ([value, kind]): WrongProgram => ({
      title: `${kind} instead of a converter`,
      files: importing(CONVERTERS, `static args = { show: { id: ${value} } }`, 'show(id: unknown) { return { id } }'),
      code: 'args-no-schema',
      at: 'controllers/users.ts:5:27',
      says: ['"id"', 'UsersController.show()', 'not a Standard Schema', kind],
    }),
  ),
  {
    title: 'a converter for a parameter that does not exist',
    files: importing(CONVERTERS, 'static args = { show: { idd: int } }', 'show(id: string) { return id }'),
    code: 'args-unknown',
    at: 'controllers/users.ts:5:27',
    says: ['UsersController', '"idd"', 'Did you mean "id"?'],
  },
  {
    title: 'a static record that nothing reads',
    files: importing(SCHEMA, 'static result = { show: form }', 'show(id: string) { return { id } }'),
    code: 'static-unread',
    at: 'controllers/users.ts:5:10',
    says: ['static result is not read. Did you mean static results?'],
  },
  {
    title: 'a static record of another name that looks like a declaration',
    files: importing(SCHEMA, 'static schemas = { show: form }', 'show(id: string) { return { id } }'),
    code: 'static-unread',
    at: 'controllers/users.ts:5:10',
    says: ['static schemas is not read. Did you mean static results?'],
  },
  {
    title: 'a name of a tool that clients refuse',
    files: importing(SCHEMA, "static tools = { show: { name: 'users.show' } }", 'show(id: string) { return { id } }'),
    code: 'tool-name',
    at: 'controllers/users.ts:5:20',
    says: ['static tools makes the name "users.show" of show(), which clients of language models refuse.'],
  },
  {
    title: 'a static list that nothing reads, of the base class of two controllers',
    files: {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'lib/base.ts': `import { WSGIController } from 'propylon'

export class BaseController extends WSGIController {
  static securty = [{ token: [] }]
}
`,
      'controllers/users.ts': controller('UsersController', INDEX),
      'controllers/books.ts': controller('BooksController', INDEX),
    },
    code: 'static-unread',
    at: 'lib/base.ts:4:10',
    says: ['static securty is not read. Did you mean static security?'],
  },
  {
    title: 'a static record of a controller in a record',
    files: {
      'app.ts': `import { FrameworkApp, Mapper, WSGIController } from 'propylon'

class PagesController extends WSGIController {
  static tool = ['index']
  index() {
    return 'Hello'
  }
}

export default new FrameworkApp({
  map: new Mapper().connect('/', { controller: 'pages', action: 'index' }),
  controllers: { pages: PagesController },
})
`,
    },
    code: 'static-unread',
    at: 'app.ts:4:10',
    says: ['static tool is not read. Did you mean static tools?'],
  },
  {
    title: 'a static property of a class of sockets that nothing reads',
    files: {
      'app.ts': `import { FrameworkApp, Mapper } from 'propylon'

class ChatSocket {
  static maxMesage = 100
  message() {}
}

export default new FrameworkApp({ map: new Mapper(), controllers: {}, sockets: { '/chat': ChatSocket } })
`,
    },
    code: 'static-unread',
    at: 'app.ts:4:10',
    says: ['static maxMesage is not read. Did you mean static maxMessage?'],
  },
  {
    title: 'a static property of a service that nothing reads',
    files: {
      'config/routing.ts': routing("rpc('calc', '/calc')"),
      'controllers/calc.ts': `import { RPCController } from 'propylon/rpc'

export class CalcController extends RPCController {
  static maxBodyLength = 100
  add(a: number, b: number) {
    return a + b
  }
}
`,
    },
    code: 'static-unread',
    at: 'controllers/calc.ts:4:10',
    says: ['static maxBodyLength is not read. Did you mean static max_body_length?'],
  },
  {
    title: 'a schema of an object without body()',
    files: importing(
      "import * as v from 'valibot'\nconst Fields = v.object({ name: v.string() })",
      'static args = { show: { fields: Fields } }',
      'show(id: string, fields: { name: string }) { return { id, ...fields } }',
    ),
    code: 'args-object',
    at: 'controllers/users.ts:6:27',
    says: ['UsersController', '"fields" of show()', 'body(…)'],
  },
  {
    title: 'converters of an action that does not exist',
    files: importing(CONVERTERS, 'static args = { shwo: { id: int } }', 'show(id: string) { return id }'),
    code: 'static-unknown',
    at: 'controllers/users.ts:5:19',
    says: ['static args of UsersController', '"shwo"', 'Did you mean "show"?'],
  },
  {
    title: 'static crossSite for an action that does not exist',
    files: users("static crossSite = { shw: 'allow' }", 'show(id: string) { return id }'),
    code: 'static-unknown',
    at: 'controllers/users.ts:4:24',
    says: ['static crossSite', '"shw"', 'Did you mean "show"?'],
  },
  {
    title: 'a tool that is not an action',
    files: users("static tools = ['shw']", 'show(id: string) { return id }'),
    code: 'static-unknown',
    at: 'controllers/users.ts:4:19',
    says: ['static tools of UsersController', '"shw"', 'Did you mean "show"?'],
  },
  {
    title: 'a resource that is not an action',
    files: users("static resources = ['show', '_hidden']", 'show(id: string) { return id }', '_hidden() {}'),
    code: 'static-unknown',
    at: 'controllers/users.ts:4:31',
    says: ['static resources of UsersController', '"_hidden"'],
  },
  {
    title: 'a resource that no GET route reaches',
    files: {
      'config/routing.ts': routing(
        "connect('/users', { controller: 'users', action: 'create', conditions: { method: 'POST' } })",
      ),
      'controllers/users.ts': controller('UsersController', "static resources = ['create']", "create() { return 'x' }"),
    },
    code: 'tool-unreached',
    at: 'controllers/users.ts:4:23',
    says: ['UsersController.resources names "create"', 'no route for GET leads to users.create'],
  },
  {
    title: 'a prompt whose method no GET route reaches',
    files: {
      'config/routing.ts': routing(
        "connect('/users', { controller: 'users', action: 'create', conditions: { method: 'POST' } })",
      ),
      'templates/ask.eta': 'Ask.',
      'controllers/users.ts': controller(
        'UsersController',
        "static prompts = { create: 'ask' }",
        "create() { return { name: 'x' } }",
      ),
    },
    code: 'tool-unreached',
    at: 'controllers/users.ts:4:22',
    says: ['UsersController.prompts names "create"', 'not an action for GET'],
  },
  {
    title: 'a tool whose only route is behind another one',
    files: {
      'config/routing.ts': routing(
        ROUTE.replace(' })', ", conditions: { method: 'GET' } })"),
        "connect('/users/export', { controller: 'users', action: 'export' })",
      ),
      'controllers/users.ts': controller(
        'UsersController',
        "static tools = ['export']",
        'show(id: string) { return id }',
        "export() { return 'x' }",
      ),
    },
    code: 'tool-unreached',
    at: 'controllers/users.ts:4:19',
    says: [
      'UsersController.tools names "export"',
      'its route /users/export is never reached: /users/{id} is defined before it',
      'Define a route to users.export before it',
    ],
  },
  {
    title: 'a tool that only a default route names, behind a resource',
    files: {
      'config/routing.ts': routing("resource('user', 'users', { only: ['show'] })", ...DEFAULT_ROUTES.slice(1, 2)),
      'controllers/users.ts': controller(
        'UsersController',
        "static tools = ['export']",
        'show(id: string) { return id }',
        "export() { return 'x' }",
      ),
    },
    code: 'tool-unreached',
    at: 'controllers/users.ts:4:19',
    says: ['its route /{controller}/{action} is never reached', '/users/{id}'],
  },
  ...(
    [
      ['a field of the query read as a member', 'return id + this.request.query.page', 'QueryParams', 59],
      ['a subscript of a form', "return id + (await this.request.form())['title']", 'Form', 40],
      ['a field taken out of a form', 'const { title } = await this.request.form(); return id + title', 'title', 36],
    ] as const
  ).map(
    ([title, body, type, column]): WrongProgram => ({
      title,
      files: users(`async show(id: string) { ${body} }`),
      code: 'type-error',
      at: `controllers/users.ts:4:${column}`,
      says: [type],
    }),
  ),
  {
    title: 'static crossSite for a procedure that does not exist',
    files: {
      'config/routing.ts': routing("rpc('stock', '/stock')"),
      'controllers/stock.ts': `import { RPCController } from 'propylon/rpc'

export class StockController extends RPCController {
  static crossSite = { index: 'allow', stock_cuont: 'allow' }
  stock_count() { return 1 }
}
`,
    },
    code: 'static-unknown',
    at: 'controllers/stock.ts:4:40',
    says: ['static crossSite of StockController', '"stock_cuont"', 'Did you mean "stock_count"?'],
  },
  {
    title: 'a signature of a procedure that does not exist',
    files: {
      'config/routing.ts': routing("rpc('stock', '/stock')"),
      'controllers/stock.ts': `import { RPCController } from 'propylon/rpc'

export class StockController extends RPCController {
  static override signatures = { stock_cuont: [['int']] }
  stock_count() { return 1 }
}
`,
    },
    code: 'static-unknown',
    at: 'controllers/stock.ts:4:34',
    says: ['static signatures of StockController', '"stock_cuont"', 'Did you mean "stock_count"?'],
  },
  {
    title: 'routes of an RPC controller that does not exist',
    files: { 'config/routing.ts': routing("rpc('stock', '/stock')") },
    code: 'controller-missing',
    at: 'config/routing.ts:4:8',
    says: ['"stock"'],
  },
  ...[
    { title: 'other sites', options: "middleware: [cors({ origins: '*' })]", says: "crossSite: 'allow'" },
    {
      title: 'one of two origins',
      options:
        "crossSite: ['https://a.example'], middleware: [cors({ origins: ['https://a.example', 'https://b.example'] })]",
      says: 'pages of https://b.example to call UsersController.create(), but the rule against other sites refuses POST',
    },
    {
      title: 'a function',
      options:
        'middleware: [cors({ origins: () => true })], openapi: { title: "x", version: "1", security: [{ basic: [] }], securitySchemes: { basic: { type: "http", scheme: "basic" } } }',
      says: 'pages of other sites',
    },
  ].map(({ title, options, says }) => ({
    title: `an action that changes something, to which cors() lets ${title}`,
    files: {
      ...users(
        'show(id: string) { return id }',
        'create() { return null }',
        'open() { return null }',
        "static crossSite = { open: 'allow' }",
      ),
      'config/routing.ts': routing(
        ROUTE,
        "connect('/users', { controller: 'users', action: 'create', conditions: { method: 'POST' } })",
        "connect('/open', { controller: 'users', action: 'open', conditions: { method: 'POST' } })",
      ),
      'app.ts': application(options),
    },
    code: 'cross-site-refused',
    severity: 'warning' as const,
    at: 'controllers/users.ts:5:3',
    says: [says, "static crossSite = { create: 'allow' }"],
  })),
  ...['[{ tokken: [] }]', "{ '*': [{ tokken: [] }] }", '{ show: [{}, { tokken: [] }] }'].map((security) => ({
    title: `static security with an unknown scheme: ${security}`,
    files: {
      ...users(`static security = ${security}`, 'show(id: string) { return id }'),
      'app.ts': application(
        "openapi: { title: 'x', version: '1', securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }",
      ),
    },
    code: 'security-unknown',
    at: `controllers/users.ts:4:${security.startsWith('[') ? 10 : 23}`,
    says: ['static security of UsersController', '"tokken"', 'Did you mean "token"?'],
  })),
  {
    title: 'static crossSite with another value',
    files: users("static crossSite = { show: 'alow' }", 'show(id: string) { return id }'),
    code: 'static-value',
    at: 'controllers/users.ts:4:24',
    says: ['UsersController', '"alow"', "'allow'"],
  },
  {
    title: 'an inherited converter for a parameter that does not exist',
    files: {
      'config/routing.ts': routing(ROUTE),
      'lib/base.ts': `import { WSGIController } from 'propylon'
import { int } from 'propylon/converters'

export class BaseController extends WSGIController {
  static args = { show: { idd: int } }
  show(id: string) { return id }
}
`,
      'controllers/users.ts': controller('UsersController'),
    },
    code: 'args-unknown',
    at: 'lib/base.ts:5:27',
    says: ['UsersController', '"idd"', 'Did you mean "id"?'],
  },
  {
    title: 'a form of validate() in a constant that does not exist',
    files: importing(
      `${DECORATORS}\n${SCHEMA}\nconst options = { form: 'shwo' }`,
      'show(id: string) { return id }',
      'static { decorate(this, { show: [validate(form, options)] }) }',
    ),
    code: 'decorator-method-missing',
    at: 'controllers/users.ts:3:25',
    says: ['"shwo"', 'Did you mean "show"?'],
  },
  ...(
    [
      ['return id.length', 'number'],
      ['const total = id.length; return total', 'number'],
      ['const first: boolean = JSON.parse(id); return first', 'boolean'],
      ['return LIMIT', 'number'],
      ['return await count(id)', 'number'],
      ['try { JSON.parse(id) } catch (error) { return [error].length } return id', 'number'],
    ] as const
  ).map(
    ([body, returned]): WrongProgram => ({
      title: `an action of a base class of the application that says ${body}`,
      files: {
        'config/routing.ts': routing(ROUTE),
        'lib/count.ts': 'export async function count(id: string): Promise<number> { return id.length }\n',
        'controllers/users.ts': `import { count } from '../lib/count.ts'\nconst LIMIT = 1\n${controller('UsersController', `async show(id: string) { ${body} }`)}`,
      },
      code: 'result-unusable',
      at: 'controllers/users.ts:6:9',
      says: ['UsersController.show()', returned],
    }),
  ),
  // Applications that do not load
  ...(
    [
      [
        'a mistake of syntax in the routing file',
        'export const map = (\n',
        'config/routing.ts:1:1',
        'app.ts does not load',
      ],
      [
        'a routing file that throws',
        "export const map = (() => {\n  throw new Error('no routes')\n})()\n",
        'config/routing.ts:2:9',
        'no routes',
      ],
      ['a missing import of the routing file', "import './nope.ts'\n", 'config/routing.ts:1:9', 'nope.ts'],
    ] as const
  ).map(
    ([title, text, at, words]): WrongProgram => ({
      title,
      files: { ...users('show(id: string) { return id }'), 'config/routing.ts': text },
      code: 'application-unloadable',
      at,
      says: [words],
    }),
  ),
  {
    title: 'a regular expression that does not compile',
    files: routes(ROUTE, "connect('/u/{id}', { controller: 'users', action: 'show', requirements: { id: '(' } })"),
    code: 'route-definition',
    at: 'config/routing.ts:5:4',
    says: ['"id"', 'does not compile'],
  },
  // Routes
  {
    title: 'a route to a controller that does not exist',
    files: routes(ROUTE, "connect('/x', { controller: 'userz', action: 'show' })"),
    code: 'controller-missing',
    at: 'config/routing.ts:5:32',
    says: ['/x', '"userz"', 'Did you mean "users"?'],
  },
  {
    title: 'a resource of a controller that does not exist',
    files: routes(ROUTE, "resource('post', 'posts')"),
    code: 'controller-missing',
    at: 'config/routing.ts:5:21',
    says: ['"posts"', 'propylon controller posts'],
  },
  {
    title: 'a route to an action that does not exist',
    files: routes(
      "connect('user', '/users/{id}', { controller: 'users', action: 'shwo' })",
      ROUTE.replace('/{', '/x/{'),
    ),
    code: 'action-missing',
    at: 'config/routing.ts:4:66',
    says: ['"user"', '"shwo"', 'UsersController', 'Did you mean "show"?'],
  },
  {
    title: 'a route without an action to a controller without index',
    files: routes(ROUTE, "connect('/users', { controller: 'users' })"),
    code: 'action-missing',
    at: 'config/routing.ts:5:4',
    says: ['"index"', 'UsersController'],
  },
  {
    title: 'a route to a private method',
    files: {
      'config/routing.ts': routing(ROUTE, "connect('/secret', { controller: 'users', action: '_secret' })"),
      'controllers/users.ts': controller(
        'UsersController',
        'show(id: string) { return id }',
        '_secret() { return null }',
      ),
    },
    code: 'action-missing',
    at: 'config/routing.ts:5:54',
    says: ['UsersController._secret()', 'underscore'],
  },
  {
    title: 'a route to a method with the name of a member of the base class',
    files: {
      'config/routing.ts': routing(ROUTE, "connect('/text', { controller: 'users', action: 'toString' })"),
      'controllers/users.ts': controller(
        'UsersController',
        'show(id: string) { return id }',
        "override toString() { return '' }",
      ),
    },
    code: 'action-missing',
    at: 'config/routing.ts:5:52',
    says: ['UsersController.toString()', 'a member of the base class', 'Rename the method'],
  },
  {
    title: 'a route to a class field',
    files: {
      'config/routing.ts': routing(ROUTE, "connect('/list', { controller: 'users', action: 'list' })"),
      'controllers/users.ts': controller('UsersController', 'show(id: string) { return id }', 'list = () => null'),
    },
    code: 'action-missing',
    at: 'config/routing.ts:5:52',
    says: ['UsersController.list', 'field'],
  },
  {
    title: 'a resource with actions that the controller does not have',
    files: {
      'config/routing.ts': routing("resource('user', 'users')"),
      'controllers/users.ts': controller(
        'UsersController',
        INDEX,
        'show(id: string) { return id }',
        'create() { return null }',
        'update(id: string) { return id }',
        'delete(id: string) { return id }',
      ),
    },
    code: 'action-missing',
    at: 'config/routing.ts:4:4',
    says: ['"new"', '"edit"', 'UsersController', "{ except: ['new', 'edit'] }"],
  },
  {
    title: 'an additional action of a resource that does not exist',
    files: {
      'config/routing.ts': routing("resource('user', 'users', { only: ['show'], member: { mrk: 'POST' } })"),
      'controllers/users.ts': controller('UsersController', 'show(id: string) { return id }'),
    },
    code: 'action-missing',
    at: 'config/routing.ts:4:58',
    says: ['"mrk"', 'UsersController'],
  },
  {
    title: 'a requirement that lists an action that does not exist',
    files: routes(ROUTE, "connect('/users/{action:show|hide}/{id}', { controller: 'users' })"),
    code: 'action-missing',
    at: 'config/routing.ts:5:4',
    says: ['"hide"', 'UsersController'],
  },
  {
    title: 'a misspelt controller option',
    files: routes(ROUTE, "connect('/x', { controler: 'users', action: 'show' })"),
    code: 'controller-missing',
    at: 'config/routing.ts:5:20',
    says: ['/x', '"controler"', 'Did you mean "controller"?'],
  },
  {
    title: 'a misspelt option whose value is text',
    files: routes("connect('/users/{id}', { controller: 'users', action: 'show', requirement: 'x' })"),
    code: 'route-option-unknown',
    at: 'config/routing.ts:4:66',
    says: ['"requirement"', 'Did you mean "requirements"?'],
  },
  {
    title: 'a key that is neither an option nor an argument',
    files: routes("connect('/users/{id}', { controller: 'users', action: 'show', lang: 'en' })"),
    code: 'route-option-unknown',
    at: 'config/routing.ts:4:66',
    says: ['"lang"', '"show"', '"users"'],
  },
  {
    title: 'a key of a sub-mapper that is neither an option nor an argument',
    files: {
      'config/routing.ts': routing(
        "submapper({ pathPrefix: '/a', controller: 'users', lng: 'en' }, (a) => a.connect('/{id}', { action: 'show' }))",
      ),
      'controllers/users.ts': controller(
        'UsersController',
        "show(id: string, lang = 'en') { return id + lang }".replace(", lang = 'en'", '').replace(' + lang', ''),
      ),
    },
    code: 'route-option-unknown',
    at: 'config/routing.ts:4:77',
    says: ['"lng"', '/a/{id}'],
  },
  {
    title: 'a misspelt option that the mapper refuses',
    files: routes("connect('/users/{id}', { controller: 'users', action: 'show', statik: true })"),
    code: 'route-definition',
    at: 'config/routing.ts:4:4',
    says: ['"statik"', 'Did you mean "static"?'],
  },
  {
    title: 'an unknown option of resource',
    files: routes("resource('user', 'users', { onyl: ['show'] } as object)"),
    code: 'route-definition',
    at: 'config/routing.ts:4:4',
    says: ['"onyl"', 'Did you mean "only"?'],
  },
  {
    title: 'a requirement for another parameter',
    files: routes("connect('/users/{id}', { controller: 'users', action: 'show', requirements: { idd: '\\\\d+' } })"),
    code: 'route-option-unknown',
    at: 'config/routing.ts:4:82',
    says: ['"idd"', 'Did you mean "id"?'],
  },
  {
    title: 'a route that can never be reached',
    files: routes("connect('/{x}/{id}', { controller: 'users', action: 'show' })", ROUTE),
    code: 'route-unreachable',
    at: 'config/routing.ts:5:4',
    says: ['/users/{id}', '/{x}/{id}'],
  },
  {
    title: 'two routes of the same name',
    files: routes(ROUTE.replace("'/", "'user', '/"), ROUTE.replace("'/users", "'user', '/people")),
    code: 'route-duplicate-name',
    severity: 'warning',
    at: 'config/routing.ts:5:4',
    says: ['"user"'],
  },
  // Methods
  {
    title: 'a method in lower case in static allow',
    files: users("static allow = ['GET', 'post']", 'show(id: string) { return id }'),
    code: 'static-value',
    at: 'controllers/users.ts:4:10',
    says: ['UsersController.allow', '"post"', 'upper case'],
  },
  {
    title: 'a method in lower case in restrict',
    files: importing(
      DECORATORS,
      'show(id: string) { return id }',
      "static { decorate(this, { show: [restrict('post' as never)] }) }",
    ),
    code: 'controller-unreadable',
    at: 'controllers/users.ts:6:36',
    says: ['restrict()', '"post"'],
  },
  // Actions and hooks
  {
    title: 'a controller that no route reaches',
    files: {
      ...users('show(id: string) { return id }'),
      'controllers/posts.ts': controller('PostsController', INDEX),
    },
    code: 'controller-unreached',
    at: 'controllers/posts.ts:3:14',
    says: ['"posts"'],
  },
  {
    title: 'a file that exports no controller',
    files: {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'controllers/helpers.ts': 'export const helper = 42\n',
    },
    code: 'controller-unreadable',
    at: 'controllers/helpers.ts:1:1',
    says: ['"helpers"', 'HelpersController', 'underscore'],
  },
  {
    title: 'a file that is no TypeScript',
    files: {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'controllers/pages.ts': 'export class PagesController {\n  index( {\n}\n',
    },
    code: 'controller-unreadable',
    at: 'controllers/pages.ts:3:1',
    says: ['"pages"'],
  },
  ...(
    [
      ['a missing package', "import 'nowhere'\n", '1:9', "Cannot find package 'nowhere'"],
      ['a wrong path', "import { a } from '../lib/bas.ts'\nconsole.log(a)\n", '1:20', 'bas.ts'],
      [
        'a type that is imported as a value',
        "import { Environ } from 'propylon/wsgi'\nconsole.log(Environ)\n",
        '1:10',
        'Environ',
      ],
      ['an error at start', "throw new Error('no key')\n", '1:7', 'no key'],
    ] as const
  ).map(
    ([title, text, at, says]): WrongProgram => ({
      title: `a controller with ${title}`,
      files: {
        'config/routing.ts': routing(...DEFAULT_ROUTES),
        'controllers/pages.ts': `${text}${controller('PagesController', INDEX)}`,
        'controllers/users.ts': controller('UsersController', INDEX),
      },
      code: 'controller-unreadable',
      at: `controllers/pages.ts:${at}`,
      says: ['"pages"', says],
    }),
  ),
  {
    title: 'a destructured body beside other arguments',
    files: {
      'config/routing.ts': routing("resource('user', 'users', { only: ['update'] })"),
      'controllers/users.ts': `import { body } from 'propylon/converters'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'

export class UsersController extends BaseController {
  static args = { update: { user: body(v.object({ name: v.string() })) } }
  update(id: string, { name }: { name: string }) { return id + name }
}
`,
    },
    code: 'controller-unreadable',
    at: 'controllers/users.ts:7:3',
    says: ['UsersController.update', 'destructure'],
  },
  {
    title: 'a tool whose name clients refuse',
    files: {
      'config/routing.ts': routing(`connect('/', { controller: '${LONG}', action: 'index' })`),
      [`controllers/${LONG}.ts`]: controller('LongController', "static tools = ['index']", INDEX).replace(
        'export class',
        'export default class',
      ),
    },
    code: 'tool-name',
    at: `controllers/${LONG}.ts:4:19`,
    says: ['static tools makes the name', `"${LONG}_index"`, '64'],
  },
  {
    title: 'a misspelt __before__',
    files: users('__befor__() { this.c.x = 1 }', 'show(id: string) { return id }'),
    code: 'hook-misspelt',
    at: 'controllers/users.ts:4:3',
    says: ['UsersController.__befor__()', '"__before__"'],
  },
  {
    title: '__before__ in capitals',
    files: users('__Before__() { this.c.x = 1 }', 'show(id: string) { return id }'),
    code: 'hook-misspelt',
    at: 'controllers/users.ts:4:3',
    says: ['"__before__"'],
  },
  {
    title: '__after__ with one underscore less',
    files: users('__after_() { this.c.x = 1 }', 'show(id: string) { return id }'),
    code: 'hook-misspelt',
    at: 'controllers/users.ts:4:3',
    says: ['"__after__"'],
  },
  {
    title: 'a hook with single underscores in a base class',
    files: {
      'config/routing.ts': routing(ROUTE),
      'lib/base.ts':
        "import { WSGIController } from 'propylon'\n\nexport class BaseController extends WSGIController {\n  async _before_() { this.c.x = 1 }\n}\n",
      'controllers/users.ts': controller('UsersController', 'show(id: string) { return id }'),
    },
    code: 'hook-misspelt',
    at: 'lib/base.ts:4:9',
    says: ['"__before__"'],
  },
  {
    title: 'a misspelt _get_method_args',
    files: users('_get_method_arg() { return {} }', 'show(id: string) { return id }'),
    code: 'hook-misspelt',
    at: 'controllers/users.ts:4:3',
    says: ['"_get_method_args"'],
  },
  {
    title: 'an action that replaces this.session',
    files: {
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'controllers/users.js':
        "import { WSGIController } from 'propylon'\n\nexport class UsersController extends WSGIController {\n  session() { return null }\n}\n",
    },
    code: 'member-reserved',
    at: 'controllers/users.js:4:3',
    says: ['UsersController.session()', 'this.session'],
  },
  {
    title: 'a finally of __call__ that does not wait',
    files: {
      'config/routing.ts': routing(ROUTE),
      'controllers/users.ts': controller(
        'UsersController',
        "override async __call__(...args: Parameters<BaseController['__call__']>) {",
        '  try { return super.__call__(...args) } finally { this.c.x = 1 }',
        '}',
        'show(id: string) { return id }',
      ),
    },
    code: 'finally-early',
    at: 'controllers/users.ts:5:11',
    says: ['finally', 'return await'],
  },
  // Decorators
  {
    title: 'validate with a form that does not exist',
    files: importing(
      `${DECORATORS}\n${SCHEMA}`,
      'show(id: string) { return id }',
      "static { decorate(this, { show: [validate(form, { form: 'shw' })] }) }",
    ),
    code: 'decorator-method-missing',
    at: 'controllers/users.ts:7:59',
    says: ["validate({ form: 'shw' })", 'UsersController.show()', 'Did you mean "show"?'],
  },
  {
    title: 'validate with the form of a controller that does not exist',
    files: importing(
      `${DECORATORS}\n${SCHEMA}`,
      'show(id: string) { return id }',
      "static { decorate(this, { show: [validate(form, { form: 'user.show' })] }) }",
    ),
    code: 'decorator-method-missing',
    at: 'controllers/users.ts:7:59',
    says: ["validate({ form: 'user.show' })", 'the controller "user"', 'Did you mean "users"?'],
  },
  {
    title: 'dispatchOn a method that does not exist',
    files: importing(
      DECORATORS,
      'show(id: string) { return id }',
      '_save(id: string) { return id }',
      "static { decorate(this, { show: [dispatchOn({ POST: '_sav' })] }) }",
    ),
    code: 'decorator-method-missing',
    at: 'controllers/users.ts:7:55',
    says: ['"_sav"', 'Did you mean "_save"?'],
  },
  {
    title: 'decorate a method that does not exist',
    files: importing(
      DECORATORS,
      'show(id: string) { return id }',
      'static { decorate(this, { shwo: [jsonify] } as object) }',
    ),
    code: 'controller-unreadable',
    at: 'controllers/users.ts:6:12',
    says: ['decorate()', 'no method shwo', 'Did you mean "show"?'],
  },
  // Results
  {
    title: 'a number as the result',
    files: users('show(id: string) { return id === "" ? "none" : 42 }'),
    code: 'result-unusable',
    at: 'controllers/users.ts:4:3',
    says: ['UsersController.show()', 'number'],
  },
  {
    title: 'true as the result',
    files: users('async show(id: string) { if (id) return true; return id }'),
    code: 'result-unusable',
    at: 'controllers/users.ts:4:9',
    says: ['UsersController.show()', 'boolean (true)'],
  },
  {
    title: 'a Date as the result',
    files: users('show(id: string) { return new Date(id) }'),
    code: 'result-unusable',
    at: 'controllers/users.ts:4:3',
    says: ['Date'],
  },
  {
    title: 'a comparison as the result',
    files: users('show(id: string) { return id.length > 3 }'),
    code: 'result-unusable',
    at: 'controllers/users.ts:4:3',
    says: ['boolean'],
  },
  {
    title: 'a result that is declared as a number',
    files: users('show(id: string): number { return JSON.parse(id) }'),
    code: 'result-unusable',
    at: 'controllers/users.ts:4:3',
    says: ['UsersController.show()', 'number'],
  },
  {
    title: 'a result that is declared as a promise of a number',
    files: users('async show(id: string): Promise<number | string> { return JSON.parse(id) }'),
    code: 'result-unusable',
    at: 'controllers/users.ts:4:9',
    says: ['number'],
  },
]
