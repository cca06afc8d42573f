/** Files of a form: `body(schema, { files })`. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, promises, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it, mock } from 'node:test'
import { FrameworkApp, Mapper, UploadedFile, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

const folder = mkdtempSync(join(tmpdir(), 'propylon-files-'))
after(() => rmSync(folder, { recursive: true }))

const PNG = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 6,
  0, 0, 0, 0x1f, 0x15, 0xc4, 0x89,
])

const Photo = v.object({
  title: v.pipe(v.string(), v.nonEmpty('must not be empty')),
  photo: v.instance(UploadedFile, 'is missing'),
  notes: v.optional(v.array(v.instance(UploadedFile)), []),
})
type Photo = v.InferOutput<typeof Photo>

/** Paths of the temporary files that actions have seen. */
let seen: string[] = []

class PhotosController extends WSGIController {
  static args = {
    create: {
      sent: body(Photo, {
        form: 'new',
        files: {
          photo: { maxSize: 100, types: ['image/png', 'text/*'] },
          notes: { maxSize: 10, count: 2 },
        },
      }),
    },
  }
  new() {
    return `form: ${JSON.stringify(this.c.formErrors)} ${JSON.stringify(this.c.formValues)}`
  }
  async create(sent: Photo) {
    const { photo, notes } = sent
    seen = [photo, ...notes].map(({ path }) => path)
    assert.ok(seen.every((path) => existsSync(path)))
    if (sent.title === 'kept') await photo.saveTo(join(folder, 'kept.png'))
    if (sent.title === 'failing') throw new Error('failed')
    return {
      size: photo.size,
      type: photo.contentType,
      name: photo.filename,
      notes: notes.length,
      path: photo.path,
    }
  }
}

const client = new TestApp(
  new FrameworkApp({
    map: new Mapper().connect('/photos', { controller: 'photos', action: 'create' }),
    controllers: { photos: PhotosController },
    logger: { info() {}, warn() {}, error() {} },
  }),
  { errors: 'page' },
)
const PROGRAM = { headers: { Accept: 'application/json' } }
const BROWSER = { headers: { Accept: 'text/html' } }

/** Returns a form with a title and files. */
function form(title: string, photo: File | undefined, ...notes: File[]): FormData {
  const data = new FormData()
  if (photo !== undefined) data.append('photo', photo)
  for (const note of notes) data.append('notes', note)
  data.append('title', title)
  return data
}

const png = (name = 'a.png', type = 'image/png') => new File([PNG], name, { type })
const text = (content: string, type = 'text/plain') => new File([content], 'note.txt', { type })

describe('a type of files that begin as another type', () => {
  class FilesController extends WSGIController {
    static args = {
      create: {
        sent: body(v.object({ file: v.instance(UploadedFile) }), {
          files: { file: { types: ['image/svg+xml', 'application/msword'] } },
        }),
      },
    }
    create(sent: { file: UploadedFile }) {
      return sent.file.contentType
    }
  }
  const app = new TestApp(
    new FrameworkApp({
      map: new Mapper().connect('/', { controller: 'files', action: 'create' }),
      controllers: { files: FilesController },
    }),
  )
  const upload = async (content: string | Uint8Array<ArrayBuffer>, type: string) => {
    const form = new FormData()
    form.append('file', new File([content], 'file', { type }))
    return app.post('/', form)
  }
  const SVG = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'
  const COMPOUND = Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...Array(600).fill(0)])

  it('is accepted as the type that the client declares', async () => {
    assert.equal((await upload(SVG, 'image/svg+xml')).text, 'image/svg+xml')
    assert.equal((await upload(COMPOUND, 'application/msword')).text, 'application/msword')
  })

  it('is refused if such files begin in another way', async () => {
    for (const [content, type] of [
      [PNG, 'image/svg+xml'],
      [COMPOUND, 'image/svg+xml'],
      [SVG, 'application/msword'],
      [SVG, 'application/xml'],
    ] as const) {
      assert.equal((await upload(content, type)).status, 400)
    }
  })
})

