import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  FrameworkApp,
  Mapper,
  type OpenAPIDocument,
  type OpenAPIOptions,
  type ProblemsOption,
  WSGIController,
} from 'propylon'
import { body, int } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

const article = v.object({ title: v.string() })
const token = [{ token: [] }]

class ArticlesController extends WSGIController {
  static args = { create: { article: body(article) }, show: { id: int } }
  static results = { index: v.array(article), show: article, create: article, remove: null, login: null }
  static security: unknown = { '*': token, show: [{}, ...token], login: [] }
  static crossSite = { login: 'allow' }

  index() {
    return []
  }
  show(id: number) {
    return { title: String(id) }
  }
  create(article: { title: string }) {
    return article
  }
  remove(): null {
    return null
  }
  login(): null {
    return null
  }
  async document() {
    return (await this.app.openapi())?.info.title
  }
}

class PagesController extends ArticlesController {
  static pages = { index: 'pages/index' }
}

class FormsController extends ArticlesController {
  static override args = { create: { article: body(article, { form: 'index' }) }, show: { id: int } }
}

function routes(): Mapper<unknown> {
  const map = new Mapper().connect('/document', { controller: 'api/articles', action: 'document' })
  for (const name of ['api/articles', 'pages', 'forms']) {
    map.connect(`/${name}`, { controller: name, action: 'index', conditions: { method: 'GET' } })
    map.connect(`/${name}`, { controller: name, action: 'create', conditions: { method: 'POST' } })
    map.connect(`/${name}/login`, { controller: name, action: 'login', conditions: { method: 'POST' } })
    map.connect(`/${name}/{id}`, { controller: name, action: 'show', conditions: { method: 'GET' } })
    map.connect(`/${name}/{id}`, { controller: name, action: 'remove', conditions: { method: 'DELETE' } })
  }
  return map
}

interface Options {
  openapi?: Partial<OpenAPIOptions>
  problems?: ProblemsOption
  crossSite?: 'allow' | 'refuse'
}

function application({ openapi, ...others }: Options = {}): FrameworkApp {
  return new FrameworkApp({
    map: routes(),
    controllers: { 'api/articles': ArticlesController, pages: PagesController, forms: FormsController },
    templates: { 'pages/index.eta': '' },
    openapi: { title: 'Articles', version: '1', ...openapi },
    ...others,
  })
}

interface Described {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security?: unknown
  readonly responses: Record<string, { headers?: Record<string, { required?: boolean }> }>
}

async function operationsOf(app: FrameworkApp): Promise<Record<string, Described>> {
  const { paths } = (await new TestApp(app).get('/openapi.json')).json() as {
    paths: Record<string, Record<string, Described>>
  }
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation]),
    ),
  )
}

const operations = await operationsOf(application())
const statuses = (key: string, all = operations) => Object.keys(all[key]?.responses ?? {}).filter((one) => one >= '300')

describe('the statuses of a document', () => {
  const cases: [operation: string, statuses: string[]][] = [
    ['get /api/articles', ['401', '406']],
    ['get /api/articles/{id}', ['404', '406']],
    ['post /api/articles', ['400', '401', '403', '413', '415']],
    ['delete /api/articles/{id}', ['401', '403', '404']],
    ['post /api/articles/login', ['400']],
    ['delete /pages/{id}', ['303', '401', '403', '404']],
    ['delete /forms/{id}', ['303', '401', '403', '404']],
  ]
  for (const [operation, expected] of cases) {
    it(`are those that happen in ${operation}`, () => assert.deepEqual(statuses(operation), expected))
  }

  it('lack 403 in an application that allows other sites', async () => {
    const all = await operationsOf(application({ crossSite: 'allow' }))
    for (const [key] of cases) assert.ok(!statuses(key, all).includes('403'), key)
  })

  it('have the status of bodies that a schema refuses', async () => {
    const all = await operationsOf(application({ problems: { invalid: 422, body: () => null } }))
    assert.deepEqual(statuses('post /api/articles', all), ['400', '401', '403', '413', '415', '422'])
    assert.ok(!statuses('get /api/articles/{id}', all).includes('422'))
  })

  it('lack 406 for a text, which is sent whatever the client accepts', async () => {
    class TextsController extends WSGIController {
      static results = { show: v.string() }
      show() {
        return 'text'
      }
    }
    const map = new Mapper().connect('/', {
      controller: 'texts',
      action: 'show',
      conditions: { method: 'GET' },
    })
    const openapi = { title: 'Texts', version: '1' }
    const app = new FrameworkApp({ map, controllers: { texts: TextsController }, openapi })
    assert.deepEqual(statuses('get /', await operationsOf(app)), ['400'])
    const response = await new TestApp(app).get('/', { headers: { Accept: 'image/png' } })
    assert.equal(response.status, 200)
  })

  it('do not require Location of 201', () => {
    assert.notEqual(operations['post /api/articles']?.responses[201]?.headers?.Location?.required, true)
  })
})

