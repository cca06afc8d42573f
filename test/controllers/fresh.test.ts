import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import type { Validators } from 'propylon/http'
import { createEnviron, run } from 'propylon/wsgi'

const MODIFIED = new Date('2026-03-01T12:00:00.500Z')
const BEFORE = 'Sun, 01 Mar 2026 11:59:59 GMT'
const SAME = 'Sun, 01 Mar 2026 12:00:00 GMT'

let current: Validators = {}

class PageController extends WSGIController {
  index() {
    this.response.headers.set('Vary', 'Accept')
    this.fresh(current)
    return 'the page'
  }

  __after__() {
    this.response.headers.set('X-After', 'ran')
  }
}

const app = new FrameworkApp({
  map: new Mapper().connect('/', { controller: 'page', action: 'index' }),
  controllers: { page: PageController },
})

async function answerOf(method: string, headers: Record<string, string>, validators: Validators) {
  current = validators
  const result = await run(app, createEnviron({ method, headers: Object.entries(headers) }))
  const fields = new Map(result.headers.map(([name, value]) => [name.toLowerCase(), value]))
  return { status: Number(result.status.slice(0, 3)), fields, text: await result.text() }
}

const strong: Validators = { etag: 'v1' }
const weak: Validators = { etag: 'W/"v1"' }
const dated: Validators = { lastModified: MODIFIED }

describe('fresh()', () => {
  const cases: [method: string, headers: Record<string, string>, validators: Validators, status: number][] = [
    ['GET', {}, strong, 200],
    ['GET', { 'If-None-Match': '"v1"' }, strong, 304],
    ['HEAD', { 'If-None-Match': '"v1"' }, strong, 304],
    ['GET', { 'If-None-Match': 'W/"v1"' }, strong, 304],
    ['GET', { 'If-None-Match': '"v0", "v1"' }, weak, 304],
    ['GET', { 'If-None-Match': '*' }, strong, 304],
    ['GET', { 'If-None-Match': '"v0"' }, strong, 200],
    ['GET', { 'If-None-Match': '"v0"', 'If-Modified-Since': SAME }, { ...strong, ...dated }, 200],
    ['GET', { 'If-Modified-Since': SAME }, dated, 304],
    ['GET', { 'If-Modified-Since': BEFORE }, dated, 200],
    ['GET', { 'If-Modified-Since': 'yesterday' }, dated, 200],
    ['GET', { 'If-Match': '"v0"' }, strong, 412],
    ['PUT', { 'If-Modified-Since': SAME }, dated, 200],
    ['PUT', { 'If-Match': '"v1"' }, strong, 200],
    ['PUT', { 'If-Match': '"v0"' }, strong, 412],
    ['DELETE', { 'If-Match': '"v0"' }, strong, 412],
    ['DELETE', { 'If-Match': 'W/"v1"' }, weak, 412],
    ['DELETE', { 'If-Match': '*' }, strong, 200],
    ['PUT', { 'If-Match': '*' }, { exists: false }, 412],
    ['PUT', { 'If-None-Match': '*' }, strong, 412],
    ['PUT', { 'If-None-Match': '*' }, { exists: false }, 200],
    ['PUT', { 'If-Unmodified-Since': BEFORE }, dated, 412],
    ['PUT', { 'If-Unmodified-Since': SAME }, dated, 200],
    ['PUT', { 'If-Match': '"v1"', 'If-Unmodified-Since': BEFORE }, { ...strong, ...dated }, 200],
  ]
  for (const [method, headers, validators, status] of cases) {
    it(`answers ${method} ${JSON.stringify(headers)} of ${JSON.stringify(validators)} with ${status}`, async () => {
      assert.equal((await answerOf(method, headers, validators)).status, status)
    })
  }

  it('sets the validators of a page', async () => {
    const { fields } = await answerOf('GET', {}, { etag: 'v1', lastModified: MODIFIED })
    assert.deepEqual([fields.get('etag'), fields.get('last-modified')], ['"v1"', SAME])
  })

  it('sets only the validators that there are, also for HEAD', async () => {
    for (const method of ['GET', 'HEAD']) {
      const tagged = await answerOf(method, {}, strong)
      assert.deepEqual([tagged.fields.get('etag'), tagged.fields.get('last-modified')], ['"v1"', undefined])
      const { fields } = await answerOf(method, {}, dated)
      assert.deepEqual([fields.get('etag'), fields.get('last-modified')], [undefined, SAME])
    }
  })

  it('sends validators, other headers and no body with a 304, and runs __after__', async () => {
    const { fields, text } = await answerOf('GET', { 'If-None-Match': '"v1"' }, strong)
    assert.deepEqual(
      [fields.get('etag'), fields.get('vary'), fields.get('x-after'), text],
      ['"v1"', 'Accept', 'ran', ''],
    )
  })

  it('sends the current entity tag with a 412', async () => {
    assert.equal((await answerOf('PUT', { 'If-Match': '"v0"' }, strong)).fields.get('etag'), '"v1"')
  })

  it('does not send the entity tag of the version that a PUT replaces', async () => {
    assert.equal((await answerOf('PUT', { 'If-Match': '"v1"' }, strong)).fields.get('etag'), undefined)
  })
})
