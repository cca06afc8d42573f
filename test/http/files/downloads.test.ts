import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { sendFile } from 'propylon/files'
import { compress } from 'propylon/middleware'
import { transports } from '../../wsgi/transports.ts'
import { folderOf } from './folder.ts'

const text = 'All work and no play makes Jack a dull boy. '.repeat(100)
const folder = folderOf({ 'notes.txt': text, 'public/app.css': text })

class FilesController extends WSGIController {
  download() {
    return sendFile(this.request, join(folder, 'notes.txt'), { attachment: true })
  }
  show() {
    return sendFile(this.request, join(folder, 'notes.txt'))
  }
}

const app = new FrameworkApp({
  map: new Mapper().connect('/{action}', { controller: 'files' }),
  controllers: { files: FilesController },
  public: join(folder, 'public'),
  middleware: [compress()],
})

const GZIP = ['Accept-Encoding', 'gzip'] as const

for (const { name, request } of transports) {
  describe(`files behind compress, ${name}`, () => {
    it('sends a download whole, with Accept-Ranges and its length', async () => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await request(app, { method, path: '/download', headers: [[...GZIP]] })
        assert.deepEqual(
          ['content-encoding', 'accept-ranges', 'content-length'].map((field) => answer.header(field)),
          [undefined, 'bytes', String(text.length)],
        )
        assert.equal(answer.text, method === 'GET' ? text : '')
      }
    })

    it('sends a range of a download, also with If-Range', async () => {
      const etag = (await request(app, { path: '/download', headers: [[...GZIP]] })).header('etag') ?? ''
      for (const condition of [[], [['If-Range', etag] as [string, string]]]) {
        const headers: [string, string][] = [[...GZIP], ['Range', 'bytes=4-7'], ...condition]
        const answer = await request(app, { path: '/download', headers })
        assert.deepEqual([answer.status, answer.text], [206, 'work'])
        assert.equal(answer.header('content-range'), `bytes 4-7/${text.length}`)
      }
    })

    it('answers 304 and 416 for a download', async () => {
      const etag = (await request(app, { path: '/download', headers: [[...GZIP]] })).header('etag') ?? ''
      const statuses = []
      for (const field of [['If-None-Match', etag] as const, ['Range', 'bytes=99999-'] as const]) {
        statuses.push((await request(app, { path: '/download', headers: [[...GZIP], [...field]] })).status)
      }
      assert.deepEqual(statuses, [304, 416])
    })

    for (const path of ['/show', '/static/app.css']) {
      it(`compresses the text ${path}`, async () => {
        const answer = await request(app, { path, headers: [[...GZIP]] })
        assert.equal(answer.header('content-encoding'), 'gzip')
        assert.ok(answer.body.length < text.length)
      })
    }
  })
}