describe('static security of each action', () => {
  for (const [operation, security] of Object.entries({
    'get /api/articles': token,
    'get /api/articles/{id}': [{}, ...token],
    'post /api/articles/login': [],
  })) {
    it(`is in the document for ${operation}`, () => assert.deepEqual(operations[operation]?.security, security))
  }

  it('of a base class may name actions that the class lacks', async () => {
    class OthersController extends WSGIController {
      static security = { show: [] }
    }
    class TagsController extends OthersController {
      list() {
        return 'tags'
      }
    }
    const map = new Mapper().connect('/', { controller: 'tags', action: 'list' })
    const app = new FrameworkApp({ map, controllers: { tags: TagsController } })
    assert.equal((await new TestApp(app).get('/')).text, 'tags')
  })

  const wrong = [
    null,
    'token',
    { token: [] },
    [{ token: true }],
    [{ token: [1] }],
    { '*': 'token' },
    { index: { token: [] } },
    [token],
    5,
  ]
  for (const security of wrong) {
    it(`refuses a class with ${JSON.stringify(security)}`, async () => {
      class WrongController extends ArticlesController {
        static override security: unknown = security
      }
      const map = new Mapper().connect('/', { controller: 'wrong', action: 'index' })
      const app = new FrameworkApp({ map, controllers: { wrong: WrongController } })
      await assert.rejects(new TestApp(app).get('/'), /WrongController: static security has/)
    })
  }
})

describe('openapi.under', () => {
  it('describes the controllers of a folder, without it in tags and ids', async () => {
    const all = await operationsOf(application({ openapi: { under: 'api' } }))
    assert.deepEqual(
      Object.keys(all).map((key) => key.split(' ')[1]?.startsWith('/api/articles')),
      Array(5).fill(true),
    )
    const shown = all['get /api/articles/{id}']
    assert.deepEqual([shown?.operationId, shown?.tags], ['articles_show', ['articles']])
  })
  for (const under of ['', '/api', 'api/', 5]) {
    it(`refuses ${JSON.stringify(under)}`, () => {
      assert.throws(() => application({ openapi: { under: under as string } }), /the option under is/)
    })
  }
})

describe('openapi.transform', () => {
  const transform = (document: OpenAPIDocument): OpenAPIDocument => ({
    ...document,
    info: { ...document.info, title: 'Mine' },
  })

  it('returns the document that is served and that app.openapi() returns', async () => {
    const app = application({ openapi: { transform } })
    const served = (await new TestApp(app).get('/openapi.json')).json()
    assert.deepEqual(served, await app.openapi())
    assert.equal((await app.openapi())?.info.title, 'Mine')
  })

  it('returns the document of a mounted application, with its mount point', async () => {
    const inner = application({ openapi: { transform } })
    const map = new Mapper().connect('/mnt/{path_info:.*}', { controller: 'inner' })
    const outer = new FrameworkApp({ map, controllers: { inner: inner.wsgi } })
    const { info, servers } = (await new TestApp(outer).get('/mnt/openapi.json')).json() as OpenAPIDocument
    assert.deepEqual([info.title, servers], ['Mine', [{ url: '/mnt' }]])
  })

  it('receives a copy', async () => {
    let calls = 0
    const app = application({
      openapi: {
        transform(document) {
          calls++
          return Object.assign(document, { tags: [] })
        },
      },
    })
    const client = new TestApp(app)
    assert.deepEqual((await client.get('/openapi.json')).json(), (await client.get('/openapi.json')).json())
    assert.equal(calls, 1)
  })

  it('must return a document', async () => {
    const app = application({ openapi: { transform: () => undefined as unknown as OpenAPIDocument } })
    await assert.rejects(app.openapi(), /openapi\.transform returned undefined/)
  })
})

describe('app.openapi()', () => {
  it('returns a copy', async () => {
    const app = application()
    Object.assign((await app.openapi()) ?? {}, { paths: {} })
    assert.equal(Object.keys((await app.openapi())?.paths ?? {}).length, 9)
    assert.equal(Object.keys(await operationsOf(app)).length, 15)
  })

  it('is a method of the application of a controller', async () => {
    assert.equal((await new TestApp(application()).get('/document')).text, 'Articles')
  })
})

describe('the form of errors in a document', () => {
  interface Components {
    schemas: Record<string, { required?: string[] }>
    responses: Record<string, { content: Record<string, { schema?: { $ref: string } }> }>
  }
  const componentsOf = async (problems: ProblemsOption) =>
    ((await application({ problems }).openapi())?.components ?? {}) as Components

  it('has the schema and the content type', async () => {
    const schema = v.object({ errors: v.object({ body: v.array(v.string()) }) })
    const { schemas, responses } = await componentsOf({
      schema,
      contentType: 'application/vnd.api+json',
      body: () => null,
    })
    assert.deepEqual(responses.Problem?.content, {
      'application/vnd.api+json': { schema: { $ref: '#/components/schemas/Problem' } },
    })
    assert.deepEqual(schemas.Problem?.required, ['errors'])
  })

  it('is any JSON without a schema', async () => {
    const { schemas, responses } = await componentsOf({ body: () => null })
    assert.deepEqual(responses.Problem?.content, { 'application/json': {} })
    assert.equal(schemas.Problem, undefined)
  })
})
