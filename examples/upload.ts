// Uploads that are streamed to disk, and sent back: curl -F file=@photo.jpg http://127.0.0.1:5000/
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { abort, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { uuid } from 'propylon/converters'
import { sendFile } from 'propylon/files'
import { serve } from 'propylon/node'

const folder = await mkdtemp(join(tmpdir(), 'uploads-'))
const limits = { file: 50_000_000, total: 51_000_000, parts: 10 }

class FilesController extends WSGIController {
  static args = { show: { id: uuid } }

  /** GET / */
  index() {
    return '<form method="post" enctype="multipart/form-data"><input type="file" name="file"><button>Send</button></form>'
  }

  /** POST /: files are named by the server, never by the client. Beyond a limit the response is 413. */
  async create() {
    const files: { name: string; url: string }[] = []
    for await (const part of this.request.parts(limits)) {
      if (part.filename === undefined) continue
      const id = crypto.randomUUID()
      await part.saveTo(join(folder, id))
      files.push({ name: part.filename, url: this.url('file', { id }) })
    }
    if (files.length === 0) abort(400, 'The form has no file.')
    this.response.status = 201
    return { files }
  }

  /** GET /files/ID */
  show(id: string) {
    return sendFile(this.request, join(folder, id), { attachment: true })
  }
}

const app = new FrameworkApp({
  map: new Mapper()
    .connect('/', { controller: 'files', action: 'index', conditions: { method: ['GET'] } })
    .connect('/', { controller: 'files', action: 'create', conditions: { method: ['POST'] } })
    .connect('file', '/files/{id}', { controller: 'files', action: 'show' }),
  controllers: { files: FilesController },
})
app.onShutdown(() => rm(folder, { recursive: true }))
const server = await serve(app, { port: Number(process.env.PORT || 5000) })
console.log(server.url)
