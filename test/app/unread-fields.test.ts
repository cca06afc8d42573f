import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { toFetch } from 'propylon/fetch'

describe('a GET request to fetch', () => {
  it('has its header fields and its address unread after a page with a URL, the path and the query', async () => {
    const door = class extends WSGIController {
      index() {
        return this.render('door', { query: this.request.query.get('q') })
      }
    }
    const app = new FrameworkApp({
      map: new Mapper().connect('/{controller}/{action}'),
      controllers: { door },
      templates: { 'door.eta': "<%= it.url('/there') %> <%= it.request.path %> <%= it.query %>" },
    })
    const read: string[] = []
    const request = new Request('http://h/door/index?q=1', { headers: { Accept: 'text/html' } })
    Object.defineProperty(request.headers, 'forEach', { value: () => void read.push('fields') })
    const server = { requestIP: () => void read.push('address') }
    const response = await toFetch(app)(request, server)
    assert.equal(await response.text(), '/there /door/index 1')
    assert.deepEqual(read, [])
  })
})
