import { abort } from 'propylon'
import { sendFile } from 'propylon/files'
import { parseMediaType } from 'propylon/http'
import * as v from 'valibot'
import { settings } from '../config/settings.ts'
import { BaseController } from '../lib/base.ts'
import { FileResult } from '../lib/results.ts'
import { type AttachedFile, addFile, checkFileName, filesOf, findFile, pathOf, removeFile } from '../model/files.ts'
import type { Page } from '../model/pages.ts'

/** Types that browsers show. Everything else is downloaded: HTML, for instance, would run scripts as this site. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

/** The files that are attached to a page. */
export class FilesController extends BaseController {
  static results = { index: v.object({ files: v.array(FileResult) }), create: FileResult, delete: null }
  static pages = { index: 'files/index' }
  static statuses = { create: 201 }

  /** Lists the files of a page by name. */
  async index(title: string) {
    const page = await this._findPage(title)
    const files = (await filesOf(page)).map((file) => ({ ...file, link: this.#linkTo(page, file.name) }))
    return { title: page.title, files }
  }

  /**
   * Attaches a file, which is written as it arrives.
   *
   * @throws HTTPBadRequest - the form has no file, or the name of the file is refused.
   * @throws HTTPConflict - the page has a file with this name, at the URL in `Location`.
   * @throws HTTPRequestEntityTooLarge - the file is larger than MAX_UPLOAD.
   * @throws HTTPUnsupportedMediaType - the body is not multipart/form-data.
   */
  async create(title: string) {
    const page = await this._findPage(title)
    for await (const part of this.request.parts({ file: settings.MAX_UPLOAD })) {
      if (part.name !== 'file' || part.filename === undefined) continue
      const name = part.filename.replaceAll('%22', '"')
      const problem = checkFileName(name)
      if (problem !== undefined) abort(400, problem)
      if ((await findFile(page, name)) !== undefined) this.#taken(page, name)
      const type = parseMediaType(part.contentType) === undefined ? 'application/octet-stream' : part.contentType
      const author = this._requireUser().name
      const file = await addFile(page, { name, type, author }, async (path) => {
        await part.saveTo(path)
        // The page may have been deleted during the upload.
        await this._findPage(title)
      })
      if (file === undefined) this.#taken(page, name)
      if (this._isBrowser) return this._done(this.url('files', { title: page.title }), `Attached “${name}”.`)
      const link = this.#linkTo(page, name)
      this.response.headers.set('location', link)
      return { ...file, link }
    }
    return abort(400, 'Choose a file: the form has no file in the field "file".')
  }

  /** GET /page/TITLE/files/NAME: the file. url('file', { title, name }) */
  async show(title: string, name: string) {
    const file = await this.#find(title, name)
    const attachment = !IMAGES.includes(parseMediaType(file.type)?.essence ?? '')
    return sendFile(this.request, pathOf(file), { filename: file.name, contentType: file.type, attachment })
  }

  /** Removes a file. Only its author and admins may. */
  async delete(title: string, name: string) {
    const user = this._requireUser()
    const file = await this.#find(title, name)
    if (user.name !== file.author && user.role !== 'admin') abort(403, 'Only its author and admins may remove a file.')
    await removeFile(file)
    return this._done(this.url('files', { title }), `Removed “${name}”.`)
  }

  async #find(title: string, name: string): Promise<AttachedFile> {
    const page = await this._findPage(title)
    return (await findFile(page, name)) ?? abort(404, 'The page has no such file.')
  }

  #taken(page: Page, name: string): never {
    return abort(409, `The page has a file “${name}” already.`, { location: this.#linkTo(page, name) })
  }

  #linkTo({ title }: Page, name: string): string {
    return this.url('file', { title, name })
  }
}