describe('a body with files', () => {
  beforeEach(() => {
    seen = []
  })

  it('gives the action files that are deleted when the request has ended', async () => {
    const response = await client.post('/photos', form('one', png(), text('x'), text('y')), PROGRAM)
    assert.equal(response.status, 200, response.text)
    const { path, ...rest } = response.json<{ path: string }>()
    assert.deepEqual(rest, { size: PNG.length, type: 'image/png', name: 'a.png', notes: 2 })
    assert.equal(seen.length, 3)
    assert.ok(!seen.some((file) => existsSync(file)))
    assert.ok(!existsSync(path))
  })

  it('keeps a file that the action moves', async () => {
    const response = await client.post('/photos', form('kept', png()), PROGRAM)
    assert.equal(response.json<{ path: string }>().path, join(folder, 'kept.png'))
    assert.deepEqual(new Uint8Array(readFileSync(join(folder, 'kept.png'))), PNG)
    assert.ok(!existsSync(seen[0] ?? ''))
  })

  it('deletes them if the action fails', async () => {
    assert.equal((await client.post('/photos', form('failing', png()), PROGRAM)).status, 500)
    assert.ok(seen.length === 1 && !existsSync(seen[0] ?? ''))
  })

  it('deletes them if an asynchronous converter refuses an argument of an action whose hook takes the body', async () => {
    const sent = body(Photo, { files: { photo: {} } })
    const never = v.pipeAsync(
      v.string(),
      v.checkAsync(async () => false, 'is not known'),
    )
    class GuardedController extends WSGIController {
      static args = { __before__: { sent }, create: { album: never, sent } }
      __before__(sent?: Photo) {
        assert.fail(sent?.title)
      }
      create(album: string, sent: Photo) {
        return { album, title: sent.title }
      }
    }
    const map = new Mapper().connect('/guarded', { controller: 'guarded', action: 'create' })
    const app = new FrameworkApp({ map, controllers: { guarded: GuardedController } })
    const read = mock.method(promises, 'mkdtemp')
    try {
      assert.equal((await new TestApp(app).post('/guarded?album=1', form('one', png()))).status, 400)
      assert.equal(read.mock.callCount(), 0)
    } finally {
      read.mock.restore()
    }
  })

  it('recognizes the type by the first bytes, whatever the client says', async () => {
    const { type } = (await client.post('/photos', form('one', png('a.txt', 'text/plain')), PROGRAM)).json<{
      type: string
    }>()
    assert.equal(type, 'image/png')
  })

  const refused: [label: string, data: FormData, errors: object[]][] = [
    [
      'a file that is too large',
      form('one', new File([PNG, new Uint8Array(100)], 'a.png', { type: 'image/png' })),
      [{ name: 'photo', detail: 'must not be larger than 100 bytes' }],
    ],
    [
      'a file of another type',
      form('one', new File(['%PDF-1.7 …'], 'a.pdf', { type: 'application/pdf' })),
      [{ name: 'photo', detail: 'must be image/png or text/*' }],
    ],
    [
      'a file that only claims its type',
      form('one', new File(['no picture'], 'a.png', { type: 'image/png' })),
      [{ name: 'photo', detail: 'must be image/png or text/*' }],
    ],
    [
      'too many files',
      form('one', png(), text('1'), text('2'), text('3'), text('4')),
      [{ name: 'notes', detail: 'may be 2 files at most' }],
    ],
    ['no file', form('one', undefined), [{ name: 'photo', detail: 'is missing' }]],
    [
      'errors of text and of files together',
      form('', new File([PNG, new Uint8Array(100)], 'a.png', { type: 'image/png' })),
      [
        { name: 'title', detail: 'must not be empty' },
        { name: 'photo', detail: 'must not be larger than 100 bytes' },
      ],
    ],
  ]
  for (const [label, data, errors] of refused) {
    it(`refuses ${label}`, async () => {
      const response = await client.post('/photos', data, PROGRAM)
      assert.equal(response.status, 400)
      assert.deepEqual(response.json<{ errors: object[] }>().errors, errors)
      assert.deepEqual(seen, [])
    })
  }

  it('shows the form again with the text that was typed behind a file that is too large', async () => {
    const data = form('typed', new File([new Uint8Array(5000)], 'a.png', { type: 'image/png' }))
    const response = await client.post('/photos', data, BROWSER)
    assert.equal(response.status, 400)
    assert.match(response.text, /^form: \{"photo":\["must not be larger than 100 bytes"\]\} \{"title":"typed"\}/)
  })

  it('shows browsers the form again for a form that is too large to be read', async () => {
    const data = form('typed', new File([new Uint8Array(17 * 2 ** 20)], 'a.png', { type: 'image/png' }))
    const shown = await client.post('/photos', data, BROWSER)
    assert.equal(shown.status, 413)
    assert.equal(shown.text, 'form: {"":["The body of the request is too large."]} undefined')
    const problem = await client.post('/photos', data, PROGRAM)
    assert.equal(problem.json<{ title: string }>().title, 'Content Too Large')
  })

  it('takes a text in the place of a file for none', async () => {
    const data = new FormData()
    data.append('photo', '/etc/passwd')
    data.append('title', 'one')
    const response = await client.post('/photos', data, PROGRAM)
    assert.deepEqual(response.json<{ errors: object[] }>().errors, [{ name: 'photo', detail: 'is missing' }])
  })

  it('is 415 as JSON and as another form, so that nobody sends a path', async () => {
    const sent = { title: 'one', photo: { path: '/etc/passwd' } }
    assert.equal((await client.postJson('/photos', sent, PROGRAM)).status, 415)
    const form = await client.post('/photos', { title: 'one', photo: 'x' }, PROGRAM)
    assert.equal(form.status, 415)
    assert.match(form.text, /must have the content type multipart\/form-data, but it has \\"application\/x-www-form/)
  })

  it('is multipart only in the OpenAPI document', async () => {
    class DocumentedController extends PhotosController {
      static results = { create: null }
      override async create(_sent: Photo): Promise<never> {
        throw new Error('not called')
      }
    }
    const map = new Mapper().connect('/photos', {
      controller: 'photos',
      action: 'create',
      conditions: { method: 'POST' },
    })
    const controllers = { photos: DocumentedController }
    const app = new FrameworkApp({ map, controllers, openapi: { title: 'Photos', version: '1' } })
    const document = JSON.stringify(await app.openapi())
    assert.match(document, /"content":\{"multipart\/form-data"/)
    assert.match(document, /"photo":\{"type":"string","format":"binary"/)
    assert.doesNotMatch(document, /x-www-form-urlencoded/)
  })
})

describe('rules for files', () => {
  const rows: [rule: object, reason: RegExp][] = [
    [{ types: ['png'] }, /files\.photo\.types is "png"\. Write media types such as 'image\/png'/],
    [{ types: ['*/*'] }, /files\.photo\.types is "\*\/\*"/],
    [{ count: 0 }, /files\.photo\.count is 0\. Write a number of files from 1/],
    [{ count: 1.5 }, /files\.photo\.count is 1\.5/],
    [{ maxSize: 0 }, /files\.photo\.maxSize is 0\. Write a number of bytes above 0/],
    [{ maxSize: Number.NaN }, /files\.photo\.maxSize is NaN/],
  ]
  for (const [rule, reason] of rows) {
    it(`are refused: ${reason.source}`, () => {
      assert.throws(() => body(Photo, { files: { photo: rule } }), reason)
    })
  }

  it('may leave the size open', () => {
    assert.doesNotThrow(() => body(Photo, { files: { photo: { maxSize: Number.POSITIVE_INFINITY } } }))
  })
})
