/** The guide's code for files in storage with the API of S3, with a server that has it. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FrameworkApp, Mapper, type WSGIController } from 'propylon'
import { TestApp } from 'propylon/testing'
import { pageAt } from '../docs/blocks.ts'
import { folderWithPackages, layOut } from '../docs/layout.ts'
import { requireOf } from '../packages/packages.ts'

interface Server {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}
type ServerClass = new (options: object) => Server
const S3rver: ServerClass = requireOf('storage')('s3rver')

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

describe('files in storage with the API of S3', () => {
  const directory = mkdtempSync(join(tmpdir(), 'propylon-storage-'))
  const folder = folderWithPackages()
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'shop' }],
  })
  let client: TestApp
  let port: number
  const deleting: { deleteFile?: (key: string) => Promise<void> } = {}

  /** Imports the blocks of the guide, for the storage at a URL. */
  async function importBlocks(url: string, key: string): Promise<TestApp> {
    Object.assign(process.env, { S3_URL: url, S3_KEY: key, S3_SECRET: 'S3RVER' })
    const page = pageAt('docs/guides/scaling.md')
    const block = page.blocks.find(({ file }) => file === 'controllers/photos.ts')
    assert.ok(block)
    const path = layOut(join(folder, crypto.randomUUID()), page, block)
    const { PhotosController }: { PhotosController: new () => WSGIController } = await import(pathToFileURL(path).href)
    Object.assign(deleting, await import(pathToFileURL(join(dirname(path), '../lib/storage.ts')).href))
    const map = new Mapper()
      .connect('/photos', { controller: 'photos', action: 'create', conditions: { method: 'POST' } })
      .connect('/photos/{id}', { controller: 'photos', action: 'show' })
    const logger = { info() {}, warn() {}, error() {} }
    return new TestApp(new FrameworkApp({ map, controllers: { photos: PhotosController }, logger }))
  }

  function upload(app: TestApp) {
    const form = new FormData()
    form.append('photo', new File([PNG], '../a photo.png', { type: 'text/html' }))
    return app.post('/photos', form, { headers: { accept: 'text/html' } })
  }

  before(async () => {
    port = (await server.run()).port
    client = await importBlocks(`http://127.0.0.1:${port}/shop`, 'S3RVER')
  })
  after(async () => {
    await server.close()
    for (const path of [directory, folder]) rmSync(path, { recursive: true })
  })

  it('stores an uploaded file, sends it, and deletes it', async () => {
    const { status, headers } = await upload(client)
    const location = headers.get('location') ?? ''
    assert.deepEqual([status, location.slice(0, 8)], [303, '/photos/'])
    const shown = await client.get(location)
    assert.deepEqual(Buffer.from(shown.body), PNG)
    const sent = ['content-type', 'content-length', 'x-content-type-options'].map((name) => shown.headers.get(name))
    assert.deepEqual(sent, ['image/png', String(PNG.length), 'nosniff'])
    const id = location.slice('/photos/'.length)
    await deleting.deleteFile?.(id)
    await deleting.deleteFile?.(id)
    assert.equal((await client.get(location, { headers: { accept: 'text/html' } })).status, 404)
  })

  for (const [title, path, key, status] of [
    ['a bucket that does not exist', 'other', 'S3RVER', 404],
    ['a key that the storage does not know', 'shop', 'OTHER', 403],
  ] as const) {
    it(`fails for ${title}`, async () => {
      const app = await importBlocks(`http://127.0.0.1:${port}/${path}`, key)
      await assert.rejects(upload(app), new RegExp(`The storage answered PUT .* with ${status}$`))
    })
  }
})
