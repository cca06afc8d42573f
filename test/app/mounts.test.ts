import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import express from 'express'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { forwardTo } from 'propylon/fetch'
import { staticFiles } from 'propylon/files'
import { fromConnect, serve } from 'propylon/node'
import { TestApp } from 'propylon/testing'
import type { WSGIApplication } from 'propylon/wsgi'

class HomeController extends WSGIController {
  index() {
    return `${this.request.url} ${this.url('home')}`
  }
}

const framework = new FrameworkApp({
  map: new Mapper().connect('home', '/', { controller: 'home', action: 'index' }),
  controllers: { home: HomeController },
})

const echo: WSGIApplication = ({ SCRIPT_NAME, PATH_INFO }, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [JSON.stringify([SCRIPT_NAME, PATH_INFO])]
}

const site = express()
site.get('/', (req, res) => void res.send(`${req.baseUrl}|${req.url}|${req.originalUrl}`))

const client = new TestApp(
  new FrameworkApp({
    map: new Mapper()
      .connect('/echo/{path_info:.*}', { controller: 'echo' })
      .connect('/framework/{path_info:.*}', { controller: 'framework' })
      .connect('/files/{path_info:.*}', { controller: 'files' })
      .connect('/express/{path_info:.*}', { controller: 'express' })
      .connect('/{controller}', { action: 'index' }),
    controllers: {
      echo,
      framework: framework.wsgi,
      files: staticFiles(new URL('.', import.meta.url)),
      express: fromConnect(site),
    },
  }),
)

describe('a mounted application', () => {
  const table: [path: string, status: number, text: string | undefined][] = [
    ['/echo', 200, '["/echo",""]'],
    ['/echo/', 200, '["/echo","/"]'],
    ['/echo/a%2Fb/', 200, '["/echo","/a/b/"]'],
    ['/framework', 200, 'http://localhost/framework /framework/'],
    ['/framework/', 200, 'http://localhost/framework/ /framework/'],
    ['/express', 200, '/express|/|/express'],
    ['/express?x=1', 200, '/express|/?x=1|/express?x=1'],
    ['/express/', 200, '/express|/|/express/'],
    ['/files', 404, undefined],
    ['/files/', 404, undefined],
    ['/files/mounts.test.ts', 200, undefined],
  ]
  for (const [path, status, expected] of table) {
    it(`receives ${path}`, async () => {
      const { text } = await client.get(path, { status })
      if (expected !== undefined) assert.equal(text, expected)
    })
  }
})

describe('a mount point with an encoded slash', () => {
  class PlaceController extends WSGIController {
    index() {
      const { request } = this
      const url = this.url('place', { name: 'q' })
      return {
        url,
        localPath: request.localPath(url) ?? null,
        pathAndQuery: request.pathAndQuery,
        requestURL: request.url,
      }
    }
    cookie() {
      this.session.set('seen', 'yes')
      return this.app.asset('mounts.test.ts', this.request.environ).replace(/\?.*/, '')
    }
  }

  const inner = new FrameworkApp({
    map: new Mapper({ trailingSlash: 'redirect' })
      .connect('cookie', '/cookie', { controller: 'place', action: 'cookie' })
      .redirect('/old', '/new')
      .connect('place', '/{name}', { controller: 'place', action: 'index' }),
    controllers: { place: PlaceController },
    public: new URL('.', import.meta.url),
    session: { secret: 'a secret of more than thirty-two characters' },
    openapi: { title: 'Places', version: '1' },
  })
  const outer = new TestApp(
    new FrameworkApp({
      map: new Mapper().connect('/t/{tenant}/{path_info:.*}', { controller: 'inner' }),
      controllers: { inner: inner.wsgi },
    }),
  )

  for (const mount of ['/t/a%2Fb', '/t/%3F%25%2F', '/t/caf%C3%A9%2F%F0%9F%90%8D']) {
    it(`stays as it is in the URLs of ${mount}`, async () => {
      const linked = await outer.get(`${mount}/link?x=1`)
      assert.deepEqual(linked.json(), {
        url: `${mount}/q`,
        localPath: `${mount}/q`,
        pathAndQuery: `${mount}/link?x=1`,
        requestURL: `http://localhost${mount}/link?x=1`,
      })
      const { headers } = await outer.get(`${mount}/link/?x=1`, { status: 301 })
      assert.equal(headers.get('location'), `${mount}/link?x=1`)
      const moved = await outer.get(`${mount}/old`, { status: 302 })
      assert.equal(moved.headers.get('location'), `${mount}/new`)
      const page = await outer.get(`${mount}/cookie`)
      assert.equal(page.text, `${mount}/static/mounts.test.ts`)
      assert.match(page.headers.get('set-cookie') ?? '', new RegExp(`; Path=${mount};`))
      const document = await outer.get(`${mount}/openapi.json`)
      assert.deepEqual(Reflect.get(Object(document.json()), 'servers'), [{ url: mount }])
    })
  }

  it('has the usual spelling where the client has percent-encoded more than it needs', async () => {
    const page = await outer.get('/%74/%61%2fb/link')
    assert.equal(Reflect.get(Object(page.json()), 'url'), '/t/a%2Fb/q')
  })

  it('stays as it is in the prefix that forwardTo sends, and in the prefix of a proxy', async () => {
    const server = await serve(inner, { port: 0, trustProxy: ['127.0.0.1'] })
    try {
      const app = new TestApp(
        new FrameworkApp({
          map: new Mapper().connect('/t/{tenant}/{path_info:.*}', { controller: 'old' }),
          controllers: { old: forwardTo(server.url) },
        }),
      )
      const page = await app.get('/t/a%2Fb/link')
      assert.equal(Reflect.get(Object(page.json()), 'url'), '/t/a%2Fb/q')
      assert.equal(Reflect.get(Object(page.json()), 'pathAndQuery'), '/t/a%2Fb/link')
    } finally {
      await server.close()
    }
  })
})
