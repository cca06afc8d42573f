import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { attack } from '../../guards/attack.ts'
import type { Target } from '../../guards/requests.ts'
import { Client, describeWiki } from './wiki.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

/** Requests that need a user or an admin. */
const TARGETS: readonly Target[] = [
  ...['/admin/users', '/admin/users.json', '/admin/users?format=json'].map((path) => ({ path })),
  { path: '/admin/users/ann', method: 'DELETE' },
  { path: '/admin/users/ann', method: 'POST', contentType: FORM, body: '_method=DELETE' },
  { path: '/page', method: 'POST', contentType: FORM, body: 'title=Forged&content=x' },
  { path: '/page.json', method: 'POST', contentType: JSON_TYPE, body: '{"title":"Forged","content":"x"}' },
  { path: '/page/Kept', method: 'PUT', contentType: FORM, body: 'content=forged' },
  { path: '/page/Kept', method: 'POST', contentType: FORM, body: '_method=PUT&content=forged' },
  { path: '/page/Kept', method: 'DELETE' },
  { path: '/page/Kept', method: 'POST', contentType: FORM, body: '_method=DELETE' },
  { path: '/page/Kept/files/kept.txt', method: 'DELETE' },
  { path: '/page/Kept/files/kept.txt', method: 'POST', contentType: FORM, body: '_method=DELETE' },
  {
    path: '/rpc/wiki.putPage',
    method: 'POST',
    contentType: JSON_TYPE,
    body: '{"title":"Kept","content":"forged"}',
  },
  {
    path: '/rpc',
    method: 'POST',
    contentType: JSON_TYPE,
    body: '{"jsonrpc":"2.0","id":1,"method":"wiki.putPage","params":["Kept","forged"]}',
  },
]

describeWiki('guards of the wiki', (wiki) => {
  it('hold for other spellings of their paths, methods and header fields', async () => {
    const secret = `u${randomBytes(12).toString('hex')}`
    const ann = await Client.user(wiki(), 'ann')
    await Client.user(wiki(), secret)
    assert.equal((await ann.post('/page', { title: 'Kept', content: 'kept' })).status, 201)
    const upload = new FormData()
    upload.set('file', new File(['kept'], 'kept.txt'))
    assert.equal((await ann.post('/page/Kept/files', upload)).status, 201)
    const admin = await Client.signedIn(wiki())
    assert.ok((await admin.get('/admin/users')).text.includes(secret))
    const stateOf = async () => [
      (await admin.get('/page.json')).json,
      (await admin.get('/page/Kept.json')).json,
      (await admin.get('/page/Kept/files.json')).json,
      (await admin.get('/admin/users.json')).json,
    ]
    const before = await stateOf()

    const port = Number(new URL(wiki().url).port)
    const { shown, statuses } = await attack({ port, secret, targets: TARGETS }, { count: 1500 })

    assert.deepEqual(shown, [])
    assert.deepEqual(await stateOf(), before)
    const { 401: refused = 0, 403: crossSite = 0, 500: failed = 0 } = statuses
    assert.ok(refused + crossSite > 200, JSON.stringify(statuses))
    assert.equal(failed, 0)
  })
})
