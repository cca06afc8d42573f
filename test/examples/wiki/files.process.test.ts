import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { BROWSER, Client, describeWiki } from './wiki.ts'

describeWiki('files of the wiki', (wiki, place) => {
  let admin: Client
  let ann: Client
  let bob: Client
  let visitor: Client
  const path = '/page/FrontPage/files'

  before(async () => {
    admin = await Client.signedIn(wiki())
    ann = await Client.user(wiki(), 'ann')
    bob = await Client.user(wiki(), 'bob')
    visitor = new Client(wiki(), { accept: 'application/json' })
  })

  function form(name: string, content: string | Uint8Array<ArrayBuffer> = 'content', type = 'text/plain'): FormData {
    const data = new FormData()
    data.append('comment', 'ignored')
    data.append('file', new File([content], name, { type }))
    return data
  }

  const stored = async () => (await readdir(place().variables.UPLOADS ?? '')).length

  it('attaches a file, lists it and sends it', async () => {
    const { status, headers } = await ann.post(path, form('Übersicht "1".txt', 'Grüße'))
    const link = `${path}/%C3%9Cbersicht%20%221%22.txt`
    assert.deepEqual([status, headers.get('location')], [201, link])
    const { files } = (await visitor.get(path)).json
    assert.deepEqual(files, [{ name: 'Übersicht "1".txt', size: 7, type: 'text/plain', link }])
    const file = await visitor.get(link)
    assert.equal(file.text, 'Grüße')
    assert.equal(file.headers.get('content-type'), 'text/plain')
    assert.equal(file.headers.get('x-content-type-options'), 'nosniff')
    const disposition = file.headers.get('content-disposition') ?? ''
    assert.match(disposition, /^attachment; .*filename\*=UTF-8''%C3%9Cbersicht%20%221%22\.txt/)
    assert.equal((await ann.post(path, form('Übersicht "1".txt'))).status, 409)
  })

  for (const [name, status] of [
    ['plain.txt', 201],
    ['.hidden', 201],
    ['a b;c%.txt', 201],
    ['ü'.repeat(127), 201],
    ['ü'.repeat(128), 400],
    ['x'.repeat(256), 400],
    ['a/b', 400],
    ['a\\b', 400],
    ['..', 400],
    ['.', 400],
    ['a\u0001b', 400],
    ['a\u0085b', 400],
  ] as const) {
    it(`answers ${status} to the name ${JSON.stringify(name.slice(0, 20))}`, async () => {
      const count = await stored()
      const { status: actual, headers } = await ann.post(path, form(name))
      assert.equal(actual, status)
      assert.equal(await stored(), count + Number(status === 201))
      if (status === 201) assert.equal((await visitor.get(headers.get('location') ?? '')).text, 'content')
    })
  }

  it('is 400 without a file, 404 for a missing page, 415 for another type, and leaves nothing', async () => {
    const count = await stored()
    const empty = new FormData()
    empty.append('comment', 'x')
    assert.equal((await ann.post(path, empty)).status, 400)
    assert.equal((await ann.post(path, form(''))).status, 400)
    assert.equal((await ann.post('/page/Missing/files', form('a'))).status, 404)
    assert.equal((await ann.post(path, { file: 'x' })).status, 415)
    assert.equal(await stored(), count)
  })

  it('is 413 beyond MAX_UPLOAD, and leaves nothing', async () => {
    const count = await stored()
    assert.equal((await ann.post(path, form('large', new Uint8Array(200_001)))).status, 413)
    assert.equal(await stored(), count)
    assert.equal((await ann.post(path, form('limit', new Uint8Array(200_000)))).status, 201)
  })

  it('leaves nothing of an upload that is abandoned', async () => {
    const count = await stored()
    const { hostname, port } = new URL(wiki().url)
    const socket = connect(Number(port), hostname)
    const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ')
    const body = `--x\r\nContent-Disposition: form-data; name="file"; filename="gone"\r\n\r\n${'x'.repeat(1000)}`
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n${body}`,
    )
    while ((await stored()) === count) await setTimeout(5)
    socket.destroy()
    while ((await stored()) > count) await setTimeout(5)
    assert.equal((await visitor.get(`${path}/gone`)).status, 404)
  })

  it('answers 404 if the page is deleted during the upload', async () => {
    const count = await stored()
    await ann.post('/page', { title: 'Short-lived', content: '' })
    const [start, end] = [
      '--x\r\nContent-Disposition: form-data; name="file"; filename="late"\r\n\r\nx',
      '\r\n--x--\r\n',
    ]
    async function* body() {
      yield Buffer.from(start)
      while ((await stored()) === count) await setTimeout(5)
      assert.equal((await admin.delete('/page/Short-lived')).status, 303)
      yield Buffer.from(end)
    }
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const { status } = await ann.send('POST', '/page/Short-lived/files', { headers, body: body() })
    assert.equal(status, 404)
    assert.equal(await stored(), count)
  })

  it('lets one of several uploads of a name win', async () => {
    const count = await stored()
    const uploads = await Promise.all([1, 2, 3, 4].map(() => ann.post(path, form('race'))))
    assert.deepEqual(uploads.map(({ status }) => status).sort(), [201, 409, 409, 409])
    assert.equal(await stored(), count + 1)
  })

  for (const [type, disposition] of [
    ['image/png', 'inline'],
    ['image/jpeg', 'inline'],
    ['image/gif', 'inline'],
    ['image/webp', 'inline'],
    ['image/avif', 'inline'],
    ['image/svg+xml', 'attachment'],
    ['text/html', 'attachment'],
    ['application/pdf', 'attachment'],
    ['', 'attachment'],
  ] as const) {
    it(`sends ${type || 'no type'} ${disposition}`, async () => {
      const { headers } = await ann.post(path, form(`of ${type.replace('/', ' ')}`, 'x', type))
      const file = await visitor.get(headers.get('location') ?? '')
      assert.match(file.headers.get('content-disposition') ?? '', new RegExp(`^${disposition};`))
      assert.equal(file.headers.get('content-type'), type || 'application/octet-stream')
      assert.equal(file.headers.get('x-content-type-options'), 'nosniff')
    })
  }

  describe('a file', () => {
    const link = `${path}/ranges.txt`
    const content = '0123456789'.repeat(500)
    before(() => ann.post(path, form('ranges.txt', content)))

    it('has ranges and validators', async () => {
      const { headers } = await visitor.get(link, { 'accept-encoding': 'identity' })
      const etag = headers.get('etag') ?? ''
      const modified = headers.get('last-modified') ?? ''
      assert.equal(headers.get('accept-ranges'), 'bytes')
      for (const [sent, status, text] of [
        [{ range: 'bytes=0-4' }, 206, '01234'],
        [{ range: 'bytes=-3' }, 206, '789'],
        [{ range: 'bytes=4995-' }, 206, '56789'],
        [{ range: 'bytes=5000-' }, 416, undefined],
        [{ range: 'bytes=0-1,4-5' }, 200, content],
        [{ range: 'lines=1' }, 200, content],
        [{ range: 'bytes=0-4', 'if-range': etag }, 206, '01234'],
        [{ range: 'bytes=0-4', 'if-range': modified }, 206, '01234'],
        [{ range: 'bytes=0-4', 'if-range': '"x"' }, 200, content],
        [{ 'if-none-match': etag }, 304, ''],
        [{ 'if-modified-since': modified }, 304, ''],
      ] as const) {
        const answer = await visitor.get(link, { 'accept-encoding': 'identity', ...sent })
        assert.equal(answer.status, status, JSON.stringify(sent))
        if (text !== undefined) assert.equal(answer.text, text)
      }
      const head = await visitor.send('HEAD', link, { headers: { 'accept-encoding': 'identity' } })
      assert.deepEqual([head.text, head.headers.get('content-length')], ['', '5000'])
    })

    it('keeps its ranges for a client that accepts compression', async () => {
      const { headers } = await visitor.get(link, { 'accept-encoding': 'gzip, br' })
      assert.equal(headers.get('accept-ranges'), 'bytes')
      const part = await visitor.get(link, { 'accept-encoding': 'gzip', range: 'bytes=0-4' })
      assert.deepEqual([part.status, part.text], [206, '01234'])
    })
  })

  describe('DELETE', () => {
    it('is for the author and admins', async () => {
      const count = await stored()
      await ann.post(path, form('one'))
      await ann.post(path, form('two'))
      assert.equal((await bob.delete(`${path}/one`)).status, 403)
      assert.equal((await ann.delete(`${path}/one`)).status, 204)
      assert.equal((await visitor.get(`${path}/one`)).status, 404)
      const answer = await admin.post(`${path}/two`, { _method: 'DELETE' })
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, path])
      assert.equal((await ann.delete(`${path}/two`)).status, 404)
      assert.equal(await stored(), count)
    })

    it('of a page removes its files', async () => {
      const count = await stored()
      await ann.post('/page', { title: 'With files', content: '' })
      await ann.post('/page/With%20files/files', form('x'))
      assert.equal(await stored(), count + 1)
      assert.equal((await admin.send('DELETE', '/page/With%20files', { headers: { accept: '*/*' } })).status, 204)
      assert.equal(await stored(), count)
    })
  })

  it('leads a browser back to the files', async () => {
    const browser = await Client.signedIn(wiki(), 'bob', 'correct horse')
    const { status, headers } = await browser.post(path, form('by browser'))
    assert.deepEqual([status, headers.get('location')], [303, path])
    assert.match((await browser.get(path)).text, /Attached “by browser”/)
    const { text } = await new Client(wiki(), { accept: BROWSER }).get(path)
    assert.doesNotMatch(text, /_method/)
  })
})
