import assert from 'node:assert/strict'
import { it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { createEnviron, type Environ, run, type StartResponse } from 'propylon/wsgi'

it('names __call__ to a base class that prepares the request there', async () => {
  class PagesController extends WSGIController {
    override __call__(environ: Environ, start_response: StartResponse) {
      this.c.user = 'ann'
      return super.__call__(environ, start_response)
    }
    index() {
      return 'page'
    }
  }
  const map = new Mapper().connect('/', { controller: 'pages', action: 'index' })
  const app = new FrameworkApp({ map, controllers: { pages: PagesController } })
  await assert.rejects(run(app.wsgi, createEnviron()), /__call__ before it calls super\.__call__\(\)/)
})
