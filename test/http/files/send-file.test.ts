import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parse } from 'content-disposition'
import fc from 'fast-check'
import { FrameworkApp, HTTPNotFound, Mapper, Request, Response, WSGIController } from 'propylon'
import { type SendFileOptions, sendFile } from 'propylon/files'
import { createEnviron, type HeaderPair, run } from 'propylon/wsgi'
import { transports } from '../../wsgi/transports.ts'
import { folderOf } from './folder.ts'

const folder = folderOf({
  'report.txt': '0123456789',
  'photo.png': 'png',
  'long.bin': new Uint8Array(300_000),
  'sub/x': '',
})
const report = join(folder, 'report.txt')

const requestWith = (headers: readonly HeaderPair[] = [], method = 'GET') =>
  new Request(createEnviron({ url: '/', headers: [...headers], method }))
const respond = (options?: SendFileOptions, headers?: readonly HeaderPair[], method?: string) =>
  sendFile(requestWith(headers, method), report, options)

describe('sendFile', () => {
  it('resolves to a Response with the file', async () => {
    for (const path of [report, pathToFileURL(report)]) {
      const response = await sendFile(requestWith(), path)
      assert.ok(response instanceof Response)
      assert.equal(response.status, 200)
      assert.equal(response.contentType, 'text/plain; charset=utf-8')
      assert.equal(response.headers.get('content-disposition'), undefined)
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      assert.equal(response.cacheControl, 'no-cache')
      assert.equal(await (await run(response, createEnviron())).text(), '0123456789')
    }
  })

  it('is returned by an action', async () => {
    class FilesController extends WSGIController {
      show(id: string) {
        this.response.headers.set('X-Own', 'yes')
        return sendFile(this.request, join(folder, id), { attachment: true })
      }
    }
    const app = new FrameworkApp({
      map: new Mapper().connect('/{controller}/{action}/{id}'),
      controllers: { files: FilesController },
    })
    for (const { request } of transports) {
      const answer = await request(app, { path: '/files/show/long.bin' })
      assert.deepEqual([answer.status, answer.body.length], [200, 300_000])
      assert.equal(answer.header('content-length'), '300000')
      assert.equal(answer.header('x-own'), 'yes')
      assert.equal((await request(app, { path: '/files/show/missing.bin' })).status, 404)
      const part = await request(app, { path: '/files/show/long.bin', headers: [['Range', 'bytes=-5']] })
      assert.deepEqual([part.status, part.body.length], [206, 5])
      const head = await request(app, { path: '/files/show/long.bin', method: 'HEAD' })
      assert.deepEqual([head.body.length, head.header('content-length')], [0, '300000'])
      const headers: HeaderPair[] = [['If-None-Match', answer.header('etag') ?? '']]
      assert.equal((await request(app, { path: '/files/show/long.bin', headers })).status, 304)
    }
  })

  it('throws HTTPNotFound for a missing file, a directory and a path with a NUL', async () => {
    for (const path of ['missing', 'sub', 'report.txt/x', 'report.txt\0'].map((name) => join(folder, name))) {
      await assert.rejects(sendFile(requestWith(), path), HTTPNotFound)
    }
  })

  it('answers a condition, a range and a wrong range', async () => {
    const etag = (await respond()).etag ?? ''
    assert.equal((await respond({}, [['If-None-Match', etag]])).status, 304)
    assert.equal((await respond({}, [['If-Match', '"other"']])).status, 412)
    const part = await respond({}, [['Range', 'bytes=2-4']])
    assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 2-4/10'])
    const wrong = await respond({}, [['Range', 'bytes=10-']])
    assert.deepEqual([wrong.status, wrong.headers.get('content-range')], [416, 'bytes */10'])
  })

  it('sends the whole file in reply to a POST', async () => {
    assert.equal((await respond({}, [['Range', 'bytes=2-4']], 'POST')).status, 200)
  })

  it('sets the type for the name, or the given one', async () => {
    assert.equal((await respond({ filename: 'a.pdf' })).contentType, 'application/pdf')
    assert.equal((await respond({ contentType: 'text/csv' })).contentType, 'text/csv')
    assert.equal((await respond({ filename: 'a.pdf', contentType: 'x/y' })).contentType, 'x/y')
  })

  it('lets the browser, and no shared cache, keep the file for maxAge', async () => {
    assert.equal((await respond({ maxAge: 60 })).cacheControl, 'private, max-age=60')
    await assert.rejects(respond({ maxAge: 1.5 }), TypeError)
  })
})

describe('Content-Disposition', () => {
  const dispositionOf = async (options: SendFileOptions) => (await respond(options)).headers.get('content-disposition')

  it('is attachment with the name of the file by default', async () => {
    assert.equal(await dispositionOf({ attachment: true }), 'attachment; filename=report.txt')
  })

  it('is inline with a name unless attachment is set', async () => {
    assert.equal(await dispositionOf({ filename: 'a b.txt' }), 'inline; filename="a b.txt"')
  })

  it('has a name that is not ASCII in both forms', async () => {
    assert.equal(
      await dispositionOf({ attachment: true, filename: 'Überblick – 2€.pdf' }),
      `attachment; filename="?berblick ? 2?.pdf"; filename*=UTF-8''%C3%9Cberblick%20%E2%80%93%202%E2%82%AC.pdf`,
    )
  })

  it('keeps quotes and control characters within the name', async () => {
    assert.equal(
      await dispositionOf({ attachment: true, filename: 'a"; filename="b\r\nSet-Cookie: c=d' }),
      'attachment; filename="a\\"; filename=\\"b__Set-Cookie: c=d"',
    )
  })

  it('contains any name unchanged, apart from control characters and lone surrogates', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (filename) => {
        const header = (await dispositionOf({ attachment: true, filename })) ?? ''
        assert.match(header, /^[\x20-\x7e]*$/)
        assert.equal(parse(header).parameters.filename, filename.toWellFormed().replace(/\p{Cc}/gu, '_'))
      }),
    )
  })
})
