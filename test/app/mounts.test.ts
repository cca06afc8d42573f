import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import express from 'express'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { staticFiles } from 'propylon/files'
import { fromConnect } from 'propylon/node'
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
