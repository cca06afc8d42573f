// Change this file until it fails the way you describe. Run: npm install && npm test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { TestApp } from 'propylon/testing'

class PagesController extends WSGIController {
  show(id: string) {
    return { id }
  }
}

const app = new FrameworkApp({
  map: new Mapper().connect('page', '/pages/{id}', { controller: 'pages', action: 'show' }),
  controllers: { pages: PagesController },
})

test('answers as documented', async () => {
  const response = await new TestApp(app).get('/pages/7')
  assert.equal(response.status, 200)
  assert.deepEqual(response.json(), { id: '7' })
})
