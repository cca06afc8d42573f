import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toFetch } from 'propylon/fetch'
import type { WSGIApplication } from 'propylon/wsgi'

// The file has one test, because only the first host of a process is checked without a remembered one.
it('refuses an empty Host field in the first request of a process', async () => {
  const app: WSGIApplication = (_environ, start_response) => {
    start_response('200 OK', [])
    return []
  }
  const request = new Request('http://localhost/', { headers: { Host: '' } })
  assert.equal((await toFetch(app)(request)).status, 400)
})
